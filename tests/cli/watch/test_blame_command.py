"""stackx blame on wheels that cost known times: which change is it?

Packages are made on the spot. Each says what it costs (`cost`, a function of the others where it matters); the user's program
imports them all and prints the sum of their costs as its time: the machine's noise is in none of them.
"""

import atexit
import io
import json
import pathlib
import shlex
import signal
import subprocess
import tempfile
import time
import unittest
import zipfile

from harness import STACKX, cases, schema_errors
from python_stack import HERE, PROGRAM, PythonStack, wheel

NVML = pathlib.Path(STACKX).resolve().parent / "tests" / "nvml" / "two_gpus"  # a look-alike: an H200 and this
V100 = "GPU-66666666-7777-8888-9999-aaaaaaaaaaaa"

BENCH = '''import importlib, pathlib
names = [path.name for path in pathlib.Path(importlib.import_module("p00").__file__).parents[1].iterdir() if path.name.startswith("p") and path.name[1:].isdigit()]
versions = {name: importlib.import_module(name).VERSION for name in names}
print(0.02 * (1 + sum(importlib.import_module(name).cost(versions) for name in names)))
'''


def package(name, version, cost="0", requires=()):
    """A wheel; `cost` is an expression of `versions`, {package: version}."""
    return wheel(name, version, files={f"{name}/__init__.py": f"VERSION = {version!r}\ndef cost(versions):\n    return {cost}\n"},
                 requires=requires)


# Most packages are the same in all tests, and installing one takes longer than measuring it.
CACHE = tempfile.TemporaryDirectory(prefix="stackx-test-blame-")
atexit.register(CACHE.cleanup)


class Blame(PythonStack):
    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = CACHE.name
        self.bench = self.write("bench.py", BENCH)

    def ends(self, count, costs=None, requires=None, between=()):
        """old.txt with every package at 1.0, new.txt at 2.0; costs: {(package, version): expression}."""
        names = [f"p{i:02}" for i in range(count)]
        for name in names:
            for version in ("1.0", "2.0", *(between if name == names[-1] else ())):
                self.index.add(package(name, version, (costs or {}).get((name, version), "0"), (requires or {}).get((name, version), ())))
        return [self.write(f"{end}.txt", "".join(f"{name}=={version}\n" for name in names)) for end, version in (("old", "1.0"), ("new", "2.0"))]

    def blame(self, ends, *options, exit_code=0):
        return self.json("blame", *ends, "--pi", self.bench, *options, exit_code=exit_code)

    @staticmethod
    def roles(answer, role="culprit"):
        return [row["name"] for row in answer["rows"] if row["role"] == role]

    def tell(self, ends, *options, exit_code=0):
        return self.stackx("blame", *ends, "--pi", self.bench, *options, exit_code=exit_code, cwd=self.scratch).stdout


class Culprits(Blame):
    """Real processes, real wheels; the many seeds run on made-up clocks (tests/blame/search)."""

    def test_one_of_twenty(self):
        ends = self.ends(20, {("p13", "2.0"): "0.4"})
        answer = self.blame(ends)
        self.assertEqual(self.roles(answer), ["p13 1.0 -> 2.0"])
        self.assertEqual(schema_errors("blame", [answer]), [""])
        self.assertEqual(answer["answer"]["kind"], "found")
        self.assertTrue(answer["answer"]["complete"])
        for number in (answer["rows"][0]["effect"]["ratio"], *answer["rows"][0]["effect"]["interval"]):
            self.assertAlmostEqual(number, 1.4, delta=1e-6)
        self.assertIn("all of the x1.40", answer["answer"]["text"])
        # 3 log2(20) + 10 verdicts of 9 rounds and two stacks: at 10% noise
        self.assertLessEqual(answer["cost"]["inspections"], 413)
        self.assertEqual(answer["valid_stacks"], str(2**20))
        with self.subTest("again: nothing is measured anew, offline, and the answer is the same"):
            asked = len(self.index.asked)
            again = self.blame(ends, "--offline")
            self.assertEqual(len(self.index.asked), asked)
            self.assertEqual(again["rows"], answer["rows"])
            self.assertEqual(again["campaigns"], answer["campaigns"])
        with self.subTest("for people, and for an issue"):
            text = self.tell(["old.txt", "new.txt"])
            self.assertTrue(text.startswith("p13 1.0 -> 2.0 makes its time x1.40"), text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
            markdown = self.tell(["old.txt", "new.txt"], "--format", "markdown")
            self.assertTrue(markdown.startswith("**p13 1.0"), markdown)
            self.assertIn("$ stackx blame old.txt new.txt --pi", markdown)

    def test_one_alone(self):
        ends = self.ends(1, {("p00", "2.0"): "0.5"})
        answer = self.blame(ends)
        self.assertEqual(self.roles(answer), ["p00 1.0 -> 2.0"])
        self.assertIn("the same command with --versions", " ".join(self.stackx("blame", *ends, "--pi", self.bench).stdout.split()))

    @unittest.skipUnless(cases(0, 1), "with --thorough; tests/blame/search has a hundred of them")
    def test_two_culprits(self):
        answer = self.blame(self.ends(6, {("p02", "2.0"): "0.6", ("p05", "2.0"): "0.3"}))
        self.assertEqual(self.roles(answer), ["p02 1.0 -> 2.0", "p05 1.0 -> 2.0"])

    def test_slow_only_together(self):
        cost = "0.5 if versions['p01'] == versions['p04'] == '2.0' else 0"
        answer = self.blame(self.ends(6, {("p04", "2.0"): cost}))
        self.assertEqual(sorted(self.roles(answer, "together")), ["p01 1.0 -> 2.0", "p04 1.0 -> 2.0"])
        self.assertIn("together", answer["answer"]["text"])

    @unittest.skipUnless(cases(0, 1), "with --thorough; tests/blame/search has a hundred of them")
    def test_hidden_by_a_gain(self):
        answer = self.blame(self.ends(5, {("p03", "2.0"): "0.5", ("p01", "1.0"): "0.5"}))
        self.assertEqual(self.roles(answer), ["p03 1.0 -> 2.0"])
        self.assertEqual(self.roles(answer, "gain"), ["p01 1.0 -> 2.0"])

    def test_bound_by_pins(self):
        requires = {("p04", "2.0"): ["p05==2.0", "p06>=2"], ("p05", "2.0"): ["p04>=2"], ("p07", "2.0"): ["p04>=2"]}
        answer = self.blame(self.ends(9, {("p05", "2.0"): "0.4"}, requires))
        (row,) = [row for row in answer["rows"] if row["role"] == "culprit"]
        self.assertEqual(row["changes"][0], "p04 1.0 -> 2.0")
        self.assertIn("p05 1.0 -> 2.0", row["changes"])
        self.assertNotIn("p06 1.0 -> 2.0", row["changes"])  # can be new alone
        self.assertNotIn("p07 1.0 -> 2.0", row["changes"])
        self.assertTrue(any("p04 2.0 requires p05 ==2.0" in reason for reason in row["because"]), row)

    def test_nothing(self):
        answer = self.blame(self.ends(4))
        self.assertEqual(answer["answer"]["kind"], "none")
        self.assertIn("No difference shown between old.txt and new.txt: at most ", answer["answer"]["text"])
        self.assertEqual(schema_errors("blame", [answer]), [""])

    def test_the_same(self):
        old, new = self.ends(3)
        answer = self.blame([old, old])
        self.assertEqual((answer["answer"]["kind"], answer["groups"]), ("same", []))
        self.assertEqual(schema_errors("blame", [answer]), [""])

    def test_versions(self):
        ends = self.ends(2, {("p01", "2.0"): "0.4", ("p01", "1.7rc1"): "0.4", ("p01", "1.9"): "0.4"}, between=("1.2", "1.5", "1.7rc1", "1.9"))
        answer = self.blame(ends, "--versions")
        self.assertEqual((answer["first_bad"]["good"], answer["first_bad"]["bad"]), ("1.5", "1.7rc1"))
        self.assertEqual(schema_errors("blame", [answer]), [""])
        with self.subTest("what it cost is all of it"):
            documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
            of_it = [one for one in documents if one.get("campaign") in answer["campaigns"]]
            self.assertEqual(answer["cost"]["inspections"], len(of_it))
            self.assertEqual(answer["cost"]["stacks"], len({json.dumps(one["stack"], sort_keys=True) for one in of_it}))
            self.assertEqual(len(of_it), sum(one["$schema"] == "stackx/inspection/1" for one in documents))
            self.assertIn(f"{len(of_it)} inspections", answer["answer"]["text"])
        with self.subTest("the command that repeats it has every option"):
            command = shlex.split(answer["command"])
            self.assertEqual(command, ["stackx", "blame", *map(str, ends), "--pi", str(self.bench), "--versions"])
            more = ["--versions", "--timeout", "20", "--seed", "3", "--delta", "2", "--budget", "4", "--offline"]
            answer = self.blame(ends, *more, exit_code=1)
            words = shlex.split(answer["command"])
            self.assertEqual(sorted(words[6:]), sorted(more))
        with self.subTest("the budget is of all of it"):
            self.assertLessEqual(answer["cost"]["inspections"], 4)
            self.assertIn("the budget is used up; the same command with more goes on from here", answer["notes"])

    def test_a_command_is_not_broken(self):
        house = self.scratch / "a directory with blanks in its name, which is long"
        house.mkdir()
        ends = [end.rename(house / end.name) for end in self.ends(1, {("p00", "2.0"): "0.5"})]
        self.environment["COLUMNS"] = "60"
        line, = (line for line in self.tell(ends).splitlines() if "stackx blame" in line)
        self.assertEqual(shlex.split(line)[:4], ["stackx", "blame", *map(str, ends)])


class Metrics(Blame):
    def test_what_breaks_it(self):
        answer = self.blame(self.ends(4, {("p02", "2.0"): "1 / 0"}))
        self.assertEqual(self.roles(answer), ["p02 1.0 -> 2.0"])
        self.assertEqual(answer["metric"], "error")
        self.assertTrue(any("does not run" in note for note in answer["notes"]), answer["notes"])
        self.assertTrue(answer["answer"]["text"].startswith("p02 1.0 -> 2.0 breaks it (failed: "), answer["answer"]["text"])
        text = self.tell([self.scratch / "old.txt", self.scratch / "new.txt"])
        self.assertNotRegex(text, r"x\d+e|%.* here")  # no ratio of something and nothing
        self.assertIn("breaks it, both ways", text)
        self.assertIn("the old end with only it fails, the new end without only it runs", " ".join(text.split()))

    def test_two_that_break_it(self):
        text = self.tell(self.ends(4, {("p01", "2.0"): "1 / 0", ("p03", "2.0"): "1 / 0"}))
        self.assertRegex(text, r"^p0\d 1.0 -> 2.0 and p0\d 1.0 -> 2.0 each break it \(failed: ")
        self.assertNotRegex(text, r"x\d+e")

    def test_memory(self):
        self.bench = self.write("bench.py", "import p00, p01\nkept = bytearray(int(2e7 * (2 + p00.cost({}) + p01.cost({}))))\n"
                                            "kept[::4096] = b'1' * len(kept[::4096])\n")
        answer = self.blame(self.ends(2, {("p01", "2.0"): "2"}), "--metric", "memory")
        self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])

    def test_a_wrong_answer(self):
        self.bench = self.write("bench.py", "import p00, p01, p02\nprint(1e-7 * (1 + p01.cost({})))\n")
        answer = self.blame(self.ends(3, {("p01", "2.0"): "999"}), "--metric", "error")
        self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])
        self.assertAlmostEqual(answer["rows"][0]["effect"]["ratio"], 1000, delta=1)

    def test_a_wrong_answer_in_ulps(self):
        self.bench = self.write("bench.py", """import json, p00, p01, p02
check = {"reference": "exact", "max_relative_error": 1e-7, "bound": 1e-5, "pass": True, "max_ulps": 2.0 * (1 + p01.cost({}))}
print(json.dumps({"name": "bench", "samples_ns": [1000, 1000, 1000], "check": check}))
""")
        answer = self.blame(self.ends(3, {("p01", "2.0"): "7"}), "--metric", "ulps")
        self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])
        self.assertEqual(answer["metric"], "ulps")
        self.assertAlmostEqual(answer["rows"][0]["effect"]["ratio"], 8, delta=1e-6)

    def test_energy_says_what_is_in_it(self):
        self.bench = self.write("bench.py", """import json, p00, p01
print(json.dumps({"name": "bench", "samples_ns": [1000, 1000, 1000], "metrics": {"energy_j": 3.0 * (1 + p01.cost({}))}}))
""")
        ends, said = self.ends(2, {("p01", "2.0"): "1"}), "idle draw is in the energy: nothing tells how much it is"
        answer = self.blame(ends, "--metric", "energy")
        self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])
        self.assertEqual(answer["notes"].count(said), 1)
        text = self.stackx("blame", *ends, "--pi", self.bench, "--metric", "energy").stdout
        self.assertIn(said, " ".join(text.split()))
        self.assertIn("- " + said, self.stackx("blame", *ends, "--pi", self.bench, "--metric", "energy", "--format", "markdown").stdout)

    def test_a_rate_and_files(self):
        data = self.scratch / "data files"
        data.mkdir()
        (data / "n.txt").write_text("50")
        self.bench = "python bench.py n.txt"
        (data / "bench.py").write_text("import sys, p00, p01\nprint(float(open(sys.argv[1]).read()) / (1 + p01.cost({})))\n")
        answer = self.json("blame", *self.ends(2, {("p01", "2.0"): "0.25"}), "--pi", f"python '{data}/bench.py' n.txt", "--files", data,
                           "--metric", "rate")
        self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])
        self.assertAlmostEqual(answer["rows"][0]["effect"]["ratio"], 0.8, delta=1e-6)

    def test_wall_time_of_a_program_that_prints_nothing(self):
        # Of all times here this one is measured: so far apart that no other process on the machine makes up for it.
        self.bench = self.write("bench.py", "import time, p00, p01\ntime.sleep(0.1 * (1 + p00.cost({})))\n")
        answer = self.blame(self.ends(2, {("p00", "2.0"): "9"}))
        self.assertEqual(self.roles(answer), ["p00 1.0 -> 2.0"])


class GoingOn(Blame):
    def setUp(self):
        super().setUp()
        self.bench.write_text(BENCH + "import time\ntime.sleep(0.05)\n")  # it takes seconds in all, of which some are left when it is ended

    def test_killed_at_random_moments(self):
        ends = self.ends(6, {("p05", "2.0"): "0.4"})
        words = [STACKX, "blame", *map(str, ends), "--pi", str(self.bench), "--json"]
        self.stackx("blame", *ends, "--pi", self.bench, "--dry-run")  # the index is in the cache
        for moment in (0.4, 0.9, 1.7):
            process = subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moment)
            process.kill()
            process.wait()
        answer = self.blame(ends)
        self.assertEqual(self.roles(answer), ["p05 1.0 -> 2.0"])
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        slots = [(one["campaign"], one["round"], one["arm"]) for one in documents if one["$schema"] == "stackx/inspection/1"]
        self.assertEqual(len(slots), len(set(slots)))
        self.assertEqual(self.stackx("db", "check").returncode, 0)

    def test_interrupted(self):
        ends = self.ends(6, {("p05", "2.0"): "0.4"})
        process = subprocess.Popen([STACKX, "blame", *map(str, ends), "--pi", str(self.bench)], env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if line.startswith("halving"):
                break
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 130)
        self.assertIn("the same command goes on from here", out)

    def test_a_budget(self):
        ends = self.ends(6, {("p05", "2.0"): "0.4"})
        out = self.tell(ends, "--budget", "1s", exit_code=1)
        self.assertTrue(out.startswith("Not "), out)
        self.assertEqual(self.roles(self.blame(ends)), ["p05 1.0 -> 2.0"])


class Ends(Blame):
    def test_dry_run_says_what_hangs_together(self):
        ends = self.ends(4, {}, {("p01", "2.0"): ["p02==2.0"], ("p02", "2.0"): ["p01==2.0"]})
        self.db.parent.mkdir(exist_ok=True)
        self.db.write_bytes(b"")  # as one who is killed while a store is made leaves it
        text = self.tell(ends, "--dry-run")
        self.assertTrue(text.startswith("4 components differ, in 3 groups that can be told apart; 8 valid stacks between the ends;"), text)
        self.assertIn("p01 1.0 -> 2.0 with p02 1.0 -> 2.0\n      p01 2.0 requires p02 ==2.0", text)

    def test_an_environment_and_a_stack_of_the_store(self):
        old, new = self.ends(2, {("p01", "2.0"): "0.4"})
        site = self.scratch / "venv" / "lib" / f"python{HERE}" / "site-packages"
        site.mkdir(parents=True)
        (self.scratch / "venv" / "bin").mkdir()
        (self.scratch / "venv" / "bin" / "python").symlink_to(PROGRAM)
        (self.scratch / "venv" / "pyvenv.cfg").write_text(f"home = {pathlib.Path(PROGRAM).parent}\ninclude-system-site-packages = false\n")
        for name in ("p00", "p01"):
            zipfile.ZipFile(io.BytesIO(self.index.files[f"{name}-1.0-py3-none-any.whl"])).extractall(site)
        answer = self.blame([self.scratch / "venv", new], "--python", HERE)
        self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])
        stacks = {json.dumps(one["stack"]["components"] if "components" in one["stack"] else one["stack"], sort_keys=True)
                  for one in map(json.loads, self.stackx("export").stdout.splitlines()) if one["$schema"] == "stackx/inspection/1"}
        self.assertEqual(len(stacks), 4)
        with self.subTest("two stacks that were measured, by their ids"):
            ids = {}
            for one in map(json.loads, self.stackx("export").stdout.splitlines()):
                if one["$schema"] == "stackx/plan/1":
                    for arm in one["arms"]:
                        versions = arm["stack"].get("components", arm["stack"])
                        ids[versions["p00"], versions["p01"]] = arm["label"]
            answer = self.blame([ids["1.0", "1.0"], ids["1.0", "2.0"]])
            self.assertEqual(self.roles(answer), ["p01 1.0 -> 2.0"])
        with self.subTest("a report on these campaigns tells it"):
            report = self.json("report", "--pi", self.bench, "--workload", "bench")
            self.assertIn(("p01 1.0 -> 2.0", "culprit"), [(row["change"], row["role"]) for row in report["blamed"]])
            self.assertIn("## Blamed changes", self.stackx("report", "--pi", self.bench, "--workload", "bench").stdout)
        with self.subTest("compare of the two locks says how to blame"):
            text = self.stackx("compare", old, new, "--pi", self.bench, "--no-plots").stdout
            self.assertRegex(text, r"which of the changes it is says\s+`stackx blame .*`")

    def test_two_stacks_of_a_project(self):
        libraries = {"quick": ("9.9.1", self.fake_blas()), "slow": ("9.9.1", self.fake_blas(slow=300))}
        catalog = json.loads(self.fake_catalog(libraries).read_text())
        catalog["components"]["colour"] = {"kind": "setting", "versioning": "opaque", "versions": {
            one: {"environment": {"PI_COLOUR": one}} for one in ("red", "blue")}}
        self.write("catalog.json", catalog)
        project = self.project(requires={"blas": "*", "colour": "*"}, campaign={
            "stacks": [{"quick": "9.9.1", "colour": "red"}, {"slow": "9.9.1", "colour": "blue"}], "rounds": 1})
        self.stackx("inspect", project)
        (plan,) = [one for one in map(json.loads, self.stackx("export").stdout.splitlines()) if one["$schema"] == "stackx/plan/1"]
        ids = [arm["label"] for arm in plan["arms"]]
        workload = "matmul:" + ",".join(f"{key}={value}" for key, value in plan["arms"][0]["workload"]["params"].items())
        answer = self.json("blame", *ids, "--project", project, "--workload", workload)
        (row,) = [row for row in answer["rows"] if row["role"] == "culprit"]
        self.assertEqual(sorted(row["changes"]), ["quick 9.9.1 -> not there", "slow not there -> 9.9.1"])
        self.assertLess(row["effect"]["interval"][1], 0.5)
        # What no index has releases of has no first bad one to look for.
        self.assertNotIn("--versions", self.stackx("blame", *ids, "--project", project, "--workload", workload).stdout)

    def refused(self, *arguments):
        done = self.stackx("blame", *arguments, exit_code=2)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_where_it_is_measured(self):
        ends = self.ends(2, {("p01", "2.0"): "0.4"})
        here = self.json("blame", *ends, "--pi", self.bench, "--dry-run")["where"]
        self.assertTrue(here.startswith("on this machine's processors"), here)
        if not NVML.is_dir():
            self.skipTest("no look-alike of NVML was built")
        self.environment["LD_LIBRARY_PATH"] = str(NVML)  # an H200, a V100
        self.assertIn("on its NVIDIA H200 with --device 0", self.json("blame", *ends, "--pi", self.bench, "--dry-run")["where"])
        self.assertIn("Measured on the Tesla V100-SXM2-16GB.", self.tell(ends, "--dry-run", "--device", "1"))
        self.assertEqual(self.roles(self.blame(ends, "--device", "1")), ["p01 1.0 -> 2.0"])
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        self.assertEqual({one["device"] for one in documents}, {V100})
        self.assertNotEqual(self.blame(ends)["campaigns"], self.blame(ends, "--device", "1")["campaigns"])

    def test_what_others_report_of_new_versions(self):
        for version in ("1.11.0", "1.12.0"):
            self.index.add(package("torch", version))
        document = self.json("blame", "torch==1.11.0", "torch==1.12.0", "--pi", self.bench, "--dry-run")
        self.assertIn("TF32", " ".join(document["reported"]))
        self.assertIn("Reported by others, on a GPU, torch 1.12.0:", self.tell(["torch==1.11.0", "torch==1.12.0"], "--dry-run"))
        self.assertEqual(self.json("blame", "torch==1.12.0", "torch==1.11.0", "--pi", self.bench, "--dry-run")["reported"], [])

    def test_a_driver_is_the_machines(self):
        ends = self.ends(2)
        with ends[0].open("a") as old, ends[1].open("a") as new:
            old.write("driver==550.54.14\n")
            new.write("driver==580.95.05\n")
        said = self.stackx("blame", *ends, "--pi", self.bench, "--dry-run").stderr
        self.assertIn("left out: driver 550.54.14 (the machine's", " ".join(said.split()))

    def test_packages_as_words(self):
        old, new = self.ends(2)
        of_files = self.stackx("blame", old, new, "--pi", self.bench, "--dry-run").stdout
        for words in (("p00==1.0 p01==1.0", "p00==2.0 p01==2.0"), ("p00=1.0 p01=1.0", "p00=2.0 p01==2.0")):
            self.assertEqual(self.stackx("blame", *words, "--pi", self.bench, "--dry-run").stdout, of_files)
        self.assertIn("p01>=1", self.refused("p00==1.0", "p00==2.0 p01>=1", "--pi", self.bench))
        self.assertIn("packages (\"torch==2.6.0 numpy==2.1.0\")", self.refused("p00", "p00==2.0", "--pi", self.bench))

    def test_bad_input(self):
        old, new = self.ends(2)
        loose = self.write("loose.txt", "p00==1.0\np01>=1\n")
        self.assertIn("--pi COMMAND", self.refused(old, new))
        self.assertIn("loose.txt:2", self.refused(old, loose, "--pi", self.bench))
        self.assertIn("no-such.txt", self.refused(old, "no-such.txt", "--pi", self.bench))
        self.assertIn("project.json: is JSON and no lock; expected a lock (Pipfile.lock, ", self.refused(old, self.write("project.json", {"name": "x"}), "--pi", self.bench))
        self.assertIn("nowhere.py", self.refused(old, new, "--pi", "./nowhere.py"))
        # Before the index is asked: a program that is not there costs no download.
        self.assertIn("nowhere.py", self.refused(old, new, "--pi", "./nowhere.py", "--index-url", "http://127.0.0.1:9/"))
        self.assertIn('stackx has no PI "infer_llm" for Python frameworks', self.refused(old, new, "--workload", "llm", "--index-url", "http://127.0.0.1:9/"))
        self.assertIn("p00 9.9", self.refused(old, self.write("odd.txt", "p00==9.9\n"), "--pi", self.bench))
        self.assertIn("--files", self.refused(old, new, "--workload", "matmul", "--files", "."))
        self.assertIn("both ends have no framework that stackx's PIs measure", self.refused(old, new, "--workload", "matmul"))
        self.assertIn("Python 3.99", self.refused(old, new, "--pi", self.bench, "--python", "3.99"))
