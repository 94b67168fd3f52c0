"""`stackx cluster` with the container runner: the head archives what its engine holds, and a node, which is another storage of podman
here, loads it."""

import json
import os
import shutil
import subprocess
import unittest

from harness import KEPT, STACKX, BlackBox
from python_stack import container_engine
from slurm_stub import SlurmStub

BASE = "localhost/stackx-test/cluster:1"  # as a registry would bring it


@unittest.skipUnless(shutil.which("podman") and os.geteuid() == 0, "needs podman, and root for storages of its own")
class Images(BlackBox):
    def setUp(self):
        super().setUp()
        if container_engine():
            self.skipTest("no container engine works here: " + container_engine())
        self.spool = self.scratch / "spool"
        self.spool.mkdir()
        self.environment.update(PATH=SlurmStub(self.scratch / "slurm").path(), COLUMNS="80", STACKX_SCRATCH=str(self.scratch))
        self.fake_catalog({"fast": ("9.9.1", self.fake_blas())})

    def container_project(self, artifact):
        catalog = json.loads((self.scratch / "catalog.json").read_text())
        catalog["components"]["image"] = {"kind": "image", "versioning": "opaque", "versions": {"small": {"artifacts": [artifact]}}}
        self.write("catalog.json", catalog)
        return self.project(requires={"image": "*", "blas": "*"},
                            campaign={"sampler": {"kind": "all"}, "rounds": 1, "runner": "container", "limits": {"seconds": 60, "memory_gib": 1}},
                            cluster={"targets": [{"hardware": "host", "name": "all", "slurm": {}}], "blocks": 2, "rounds_per_block": 1,
                                     "spool": str(self.spool)})

    def bring_base(self):
        """Of a suite that is made once and kept for all tests."""
        cache, self.environment["XDG_CACHE_HOME"] = self.environment["XDG_CACHE_HOME"], str(KEPT)
        done = self.stackx("inspect", self.container_project({"type": "debootstrap", "file": "bookworm"}), exit_code=None)
        self.environment["XDG_CACHE_HOME"] = cache
        for file in (KEPT / "stackx" / "images").glob("*.json"):
            image = json.loads(file.read_text())
            if (image["type"], image["base"], image["packages"], image["program"]) == ("debootstrap", "bookworm", [], ""):
                subprocess.run(["podman", "tag", image["id"], BASE], check=True)
                self.addCleanup(subprocess.run, ["podman", "untag", BASE, BASE], capture_output=True)
                return image["id"]
        self.skipTest("no suite could be made here: " + done.stdout[-500:] + done.stderr[-500:])

    def submit(self, *words):
        """The campaign's directory, and the id of its image; nothing runs."""
        identity = self.bring_base()
        self.stackx("cluster", "submit", self.container_project({"type": "oci", "file": BASE}), *words)
        (root,) = [one for one in self.spool.iterdir() if (one / "campaign.json").exists()]
        return root, identity

    def node(self, name):
        """The environment of a node: an engine that has nothing, and a network that reaches nothing."""
        place = self.scratch / name
        place.mkdir(exist_ok=True)
        storage = self.write(name + ".conf", f'[storage]\ndriver = "overlay"\ngraphroot = "{place}/graph"\nrunroot = "{place}/run"\n')
        self.addCleanup(subprocess.run, ["umount", place / "graph" / "overlay"], capture_output=True)  # where podman mounts it on itself
        environment = self.environment | {"CONTAINERS_STORAGE_CONF": str(storage), "STACKX_SCRATCH": str(place),
                                          "XDG_CACHE_HOME": str(place / "cache")}
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            environment[name] = environment[name.upper()] = "http://127.0.0.1:9"
        images = subprocess.run(["podman", "images", "--quiet"], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(images.stdout, "")
        return environment

    def begin(self, root, node, block=0):
        return subprocess.Popen([STACKX, "cluster", "block", root, "--target", "all", "--block", str(block)], env=node, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, start, exit_code=0):
        out, err = start.communicate(timeout=900)
        self.assertEqual(start.returncode, exit_code, out + err)
        return out + err

    def newest(self, root, block=0):
        files = [file for file in root.glob(f"all/block-{block}/*/*.json") if len(file.stem) == 64]
        return json.loads(max(files, key=lambda file: file.stat().st_mtime_ns).read_text())

    def test_nodes_load_what_the_head_archived(self):
        root, identity = self.submit()
        self.assertEqual([file.name for file in (root / "stage" / "images").iterdir()], [identity + ".tar"])
        node = self.node("node")
        said = self.end(self.begin(root, node))
        document = self.newest(root)
        self.assertEqual(document["outcome"], "ok", document)
        self.assertRegex(document["runner"], r"^container \(podman ")
        self.assertIn(f"loading image {root}/stage/images/{identity}.tar", said)
        (manifest,) = (root / "stage").glob("*/images/*.json")
        self.assertEqual("sha256:" + document["artifacts"]["image " + BASE], json.loads(manifest.read_text())["digest"])
        self.assertNotIn("loading", self.end(self.begin(root, node, 1)))  # the engine has it
        self.assertEqual(self.newest(root, 1)["outcome"], "ok")
        self.stackx("cluster", "collect")
        self.assertTrue(self.json("cluster", "status")["finished"])

    def test_two_blocks_at_once_on_a_node_that_copies_its_stage(self):
        root, _ = self.submit("--stage", "node")
        node = self.node("node")
        starts = [self.begin(root, node, block) for block in (0, 1)]
        said = [self.end(start) for start in starts]
        self.assertEqual([self.newest(root, block)["outcome"] for block in (0, 1)], ["ok", "ok"], said)
        self.assertEqual(list((self.scratch / "node").glob("stackx-stage-*/**/*.tar")), [])  # archives are read where they are

    def test_archives_that_are_missing_or_damaged(self):
        root, identity = self.submit()
        node = self.node("node")
        archive = root / "stage" / "images" / (identity + ".tar")
        archive.write_bytes(archive.read_bytes()[:1000])
        self.end(self.begin(root, node))
        document = self.newest(root)
        self.assertEqual(document["outcome"], "build_failed")
        self.assertRegex(document["reason"], f"could not load {archive}; if the file is damaged, remove it and call `stackx cluster stage`")
        self.assertIn("unexpected EOF", document["stderr_tail"])
        archive.unlink()
        self.end(self.begin(root, node, 1))
        document = self.newest(root, 1)
        self.assertEqual(document["outcome"], "build_failed")
        self.assertIn(f"podman has no image {identity}, and there is no {archive} to load it from; call `stackx cluster stage`", document["reason"])
        self.stackx("cluster", "stage", root)
        self.assertTrue(archive.exists())

    def test_a_node_without_space(self):
        root, identity = self.submit()
        (self.scratch / "small").mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", self.scratch / "small"], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("nothing can be mounted here: " + done.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", self.scratch / "small"])
        self.end(self.begin(root, self.node("small")))
        document = self.newest(root)
        self.assertEqual(document["outcome"], "disk_full", document)
        self.assertIn(f"could not load {root}/stage/images/{identity}.tar", document["reason"])

    def test_a_node_without_an_engine(self):
        root, _ = self.submit()
        bare = self.scratch / "bare"
        bare.mkdir()
        for name in ("podman", "docker"):
            (bare / name).write_text("#!/bin/sh\necho not installed >&2; exit 127\n")
            (bare / name).chmod(0o755)
        node = self.node("node")
        node["PATH"] = f"{bare}:{node['PATH']}"
        said = self.end(self.begin(root, node), exit_code=3)
        self.assertIn("no container engine works here: podman: not installed", said)
        (file,) = root.glob("all/block-0/*/attempt.json")
        attempt = json.loads(file.read_text())
        self.assertEqual(attempt["state"], "failed")
        self.assertIn("install podman", attempt["reason"])
