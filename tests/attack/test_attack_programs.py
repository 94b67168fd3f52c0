"""Programs that nobody asked stackx to run: of the directory one stands in, of plans that somebody sent, of images."""

import json
import os
import subprocess

from attack import Attack, main  # first: it says where the others are
from harness import STACKX
from python_stack import PythonStack, wheel

NOWHERE = "http://127.0.0.1:9"  # nobody listens there


class CurrentDirectory(PythonStack):
    """What was downloaded may hold what pip, uv and the search for programs look for where they begin."""

    def setUp(self):
        super().setUp()
        self.ran = self.scratch / "ran"
        self.place = self.scratch / "downloaded" / "project"
        self.place.mkdir(parents=True)
        for name in ("pip", "uv", "sitecustomize", "usercustomize", "encodings"):
            (self.place / f"{name}.py").write_text(f"open({str(self.ran)!r}, 'a').write({name!r})\n")
        for name in ("python3", "uv", "bwrap", "dpkg-query", "evil", "torch==2.1.0/bin/python", "torch>=2/bin/python",
                     "torch[x]/bin/python", "torch/bin/python", "torch @ https:/host/bin/python"):
            self.program(self.place / name)
        for directory in (self.place, self.place.parent):  # uv looks further up
            self.program(directory / ".venv" / "bin" / "python")
            (directory / ".venv" / "bin" / "python3").symlink_to("python")
            (directory / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
        (self.place / "uv.toml").write_text(f'index-url = "{NOWHERE}/"\ncache-dir = "{self.scratch}/evil-cache"\n[pip]\npython = "./evil"\n')
        self.environment.update(PATH=f":.:{os.environ['PATH']}", UV_HTTP_RETRIES="0")
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "STACKX_UV"):
            self.environment.pop(name, None)

    def program(self, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\necho \"$0\" >> {self.ran}\nexec /usr/bin/python3 \"$@\"\n")
        file.chmod(0o755)

    def run_there(self, *arguments):
        done = subprocess.run([STACKX, *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=240,
                              cwd=self.place)
        self.assertLess(done.returncode, 4, done.stderr)
        self.assertFalse(self.ran.exists(), f"{arguments}: {self.ran.exists() and self.ran.read_text()}")
        return done

    def test_nothing_of_it_runs(self):
        for words in (("check", "torch", "--deep"), ("check", "torch==2.1.0"), ("check", "torch>=2"), ("check", "torch[x]"),
                      ("check", "torch @ https:/host")):
            self.run_there(*words, "--hw", "v100", *(["--index-url", self.index.url + "/simple"] if "--deep" in words else []))
        self.run_there("catalog", "import", "pypi", "victim", "--python", "3.11", "-o", self.scratch / "imported.json")
        self.run_there("catalog", "refresh", "-o", self.scratch / "facts", "--index-url", NOWHERE, "--pytorch-index", NOWHERE,
                       "--redistributables", NOWHERE, "--registry", NOWHERE)
        self.run_there("inspect", self.stack(self.index.add(wheel())), "--pi", self.pi)
        self.assertEqual(self.documents()[-1]["outcome"], "ok")
        self.assertFalse((self.scratch / "evil-cache").exists())

    def test_a_directory_that_is_named_is_meant(self):
        subprocess.run([STACKX, "check", "./torch"], capture_output=True, check=False, env=self.environment, cwd=self.place)
        self.assertIn("torch/bin/python", self.ran.read_text())


class ImportedPlan(Attack):
    """A plan says which program measures; one that was sent is of its author's choice."""

    def test_its_program_is_not_run(self):
        mark = self.scratch / "mark"
        pi = self.write("pi.sh", f"#!/bin/sh\necho ran >> {mark}\necho '{{\"samples_ns\": [1000], \"component\": \"python\"}}'\n")
        pi.chmod(0o755)
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {"python": {"kind": "runtime", "versions": {
            "3": {"artifacts": [{"type": "path", "file": "/bin/sh"}]}}}}})
        project = self.project(requires={"python": "*"}, workload={"pi": "x", "params": {}},
                               campaign={"sampler": {"kind": "all"}, "rounds": 1, "runner": "local"})
        self.run_stackx("inspect", project, "--pi", pi)
        plan = [line for line in self.run_stackx("export").stdout.splitlines() if '"stackx/plan/1"' in line]
        self.run_stackx("inspect", project, "--resume", exit_code=0)  # ours: the program was named
        sent = self.write("sent.jsonl", "\n".join(plan) + "\n")
        mark.unlink(missing_ok=True)
        self.environment.update(STACKX_DB=str(self.scratch / "victim" / "store.db"), XDG_DATA_HOME=str(self.scratch / "victim"))
        self.allow_paths(["/bin/sh"])
        self.without_bubblewrap()
        self.run_stackx("import", sent, exit_code=0)
        said = self.run_stackx("inspect", project, "--resume", exit_code=2).stderr
        self.assertIn(f"{pi.resolve()}", said)
        self.assertIn("--pi", said)
        self.assertFalse(mark.exists())
        self.run_stackx("inspect", project, "--resume", "--pi", pi, exit_code=0)
        self.assertTrue(mark.exists())
        self.run_stackx("inspect", project, "--resume", exit_code=0)  # named once


class ImageOfACatalog(Attack):
    """System packages go into an image by its own apt-get, which has the network and the proxies."""

    def test_consent_is_asked(self):
        image = {"type": "oci", "file": "localhost/somebody:1", "program": "/usr/bin/python3"}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "python": {"kind": "runtime", "versions": {"3.11": {}}},
            "hello": {"kind": "package", "versions": {"1": {"artifacts": [{"type": "system", "package": "hello"}]}}},
            "image": {"kind": "image", "versioning": "opaque", "versions": {"1": {"artifacts": [image]}}}}})
        project = self.project(requires={"python": "*", "image": "*", "hello": "*"}, campaign={"runner": "container", "rounds": 1})
        said = self.run_stackx("inspect", project, exit_code=2).stderr
        self.assertIn("localhost/somebody:1", said)
        self.assertIn("--allow-paths", said)
        self.assertNotIn("stackx/plan/1", self.run_stackx("export").stdout)


if __name__ == "__main__":
    main()
