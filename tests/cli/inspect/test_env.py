"""stackx env list and prune, over environments that a campaign made and an image of the engine that works here."""

import json
import os
import subprocess

from harness import BlackBox

KEY = "0123456789abcdef" * 4
DAY = 86400


class Environments(BlackBox):
    def setUp(self):
        super().setUp()
        self.cache = self.scratch / "cache" / "stackx"

    def wheel(self, key=KEY, days=0, size=5000):
        """A wheel as the store leaves it, last used so many days ago."""
        directory = self.cache / "wheels" / key
        directory.mkdir(parents=True)
        (directory / "data").write_bytes(b"x" * size)
        (directory / ".stackx-wheel.json").write_text(json.dumps(
            {"$schema": "stackx/wheel/1", "package": "alpha", "version": "1.0", "file": "alpha-1.0-py3-none-any.whl",
             "sha256": key, "files": [{"path": "data", "size": size}]}))
        lock = directory.with_name(key + ".lock")
        lock.touch()
        then = lock.stat().st_mtime - days * DAY
        for path in (directory, lock):
            os.utime(path, (then, then))
        return directory

    def test_an_empty_cache(self):
        listed = self.json("env", "list")
        self.assertEqual((listed["wheels"], listed["environments"], listed["images"], listed["bytes"]), ([], [], [], 0))
        self.assertEqual(listed["root"], str(self.cache))
        self.assertEqual(self.json("env", "prune", "--all"), {"dry_run": False, "freed_bytes": 0, "removed": [], "kept": []})
        self.assertFalse(self.cache.exists())

    def test_list(self):
        self.wheel(days=3)
        (self.cache / "uv").mkdir()
        (self.cache / "uv" / "archive").write_bytes(b"u" * 9000)
        listed = self.json("env", "list")
        wheel, = listed["wheels"]
        self.assertEqual((wheel["package"], wheel["version"], wheel["key"]), ("alpha", "1.0", KEY))
        self.assertGreaterEqual(wheel["own_bytes"], 5000)
        self.assertGreaterEqual(listed["uv_bytes"], 9000)
        table = self.stackx("env", "list").stdout
        self.assertIn("alpha 1.0", table)
        self.assertIn("3 days ago", table)

    def test_prune_by_age(self):
        old, new = self.wheel(KEY, days=40), self.wheel(KEY[::-1], days=20)
        dry = self.json("env", "prune", "--dry-run")
        self.assertTrue(dry["dry_run"])
        self.assertEqual([one["path"] for one in dry["removed"]], [str(old)])
        self.assertTrue(old.exists())
        self.assertIn("would free", self.stackx("env", "prune", "--dry-run").stdout)
        done = self.json("env", "prune")
        self.assertEqual(done["freed_bytes"], dry["freed_bytes"])
        self.assertGreaterEqual(done["freed_bytes"], 5000)
        self.assertEqual((old.exists(), new.exists()), (False, True))
        self.assertIn("freed", self.stackx("env", "prune", "--older-than", "2w").stdout)
        self.assertFalse(new.exists())

    def test_bad_ages(self):
        for text in ("30", "d", "-3d", "30 days", "nand", "1e9w", ""):
            done = self.stackx("env", "prune", f"--older-than={text}", exit_code=2)
            self.assertIn("older-than", done.stderr)
        self.stackx("env", "prune", "--all", "--older-than", "3d", exit_code=2)
        self.stackx("env", exit_code=2)

    def test_what_a_running_campaign_uses_stays(self):
        """The PI sleeps while the pruning goes on."""
        library = self.fake_blas()
        self.fake_catalog({"fake": ("9.9.1", library)})
        pi = self.scratch / "pi"
        pi.write_text("#!/bin/sh\nsleep 3\nexit 1\n")
        pi.chmod(0o755)
        campaign = subprocess.Popen([os.environ["STACKX"], "inspect", self.project(), "--rounds", "1", "--pi", pi],
                                    env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(campaign.wait)
        self.addCleanup(campaign.kill)
        for line in campaign.stderr:  # "campaign 4f1c09a2d7e1: 1 stack, ...": its inspector stands
            if line.startswith("campaign "):
                break
        wheel = self.wheel()  # used after the campaign began
        kept = {one["path"]: one["reason"] for one in self.json("env", "prune", "--all")["kept"]}
        self.assertIsNone(campaign.poll(), "the campaign ended before the pruning")
        self.assertEqual(kept.get(str(wheel)), "used by a campaign that runs")
        campaign.communicate()
        self.assertEqual(self.json("env", "prune", "--all")["kept"], [])
        self.assertFalse(wheel.exists())

    def test_an_image_is_removed_from_the_engine(self):
        engine = self.json("hw")["container_engine"]
        if "none" in engine:
            self.skipTest("no container engine works here: " + engine["none"])
        command = [engine["program"], *engine["options"]]
        tag = f"localhost/stackx-test-env:{os.getpid()}"
        (self.scratch / "file").write_text(str(self.scratch))  # makes the image unlike any other
        subprocess.run(["tar", "-C", self.scratch, "-cf", self.scratch / "image.tar", "file"], check=True)
        subprocess.run([*command, "import", self.scratch / "image.tar", tag], check=True, capture_output=True)
        self.addCleanup(subprocess.run, [*command, "rmi", tag], capture_output=True)
        image = subprocess.run([*command, "image", "inspect", "--format", "{{.Id}}", tag], check=True,
                               capture_output=True, text=True).stdout.strip()
        (self.cache / "images").mkdir()
        manifest = self.write(f"cache/stackx/images/{KEY}.json", {
            "$schema": "stackx/image/1", "type": "debootstrap", "base": "test", "sha256": "", "packages": [], "program": "",
            "id": image, "digest": "sha256:0", "installed": {"dpkg": "1.21"}})
        listed, = self.json("env", "list")["images"]
        self.assertEqual((listed["id"], listed["installed"]), (image, {"dpkg": "1.21"}))
        self.assertGreater(listed["bytes"], 0)
        self.assertIn("1 Debian package", self.stackx("env", "list").stdout)
        removed, = self.json("env", "prune", "--older-than", "0s")["removed"]
        self.assertEqual((removed["kind"], removed["freed_bytes"]), ("image", listed["bytes"]))
        self.assertFalse(manifest.exists())
        gone = subprocess.run([*command, "image", "inspect", tag], capture_output=True)
        self.assertNotEqual(gone.returncode, 0)
