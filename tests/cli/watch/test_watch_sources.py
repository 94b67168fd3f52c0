"""Where stackx watch has its versions and its benchmark's earlier results from, and what begins its passes."""

import json
import os
import sqlite3
import subprocess

from harness import STACKX, schema_errors
from python_stack import HERE, wheel
from watched_project import BENCH, CHANGED, Watch


class Sources(Watch):
    """Where versions come from, and what a pass does where nobody answers."""

    def test_index_is_gone(self):
        self.release("1.0", 0.01)
        self.watch()
        self.index.shutdown()
        self.index.server_close()
        offline = self.watch()
        self.assertTrue(offline["refreshed"]["failed"])
        self.assertEqual(len(offline["notes"]), 1, offline["notes"])
        self.assertIn("requirements.txt not refreshed: ", offline["notes"][0])
        self.assertEqual(offline["answer"]["text"], "Nothing new: victim 1.0 stays advised.")

    def test_no_refresh(self):
        self.release("1.0", 0.01)
        self.watch()
        self.release("2.0", 0.01)
        asked = len(self.index.asked)
        self.assertEqual(self.watch("--no-refresh")["answer"]["kind"], "nothing_new")
        self.assertEqual(len(self.index.asked), asked)

    def imported(self, **more):
        """A project of stackx, over a catalog that was imported."""
        self.stackx("catalog", "import", "pypi", "victim", "--python", HERE, "-o", self.scratch / "victim.json")
        self.write("pi.py", "import json, victim\n"
                            'print(json.dumps({"name": "nap", "component": "victim", "parameters": {}, "work": {"flop": 0, "bytes": 0, "items": 1},\n'
                            '                  "samples_ns": [int(victim.SECONDS * 1e9)], "loaded": {"victim": victim.VERSION}}))\n')
        return self.project(catalogs=["victim.json"], requires={"victim": "*", "python": "*"}, workload={"pi": "nap", "params": {}}, **more)

    def release(self, version, seconds, **more):
        super().release(version, seconds, **more)
        if not more:
            self.index.add(wheel("victim", version, files={"victim/__init__.py": f"VERSION = {version!r}\nSECONDS = {seconds}\n"}))

    def test_catalog_that_was_imported(self):
        self.release("1.0", 0.03)
        project = self.imported()
        catalog = self.scratch / "victim.json"
        self.assertEqual(json.loads(catalog.read_text())["import"],
                         {"names": ["victim"], "pythons": [HERE], "platform": "linux x86_64", "files": "wheels"})
        words = ["watch", project, "--pi", self.scratch / "pi.py"]
        self.assertEqual(self.json(*words)["after"]["name"], "victim 1.0")
        self.release("2.0", 0.01)
        with self.subTest("without the index nothing is new"):
            self.assertEqual(self.json(*words, "--no-refresh")["answer"]["kind"], "nothing_new")
        document = self.json(*words, exit_code=CHANGED)
        self.assertEqual((document["after"]["name"], document["refreshed"]["read"]), ("victim 2.0", ["victim.json"]))
        self.assertIn("2.0", json.loads(catalog.read_text())["components"]["victim"]["versions"])
        with self.subTest("a catalog that cannot be written is said, and known versions are watched"):
            self.assertEqual(schema_errors("catalog", [json.loads(catalog.read_text())]), [""])
            frozen = json.loads(catalog.read_text())
            frozen["import"]["before"] = "2020-01-01"
            catalog.write_text(json.dumps(frozen))
            self.assertIn("holds what was uploaded before 2020-01-01", self.json(*words)["notes"][0])

    def test_catalog_that_was_written_by_hand(self):
        """Its component gains what the index has released since; such a version is like the newest that is known."""
        self.release("1.0.5", 0.03)
        artifact = self.index.add(wheel("victim", "1.0.5", files={"victim/__init__.py": "VERSION = '1.0.5'\nSECONDS = 0.03\n"}))
        self.imported()
        self.write("victim.json", {"$schema": "stackx/catalog/1", "components": {
            "python": self.python(),
            "victim": {"kind": "package", "versions": {"1.0.5": {"requires": {"python": "*"}, "provides": {"sleeper": "1.0"}, "artifacts": [artifact]}}}}})
        project = self.project(catalogs=["victim.json"], requires={"sleeper": "*"}, workload={"pi": "nap", "params": {}})
        words = ["watch", project, "--pi", self.scratch / "pi.py"]
        self.assertEqual(self.json(*words)["after"]["name"], "victim 1.0.5")
        before = (self.scratch / "victim.json").read_text()
        self.release("2.3.1", 0.01)
        self.release("3.0", 0.001, requires=["something-else"])
        document = self.json(*words, exit_code=CHANGED)
        self.assertEqual(document["after"]["name"], "victim 2.3.1")
        self.assertIn("left out: victim 3.0: it requires other packages than 1.0.5 does", document["notes"][0])
        self.assertEqual((self.scratch / "victim.json").read_text(), before, "somebody's own file")
        overlay, = (self.cache / "watch").glob("*-releases-0.json")
        self.assertEqual(json.loads(overlay.read_text())["components"]["victim"]["versions"]["2.3.1"]["provides"], {"sleeper": "2.3"})
        with self.subTest("offline it stays known"):
            self.assertEqual(self.json(*words, "--offline")["after"]["name"], "victim 2.3.1")

    def test_what_cannot_be_watched(self):
        self.release("1.0", 0.01)
        refused = lambda *words: self.stackx("watch", *words, exit_code=2).stderr
        self.assertIn("expected one of --pi COMMAND", refused(self.requirements))
        self.assertIn("--files", refused(self.requirements, "--files", self.scratch))
        project = self.imported()
        document = json.loads(project.read_text())
        document["workload"]["params"] = {"m": [1, 2]}
        self.assertIn("names 2 workloads", refused(self.write("two.json", document)))
        self.assertIn("needs a base image", refused(self.requirements, "--pi", self.bench, "--runner", "container"))
        numpy = self.write("numpy-requirements.txt", "numpy\n")
        self.assertIn('stackx has no PI "infer_llm" for Python frameworks', refused(numpy, "--workload", "llm"))
        self.assertIn("framework=jax, but ", refused(numpy, "--workload", "jax matmul"))


class Timers(Watch):
    """--print: judged by what reads it."""

    def printed(self, kind, *options):
        self.release("1.0", 0.01)
        return self.stackx("watch", "requirements.txt", "--pi", "./bench.py --label '50%'", "--budget", "30m", "--print", kind, *options, cwd=self.scratch).stdout

    def test_systemd(self):
        self.bench.chmod(0o755)
        units = self.printed("systemd")
        _, service, timer = units.split("# ~/.config/systemd/user/")
        self.assertIn("SuccessExitStatus=10 11\n", service)
        self.assertIn(f'WorkingDirectory={self.scratch}\n', service)
        self.assertIn('"watch" "requirements.txt" "--pi" "./bench.py --label \'50%%\'" "--budget" "30m"\n', service)
        self.assertNotIn("--print", units)
        house = self.scratch / "units"
        house.mkdir()
        for text in (service, timer):
            name = text.split(";")[0].split()[0]
            (house / name).write_text("# " + text)
        try:
            done = subprocess.run(["systemd-analyze", "verify", *house.iterdir()], capture_output=True, text=True, env={**os.environ, "SYSTEMD_UNIT_PATH": f"{house}:"})
        except FileNotFoundError:
            self.skipTest("no systemd-analyze")
        about_these = [line for line in done.stderr.splitlines() if "stackx-watch" in line]
        self.assertEqual((about_these, done.returncode), ([], 0), done.stderr)

    def test_cron(self):
        line = self.printed("cron").splitlines()[-1]
        self.assertTrue(line.startswith("17 3 * * * cd "), line)
        self.assertIn("50\\%", line)
        # What cron hands to the shell is what was given.
        command = line.split(maxsplit=5)[5].replace("\\%", "%")
        shown = subprocess.run(["sh", "-c", command.replace(STACKX, "printf '%s\\n'")], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.splitlines(), ["watch", "requirements.txt", "--pi", "./bench.py --label '50%'", "--budget", "30m"])

    def test_cronjob(self):
        text = self.printed("cronjob")
        try:
            import kubernetes_validate
            import yaml
        except ImportError:
            self.skipTest("no kubernetes-validate")
        document = yaml.safe_load(text)
        kubernetes_validate.validate(document, "1.27", strict=True)
        spec = document["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        self.assertEqual((document["spec"]["concurrencyPolicy"], spec["restartPolicy"]), ("Forbid", "Never"))
        for code, becomes in ((0, 0), (10, 0), (11, 0), (3, 3)):
            script = spec["containers"][0]["command"][2].replace("stackx", f"sh -c 'exit {code}'", 1)
            self.assertEqual(subprocess.run(["sh", "-c", script]).returncode, becomes)

    def test_github(self):
        text = self.printed("github")
        try:
            import check_jsonschema  # noqa: F401
            import sys
            import yaml
        except ImportError:
            self.skipTest("no check-jsonschema")
        file = self.write("watch.yml", text)
        done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        run = yaml.safe_load(text)["jobs"]["watch"]["steps"][-1]["run"]
        self.assertIn("--budget 30m --format markdown > stackx-watch.md", run)
        tools = self.scratch / "tools"
        tools.mkdir()
        for code, becomes in ((0, 0), (10, 0), (11, 0), (3, 3)):
            (tools / "stackx").write_text(f"#!/bin/sh\necho report\nexit {code}\n")
            (tools / "stackx").chmod(0o755)
            summary = self.write("summary.md", "")
            done = subprocess.run(["bash", "-e", "-c", run], env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary)},
                                  cwd=self.scratch, capture_output=True, text=True)
            self.assertEqual((done.returncode, summary.read_text()), (becomes, "report\n"), done.stderr)

    def test_their_command_runs(self):
        """The command of the systemd unit, as systemd would start it."""
        self.bench.chmod(0o755)
        self.release("1.0", 0.01)
        units = self.stackx("watch", "requirements.txt", "--pi", "./bench.py", "--python", HERE, "--print", "systemd", cwd=self.scratch).stdout
        line = next(line for line in units.splitlines() if line.startswith("ExecStart="))
        words = [word.strip('"') for word in line.removeprefix("ExecStart=").split('" "')]
        done = subprocess.run(words, cwd=self.scratch, env=self.environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout[:11]), (0, "First pass:"), done.stderr)


class Stored(Watch):
    def test_what_inspect_measured_counts(self):
        """Somebody measures a version by hand between two passes: the next one tells what that changed, once."""
        self.release("1.0", 0.03)
        self.stackx("catalog", "import", "pypi", "victim", "--python", HERE, "-o", self.scratch / "victim.json")
        self.write("pi.py", "import json, victim\n"
                            'print(json.dumps({"name": "nap", "component": "victim", "parameters": {}, "work": {"flop": 0, "bytes": 0, "items": 1},\n'
                            '                  "samples_ns": [int(victim.SECONDS * 1e9)], "loaded": {"victim": victim.version}}))\n')
        for version, seconds in (("1.0", 0.03), ("2.0", 0.01)):
            self.index.add(wheel("victim", version, files={"victim/__init__.py": f"version = {version!r}\nSECONDS = {seconds}\n"}))
            project = self.project(catalogs=["victim.json"], requires={"victim": "*", "python": "*"}, workload={"pi": "nap", "params": {}},
                                   campaign={"sampler": {"kind": "all"}, "rounds": 9, "limits": {"seconds": 30, "memory_gib": 1}})
            if version == "1.0":
                self.json("watch", project, "--pi", self.scratch / "pi.py")
        self.json("watch", project, "--pi", self.scratch / "pi.py", "--dry-run")  # reads the index
        self.stackx("inspect", project, "--pi", self.scratch / "pi.py")
        told = self.json("watch", project, "--pi", self.scratch / "pi.py", exit_code=CHANGED)
        self.assertEqual((told["after"]["name"], told["campaign"]), ("victim 2.0", None))
        self.assertIn("other campaigns of this project have shown it", told["answer"]["because"][0])
        self.assertEqual(self.json("watch", project, "--pi", self.scratch / "pi.py")["answer"]["kind"], "nothing_new")

    def test_what_the_store_holds(self):
        """Nothing but documents: it travels with export and import, and the next pass on the other side goes on from there."""
        self.release("1.0", 0.03)
        self.watch()
        self.release("2.0", 0.01)
        self.watch(exit_code=CHANGED)
        exported = self.scratch / "all.jsonl"
        exported.write_text(self.stackx("export").stdout)
        connection = sqlite3.connect(self.db)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        connection.close()
        self.environment["STACKX_DB"] = str(self.scratch / "elsewhere" / "stackx.db")
        self.stackx("import", exported)
        self.assertEqual(self.watch()["answer"]["text"], "Nothing new: victim 2.0 stays advised.")

    def test_edited_benchmark_begins_anew(self):
        self.release("1.0", 0.03)
        self.watch()
        self.bench.write_text(BENCH + "# edited\n")
        self.assertTrue(self.watch()["first"])
