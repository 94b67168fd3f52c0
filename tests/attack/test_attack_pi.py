"""A malicious PI, as root and as a user, under bubblewrap and without it."""

import json
import os
import shutil
import subprocess
import threading
import time

from attack import WORDS, Attack, main, refused  # first: it says where the others are
from harness import KEPT, ROOT, this_machine
from python_stack import container_engine

# What no PI can do to its supervisor, wherever it runs.
EVERYWHERE = ["ptrace", "prlimit", "kill", "stop", "affinity", "nice", "user namespace", "clone into one", "mount", "chroot",
              "keyctl", "io_uring_setup", "bpf", "perf_event_open", "pidfd_open", "pidfd_getfd", "process_vm_readv",
              "userfaultfd", "kcmp", "add_key", "descriptor 3", "descriptor 4", "prlimit by another number",
              "affinity by another number", "nice by another number", "kill by another number", "nice its group", "kill its group",
              "kill everybody", "signal its directory", "vsock", "alg"]
SANDBOXED = ["sysctl", "core_pattern", "usr", "etc", "root", "setuid"]


class Tasks:
    """How many processes and threads the machine had at most meanwhile."""

    def __enter__(self):
        self.before = self.most = self.now()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(0.02):
            self.most = max(self.most, self.now())

    @staticmethod
    def now():
        with open("/proc/loadavg") as file:
            return int(file.read().split()[3].split("/")[1])


class Place:
    """Where the PI runs, and as whom stackx does."""
    root = sandbox = False
    not_shown = ["/root", "/var/lib"]
    may_be_zero = False

    def setUp(self):
        super().setUp()
        if self.sandbox and not shutil.which("bwrap"):
            self.skipTest("bubblewrap is not here")
        self.become(self.root)
        if not self.sandbox:
            self.without_bubblewrap()

    def test_it_finds_no_secret(self):
        hidden = [str(self.home / ".ssh" / "id"), str(self.scratch / "socket"), *self.not_shown]
        found, document = self.attack("look_around", secrets="/".join(word[::-1] for word in WORDS), hidden=":".join(hidden), port=str(self.listener.port))
        self.assertIn("uid", found, document)
        self.assertEqual(found["given"], [], found)
        if self.sandbox or not self.root:  # root may read every process
            for what in ("supervisor's environment", "supervisor's memory", "supervisor's descriptors"):
                self.assertTrue(refused(found[what]), (what, found))
        if self.sandbox:  # without, it sees the processes of its own user
            self.assertEqual(found["secrets"], [], found)
            self.assertTrue(found["uid"] != 0 or self.may_be_zero)
            for what in [f"see {path}" for path in hidden] + ([] if self.may_be_zero else ["shadow"]) + ["network"]:
                self.assertTrue(refused(found[what]), (what, found))
            self.assertEqual(self.listener.came, 0)
        kept = self.everything_kept()
        for word in WORDS:
            self.assertNotIn(word, kept)

    def test_it_cannot_take_over(self):
        found, document = self.attack("take_over")
        self.assertIn("ptrace", found, document)  # it lived to tell, and its supervisor to report
        for what in EVERYWHERE + (SANDBOXED if self.sandbox else ["own a socket"]):
            self.assertTrue(refused(found[what]), (what, found[what]))
        self.assertIn("run", [phase["name"] for phase in document["phases"]], document)

    def test_it_cannot_go_round_the_memory_limit(self):
        for way in ["memfd", "page_tables", "several_page_tables", "behind_an_end"] + (["tmp"] if self.sandbox else []):
            with self.subTest(way=way):  # without a sandbox /tmp is the machine's
                found, document = self.attack(way, memory_gib=0.5)
                self.assertNotIn("held", found, document)
                self.assertNotEqual(document["outcome"], "ok", document)

    def test_it_cannot_go_on(self):
        """A thread does, after the first: of the PI itself past its time, of what it started after its end."""
        before = time.monotonic()
        _, document = self.attack("past_the_end", seconds=2)
        self.assertEqual(document["outcome"], "timed_out", document)
        self.assertLess(time.monotonic() - before, 300)  # it would have gone on for 600
        if self.sandbox:  # where it may write nothing that lasts, and the namespace ends with it
            return
        mark = self.scratch / "mark"
        _, document = self.attack("outlive", mark=str(mark))
        self.assertEqual(document["outcome"], "left_processes", document)
        last = mark.stat().st_mtime_ns
        time.sleep(0.5)
        self.assertEqual(mark.stat().st_mtime_ns, last)

    def test_it_cannot_keep_its_supervisor_busy(self):
        before = time.monotonic()
        with Tasks() as tasks:
            _, document = self.attack("orphans", seconds=3)
        self.assertIn(document["outcome"], ("timed_out", "failed"), document)
        self.assertLess(time.monotonic() - before, 300)
        self.assertLess(tasks.most, tasks.before + 9000)  # a machine has 32,768

    def test_it_holds_no_memory_that_nobody_counts(self):
        for way in ("dev", "files", "sem", "msg") if self.sandbox else ("sem", "msg"):
            with self.subTest(way=way):
                found, document = self.attack(way, memory_gib=0.25)
                self.assertNotIn("held", found, document)
                self.assertNotEqual(document["outcome"], "ok", document)

    def test_devices_are_there(self):
        found, document = self.attack("devices")
        self.assertIn("null", found, document)
        self.assertEqual({what: result for what, result in found.items() if refused(result)}, {}, document)

    def test_it_cannot_go_round_the_limit_of_processes(self):
        found, document = self.attack("threads", memory_gib=2)
        if "threads" in found:
            self.assertLess(found["threads"], 4000, document)
            self.assertIn("refused", found)
        else:  # counted, and ended
            self.assertIn("processes", document["reason"])


class RootInTheSandbox(Place, Attack):
    root = sandbox = True


class RootWithoutOne(Place, Attack):
    root = True


class UserInTheSandbox(Place, Attack):
    sandbox = True


class UserWithoutOne(Place, Attack):
    pass


class UserWithAManager(Place, Attack):
    """systemd, played by a script: what a user's control group is asked for, and that the run goes on without one."""
    sandbox = True

    def setUp(self):
        super().setUp()
        self.asked = self.scratch / "asked"
        place = self.scratch / "systemd"
        place.mkdir()
        program = place / "systemd-run"
        program.write_text(f'#!/bin/sh\n[ -e "{self.scratch}/refuse" ] && exit 1\necho "$@" >> "{self.asked}"\n'
                           'while [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
        program.chmod(0o755)
        self.environment["PATH"] = f"{place}{os.pathsep}{self.environment['PATH']}"

    def test_it_cannot_go_round_the_memory_limit(self):
        if os.geteuid() == 0 and not self.prefix:
            self.skipTest("root makes its control groups itself")
        found, _ = self.attack("look_around", memory_gib=0.5, secrets="none", hidden="/root", port="9")
        self.assertIn("uid", found)
        asked = self.asked.read_text()
        self.assertIn("--user --scope", asked)
        self.assertIn(f"--property=MemoryMax={(1 << 29) + (1 << 26)}", asked)
        self.assertIn("--property=TasksMax=", asked)

    def test_it_finds_no_secret(self):
        """There is a program of that name, and no manager."""
        (self.scratch / "refuse").write_text("")
        found, document = self.attack("look_around", secrets="none", hidden="/root", port="9")
        self.assertIn("uid", found, document)
        self.assertIn("bubblewrap", document["runner"])


class RootOfANamespace(Attack):
    """Which maps its root alone: there is no other user that the PI could be."""

    def test_it_has_no_capabilities(self):
        self.become(False)
        self.prefix = [*self.prefix, "unshare", "-r"]
        if subprocess.run([*self.prefix, "true"], check=False).returncode != 0:
            self.skipTest("users may make no namespaces here")
        found, document = self.attack("capabilities")
        self.assertEqual(int(found["effective"], 16), 0, document)


class InAContainer(Place, Attack):
    """Started by root, if the tests are: then the PI is another user there, too."""
    root, sandbox, runner = os.geteuid() == 0, True, "container"
    not_shown = []  # an image has its own
    may_be_zero = os.geteuid() != 0  # a user's engine calls him so inside, and the image's /etc/shadow is his

    def setUp(self):
        super().setUp()
        if container_engine():
            self.skipTest("no container engine works here: " + container_engine())
        self.environment["XDG_CACHE_HOME"] = str(KEPT)  # with the images

    def victim(self):
        images = json.loads((ROOT / "specs/data/images.json").read_text())["components"]["image"]
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "python": {"kind": "runtime", "versions": {"3.11": {}}}, "image": images}})
        return {"python": "*", "image": "==bookworm"}


class InAnImageWithWishes(Attack):
    """What an image declares decides nothing: not whom the supervisor runs as, nor where a PI may write."""
    runner = "container"

    def setUp(self):
        super().setUp()
        if container_engine():
            self.skipTest("no container engine works here: " + container_engine())
        self.environment["XDG_CACHE_HOME"] = str(KEPT)
        self.become(os.geteuid() == 0)
        self.image = "localhost/stackx-test/wishes:1"  # kept, as its base is

    def engine(self, *words, **options):
        engine = this_machine()["container_engine"]
        return subprocess.run([engine["program"], *engine["options"], *words], capture_output=True, text=True, env=self.environment,
                              check=False, **options)

    def base(self):
        """What stackx calls its image of a suite with a Python."""
        own, self.victim = self.victim, lambda: InAContainer.victim(self)
        self.attack("capabilities")
        self.victim = own
        for file in (KEPT / "stackx" / "images").glob("*.json"):
            made = json.loads(file.read_text())
            if made["base"] == "bookworm" and made["packages"] == ["python3", "python3-distutils"]:
                return f"localhost/stackx/image:{file.stem[:16]}"
        self.skipTest("the image of bookworm could not be made")

    def victim(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "python": {"kind": "runtime", "versions": {"3.11": {}}},
            "image": {"kind": "image", "versioning": "opaque", "versions": {"1": {"artifacts": [
                {"type": "oci", "file": self.image, "program": "/usr/bin/python3.11"}]}}}}})
        return {"python": "*", "image": "*"}

    def test_its_user_and_its_volume(self):
        volumes = this_machine()["container_engine"]["kind"] == "podman"  # docker's are refused
        if self.engine("image", "inspect", self.image).returncode != 0:
            text = f"FROM {self.base()}\nUSER 1000\n" + ("VOLUME /var/tmp\n" if volumes else "")
            made = self.engine("build", "--tag", self.image, "--file", "-", str(self.scratch), input=text)
            self.assertEqual(made.returncode, 0, made.stderr)
        found, document = self.attack("wishes")
        self.assertEqual({int(one, 16) for one in found.get("capabilities", {"": "1"}).values()}, {0}, document)
        for what in ("setuid", "supervisor's memory", "volume"):
            self.assertTrue(refused(found[what]), (what, found))


if __name__ == "__main__":
    main()
