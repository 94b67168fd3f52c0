"""Malicious catalogs: programs and files of this machine that somebody else's text names."""

import json
import os
import pathlib
import shutil
import stat
import struct
import time
import unittest

from attack import WORDS, Attack, main, refused, sandboxes

PYTHON = "/usr/bin/python3"


def takes_over_the_loader(command):
    """A library whose second segment glibc maps over the loader itself, as its headers say: then this code goes on, on x86-64."""
    start = bytes.fromhex("488d3d39000000" "4883ec40" "4883e4f0" "48893c24" "488d052e000000" "4889442408" "488d0525000000"
                          "4889442410" "48c744241800000000" "4889e6" "31d2" "b83b000000" "0f05")  # execve("/bin/sh", {"/bin/sh", "-c", ...})
    code = start + b"/bin/sh\0-c\0" + command.encode() + b"\0"
    size = 1 << 20

    def segment(kind, flags, offset, in_file, in_memory, align=0x1000):
        return struct.pack("<IIQQQQQQ", kind, flags, offset, offset, offset, in_file, in_memory, align)

    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 4, 0, 0, 0)
    segments = [segment(1, 4, 0, 0x1000, 0x1000), segment(1, 5, 0x2000, size, size), segment(1, 6, 0x1000, 0x1000, 0x1000),
                segment(2, 6, 0x1000, 32, 32, 8)]
    return (header + b"".join(segments)).ljust(0x2000, b"\0") + b"\x90" * (size - 0x1000) + code.ljust(0x1000, b"\x90")


class MaliciousCatalog(Attack):
    def catalog(self, artifact, name="victim"):
        """Written as a stranger's: nothing in it was allowed."""
        python = {"kind": "runtime", "versions": {"3.11": {"artifacts": [artifact]}}}
        (self.scratch / "catalog.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {"python": python}}))
        return self.project(requires={"python": "*"}, workload={"pi": "hello", "params": {}},
                            campaign={"sampler": {"kind": "all"}, "rounds": 1, "limits": {"seconds": 20, "memory_gib": 1}})

    def program(self, text):
        file = self.scratch / "program"
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def pi(self):
        file = self.scratch / "pi.py"
        file.write_text("print(1)\n")
        return file

    def test_nothing_is_run_or_shown_without_consent(self):
        ran = self.scratch / "ran"
        program = self.program(f"#!/bin/sh\necho > {ran}\n")
        project = self.catalog({"type": "path", "file": program, "program": program})
        said = self.run_stackx("inspect", project, "--pi", self.pi(), exit_code=2).stderr
        self.assertIn("program", said)
        self.assertIn("--allow-paths", said)
        self.assertFalse(ran.exists())
        self.run_stackx("inspect", project, "--pi", self.pi(), "--dry-run", exit_code=0)
        self.assertFalse(ran.exists())

    def test_advice_of_others_is_verified_with_consent_alone(self):
        self.fake_catalog({"one": ("9.9.1", self.fake_blas()), "two": ("9.9.2", self.fake_blas("9.9.2", slow=3))})
        self.run_stackx("inspect", self.project(), "--rounds", "6", exit_code=0)
        advice = self.run_stackx("advise", "--hw", "host", "--workload", "matmul:m=48,n=40,k=56,dtype=float32", "--json").stdout
        (self.scratch / "advice.json").write_text(advice)
        (pathlib.Path(self.environment["XDG_DATA_HOME"]) / "stackx" / "allowed-paths").unlink()
        words = ["verify", self.scratch / "advice.json", "--project", self.scratch / "project.json", "--rounds", "6"]
        self.assertIn("--allow-paths", self.run_stackx(*words, exit_code=2).stderr)
        self.run_stackx(*words, "--allow-paths")

    def test_consent_is_asked_for_once(self):
        project = self.catalog({"type": "path", "file": PYTHON, "program": PYTHON})
        self.run_stackx("inspect", project, "--pi", self.pi(), "--allow-paths")
        self.run_stackx("inspect", project, "--pi", self.pi())
        self.assertEqual(len(self.documents()), 2)

    def test_an_interpreter_is_asked_in_the_sandbox(self):
        for sandbox in sandboxes():
            with self.subTest(sandbox=sandbox):
                ran = self.scratch / "ran"
                program = self.program(f"#!/bin/sh\nenv > {ran}; env > /tmp/ran; cat {self.home}/.ssh/id >> {ran}\n")
                if not sandbox:
                    self.without_bubblewrap()
                project = self.catalog({"type": "path", "file": program, "program": program})
                self.run_stackx("inspect", project, "--pi", self.pi(), "--allow-paths")
                self.assertEqual(self.documents()[-1]["outcome"], "unsupported")
                if sandbox:
                    self.assertFalse(ran.exists())
                elif ran.exists():  # nothing keeps it from writing; but it was given no secret
                    self.assertFalse([word for word in WORDS if word in ran.read_text()])

    def test_one_that_says_that_it_needs_everything(self):
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        for prefix in ("/", "/root", "/proc", str(self.home), str(self.home / ".ssh")):
            program = self.program("#!/bin/sh\nprintf 'stackx\\0cpython\\0003.11.2\\0cpython-311\\0cp311\\00064\\0%s\\0\\0' '" + prefix + "'\n")
            project = self.catalog({"type": "path", "file": program, "program": program})
            self.run_stackx("inspect", project, "--pi", self.pi(), "--allow-paths")
            document = self.documents()[-1]
            self.assertEqual(document["outcome"], "unsupported", document)
            self.assertIn("no sandbox shows it", document["reason"])

    def test_consent_to_a_program_is_none_to_what_it_names(self):
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        documents = self.home / "Documents"
        documents.mkdir()
        program = self.program(f"#!/bin/sh\nprintf 'stackx\\0cpython\\0003.11.2\\0cpython-311\\0cp311\\00064\\0%s\\0\\0' '{documents}'\n")
        project = self.catalog({"type": "path", "file": program, "program": program})
        self.run_stackx("inspect", project, "--pi", self.pi(), "--allow-paths")
        document = self.documents()[-1]
        self.assertEqual(document["outcome"], "unsupported", document)
        self.assertIn("Documents, where it does not belong", document["reason"])

    def test_settings_that_direct_others_than_what_is_measured(self):
        for name in ("PATH", "BASH_ENV", "PIP_INDEX_URL", "UV_INDEX", "https_proxy", "PYTHONPATH", "PS1", "LD_PRELOAD", "NODE_OPTIONS"):
            (self.scratch / "catalog.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {
                "tuning": {"kind": "setting", "versions": {"1": {"environment": {name: "x"}}}}}}))
            said = self.run_stackx("catalog", "validate", self.scratch / "catalog.json", exit_code=2).stderr
            self.assertIn(f"/environment/{name}: expected a setting of what is measured", said)

    def test_paths_that_no_catalog_may_show(self):
        tokens = self.home / ".cache" / "huggingface"
        tokens.mkdir(parents=True)
        for path in ("/", "/root", "/home", "/run", "/proc", "/sys", "/etc", "/etc/passwd", "/var", "/tmp", str(self.home),
                     str(self.home / ".ssh"), str(tokens), str(self.scratch), str(self.db.parent.parent)):
            before = time.monotonic()
            if not os.path.exists(path):
                continue
            (self.scratch / "catalog.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {
                "victim": {"kind": "package", "versions": {"1": {"provides": {"blas": "1"}, "artifacts": [
                    {"type": "path", "file": path, "library": str(self.fake_blas())}]}}}}}))
            self.run_stackx("inspect", self.project(), "--allow-paths", "--rounds", "1")
            document = self.documents()[-1]
            self.assertEqual(document["outcome"], "unsupported", (path, document))
            self.assertIn("no sandbox shows it", document["reason"])
            self.assertLess(time.monotonic() - before, 240)

    def test_a_library_that_takes_over_the_loader(self):
        """Looked at, it runs nowhere outside of the sandbox: neither as a library nor as an interpreter."""
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        ran, library = self.scratch / "ran", self.scratch / "libvictim.so"
        library.write_bytes(takes_over_the_loader(f"id >> {ran}"))
        library.chmod(0o755)
        (self.scratch / "catalog.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {
            "victim": {"kind": "package", "versions": {"1": {"provides": {"blas": "1"}, "artifacts": [
                {"type": "path", "file": str(library), "library": str(library)}]}}}}}))
        self.run_stackx("inspect", self.project(), "--allow-paths", "--rounds", "1")
        self.assertFalse(ran.exists())
        project = self.catalog({"type": "path", "file": str(library), "program": str(library)})
        self.run_stackx("inspect", project, "--pi", self.pi(), "--allow-paths")
        self.assertFalse(ran.exists())

    def test_a_library_that_is_a_pipe(self):
        """It ends its own stack, not the campaign, and is not waited for."""
        pipe = self.scratch / "pipe"
        os.mkfifo(pipe)
        (self.scratch / "catalog.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {
            name: {"kind": "package", "versions": {"1": {"provides": {"blas": "1"}, "artifacts": [
                {"type": "path", "file": str(library), "library": str(library)}]}}}
            for name, library in (("victim", pipe), ("other", self.fake_blas()))}}))
        before = time.monotonic()
        self.run_stackx("inspect", self.project(), "--allow-paths", "--rounds", "1")
        self.assertLess(time.monotonic() - before, 240)  # nobody ever writes into it
        documents = self.documents()
        self.assertEqual(len(documents), 2, documents)
        self.assertTrue(any("victim 1: " in one.get("reason", "") and "no regular file" in one["reason"] for one in documents), documents)

    def test_a_system_library_that_is_none(self):
        secret = self.scratch / "secret"
        secret.write_text("x")
        (self.scratch / "catalog.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {
            "victim": {"kind": "package", "versions": {"1": {"provides": {"blas": "1"}, "artifacts": [
                {"type": "system", "package": "libc6", "library": str(secret)}]}}}}}))
        self.run_stackx("inspect", self.project(), "--rounds", "1")
        self.assertIn("no package puts a library", self.documents()[-1]["reason"])


if __name__ == "__main__":
    main()
