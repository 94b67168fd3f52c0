"""A malicious PI, as root and as a user, under bubblewrap and without it."""

import unittest

from attack import SECRETS, WORDS, Attack, main, refused, sandboxes

# What no PI can do to its supervisor, wherever it runs.
EVERYWHERE = ["ptrace", "prlimit", "kill", "stop", "affinity", "nice", "user namespace", "clone into one", "mount", "chroot",
              "keyctl", "io_uring_setup", "bpf", "perf_event_open", "pidfd_open", "pidfd_getfd", "process_vm_readv",
              "userfaultfd", "kcmp", "add_key", "descriptor 3", "descriptor 4"]
SANDBOXED = ["sysctl", "core_pattern", "usr", "etc", "root", "setuid"]


class MaliciousPi(Attack):
    def each(self):
        """(root?, sandbox?) in turn, each in directories of its own."""
        for root in (True, False):
            for sandbox in sandboxes():
                with self.subTest(root=root, sandbox=sandbox):
                    self.doCleanups()
                    self.setUp()
                    try:
                        self.become(root)
                    except unittest.SkipTest as why:
                        print("left out:", why)
                        continue
                    if not sandbox:
                        self.without_bubblewrap()
                    yield root, sandbox

    def test_it_finds_no_secret(self):
        for root, sandbox in self.each():
            hidden = [str(self.home / ".ssh" / "id"), str(self.scratch / "socket"), "/root", "/var/lib"]
            found, document = self.attack("look_around", secrets="/".join(word[::-1] for word in WORDS), hidden=":".join(hidden), port=str(self.listener.port))
            self.assertIn("uid", found, document)
            self.assertEqual(found["given"], [], found)
            if sandbox or not root:  # root may read every process
                for what in ("supervisor's environment", "supervisor's memory", "supervisor's descriptors"):
                    self.assertTrue(refused(found[what]), (what, found))
            if sandbox:  # without, it sees the processes of its own user
                self.assertEqual(found["secrets"], [], found)
                self.assertNotEqual(found["uid"], 0)
                for what in [f"see {path}" for path in hidden] + ["shadow", "network"]:
                    self.assertTrue(refused(found[what]), (what, found))
                self.assertEqual(self.listener.came, 0)
            kept = self.everything_kept()
            for word in WORDS:
                self.assertNotIn(word, kept)

    def test_it_cannot_take_over(self):
        for root, sandbox in self.each():
            found, document = self.attack("take_over")
            self.assertIn("ptrace", found, document)  # it lived to tell, and its supervisor to report
            for what in EVERYWHERE + (SANDBOXED if sandbox else []):
                self.assertTrue(refused(found[what]), (what, found[what]))
            self.assertIn("run", [phase["name"] for phase in document["phases"]], document)

    def test_it_cannot_go_round_the_memory_limit(self):
        for root, sandbox in self.each():
            if not sandbox:
                continue
            for way in ("memfd", "tmp"):
                found, document = self.attack(way, memory_gib=0.5)
                self.assertNotIn("held", found, document)
                self.assertNotEqual(document["outcome"], "ok", document)

    def test_it_cannot_go_round_the_limit_of_processes(self):
        for root, sandbox in self.each():
            found, document = self.attack("threads", memory_gib=2)
            if sandbox:
                self.assertLess(found["threads"], 4000, document)
                self.assertIn("refused", found)
            else:  # counted, and ended
                self.assertIn("processes", document["reason"])


if __name__ == "__main__":
    main()
