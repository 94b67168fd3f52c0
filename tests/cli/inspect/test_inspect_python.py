"""`stackx inspect requirements.txt`: the releases that the index has are measured by the user's own command, or by a PI of stackx."""

import json
import pathlib
import unittest

from harness import STACKX
from python_stack import HERE, PROGRAM, wheel
from watched_project import Watch

BENCH = "from victim import SECONDS\nprint(SECONDS)\n"


class Releases(Watch):
    """Of `victim`, whose releases say how long they take."""

    def setUp(self):
        super().setUp()
        for version, seconds in (("1.0", 0.03), ("2.0", 0.01), ("3.0", 0.05)):
            self.release(version, seconds)

    def words(self, *options):
        return ["inspect", self.requirements, "--pi", self.bench, "--python", HERE, *options]

    def inspect(self, *options, exit_code=0):
        return self.json(*self.words(*options), exit_code=exit_code)

    def refused(self, *words):
        done = self.stackx("inspect", *words, exit_code=2)
        self.assertEqual((done.stdout, self.documents() if self.db.exists() else []), ("", []))
        return " ".join(done.stderr.split())

    def measured(self):
        return sorted((one["stack"]["victim"], one["outcome"]) for one in self.documents())

    def test_which_release_is_fastest(self):
        self.stackx(*self.words("--rounds", "6"))
        self.assertEqual(self.measured(), sorted([(version, "ok") for version in ("1.0", "2.0", "3.0")] * 6))
        best = self.json("advise", "--workload", "bench", "--pi", self.bench, "--explain")["recommendations"][0]["stack"]["components"]
        self.assertEqual((best["victim"], best["python"]), ("2.0", HERE))

    def test_lines_of_the_file_hold(self):
        self.requirements.write_text("victim<3,>1\n")
        self.inspect("--rounds", "1")
        self.assertEqual(self.measured(), [("2.0", "ok")])

    def test_a_python_behind_a_script(self):
        """pyenv's `python` is one; uv, which keeps nothing of those, is told once which program it stands for."""
        shims, asked = self.scratch / "shims", self.scratch / "asked"
        shims.mkdir()
        for name in ("python", "python3"):
            script = self.write(f"shims/{name}", f'#!/bin/sh\ncase "$*" in *get_interpreter_info*) echo >>"{asked}" ;; esac\nexec "{PROGRAM}" "$@"\n')
            script.chmod(0o755)
        self.environment["PATH"] = f"{shims}:{self.environment['PATH']}"
        self.environment.pop("VIRTUAL_ENV", None)
        self.inspect("--rounds", "1")
        self.assertEqual(self.measured(), [(version, "ok") for version in ("1.0", "2.0", "3.0")])
        self.assertEqual(asked.read_text(), "\n")

    def test_plan(self):
        """What would be measured and fetched: nothing is."""
        told = self.stackx(*self.words("--dry-run")).stdout
        for version in ("1.0", "2.0", "3.0"):
            self.assertIn(f"victim={version}", told)
        self.assertIn("3 stacks, 10 rounds: 30 inspections; to fetch: ", told)
        self.assertFalse(self.db.exists())

    def test_words_of_the_command(self):
        self.bench.write_text("import sys\nprint(float(sys.argv[1]))\n")
        self.json("inspect", self.requirements, "--pi", f"{self.bench} 0.25", "--prints", "rate", "--python", HERE, "--rounds", "1")
        self.assertEqual({one["workload"]["params"]["arguments"] for one in self.documents()}, {"0.25"})

    def test_offline_asks_nobody(self):
        self.inspect("--rounds", "1")
        asked = len(self.index.asked)
        self.inspect("--rounds", "1", "--offline")
        self.assertEqual((len(self.index.asked), len(self.measured())), (asked, 6))

    def test_resume(self):
        first = self.inspect("--rounds", "4", "--budget", "5")
        self.release("4.0", 0.02)  # the plan stays as it is
        again = self.inspect("--resume", "--budget", "10m", "--budget", "100")
        self.assertEqual((first["done"], again["campaign"], again["done"], again["planned"]), (5, first["campaign"], 12, 12))

    def test_resume_holds_to_what_measures(self):
        self.inspect("--rounds", "4", "--budget", "5")
        for pi in (f"{self.bench} --batch 8", self.write("other.py", BENCH + "# another\n")):
            with self.subTest(pi=pi):
                done = self.stackx("inspect", self.requirements, "--pi", pi, "--python", HERE, "--resume", exit_code=2)
                self.assertIn("that campaign is measured by", done.stderr)
        self.assertEqual(len(self.measured()), 5)

    def test_packages_as_words(self):
        for words, versions in (("victim>1,<=3", {"2.0", "3.0"}), ("victim >1, <3", {"2.0"}), ("victim", {"1.0", "2.0", "3.0"})):
            with self.subTest(words=words):
                done = self.stackx("inspect", words, "--pi", self.bench, "--python", HERE, "--dry-run", "--json")
                self.assertEqual({arm["stack"]["victim"] for arm in json.loads(done.stdout)["arms"]}, versions)
                self.assertEqual("taken for the package" in done.stderr, words == "victim")
        self.assertIn("other: the package index has no such project", self.refused("victim==2.0 other", "--pi", self.bench, "--python", HERE))
        first = self.json("inspect", "victim<3", "--pi", self.bench, "--python", HERE, "--rounds", "2", "--budget", "2")
        again = self.json("inspect", "victim<3", "--pi", self.bench, "--python", HERE, "--resume", "--budget", "100")
        self.assertEqual((again["campaign"], again["done"]), (first["campaign"], 4))

    def test_how_many_can_work(self):
        self.release("1.0", 0, name="other", requires=("victim<3",))
        for words, told in (((self.requirements,), ": 3 valid stacks out of 3 combinations"), (("victim>1",), "victim>1: 2 valid stacks out of 2"),
                            (("victim other",), "victim other: 2 valid stacks out of 3"), (("victim==2.0", "--offline"), "victim==2.0: 1 valid stack ")):
            with self.subTest(words=words):
                self.assertIn(told, self.stackx("resolve", *words, "--python", HERE).stdout)
        self.assertRegex(self.stackx("resolve", "other", "--python", HERE, "--list", "1").stdout, "^[0-9a-f]{12}  other=1.0 python=\\S+ victim=2.0\n$")

    def test_one_stack_a_release(self):
        """What it requires besides is as new as can be, and no version to be compared."""
        for version in ("1.0", "2.0", "3.0"):
            self.release(version, 0, name="other")
        self.release("4.0", 0, requires=("other",))
        self.release("5.0", 0, requires=("other<3",))
        plan = self.json("inspect", "victim>=4", "--pi", self.bench, "--python", HERE, "--dry-run")
        self.assertEqual([(arm["stack"]["victim"], arm["stack"]["other"]) for arm in plan["arms"]], [("5.0", "2.0"), ("4.0", "3.0")])
        plan = self.json("inspect", "victim", "--pi", self.bench, "--python", HERE, "--dry-run", "--sample", "2")
        self.assertEqual((len(plan["arms"]), plan["arms"][0]["stack"]["victim"]), (2, "5.0"))

    def test_a_directory_with_one_project(self):
        plan = self.json("inspect", self.requirements.parent, "--pi", self.bench, "--python", HERE, "--dry-run")
        self.assertEqual(len(plan["arms"]), 3)
        empty = self.scratch / "empty"
        empty.mkdir()
        self.write("pyproject.toml", "[project]\nname = 'x'\nversion = '1'\ndependencies = ['victim']\n")
        self.assertRegex(self.refused(self.requirements.parent, "--pi", self.bench), "is a directory; name one of the projects in it: .*pyproject.toml, ")
        self.assertIn("is a directory; expected a project a project is ", self.refused(empty, "--pi", self.bench))

    def test_what_was_measured_is_meant(self):
        """Whoever measured with a program of his own need not repeat what stackx calls it."""
        self.inspect("--rounds", "6")
        for command in ("advise", "effects", "report"):
            with self.subTest(command=command):
                done = self.stackx(command, "--pi", self.bench)
                self.assertRegex(done.stderr, r"(?m)^no --workload: bench is all that was measured on \S+$")
                self.assertIn("victim 2.0", " ".join(done.stdout.replace("1.0 -> 2.0", "victim 2.0").split()))
        told = self.stackx("report", exit_code=1).stdout
        digest = self.documents()[0]["program"]["sha256"]
        self.assertRegex(told, rf"What is measured:\n  --hw \S+ --workload bench --pi {digest[:12]}\n")
        campaign = self.documents()[0]["campaign"]
        self.assertIn("bench is all that was measured by that campaign", self.stackx("effects", "--campaign", campaign).stderr)

    def test_verify_what_no_catalog_knows(self):
        """The command that `advise` ends with."""
        self.inspect("--rounds", "6")
        advice = self.write("advice.json", self.stackx("advise", "--pi", self.bench, "--json").stdout)
        told = self.stackx("verify", advice, "--pi", self.bench, "--rounds", "6").stdout
        self.assertIn("The claim holds: the advised stack is faster here", " ".join(told.split()))
        self.assertIn("name that program: --pi FILE", self.stackx("verify", advice, exit_code=2).stderr)

    def test_verify_starts_a_plain_program_as_the_advice_did(self):
        """Also where a catalog knows the packages, so that they are no question to the index."""
        self.inspect("--rounds", "6")
        catalog, = (pathlib.Path(self.environment["XDG_CACHE_HOME"]) / "stackx/inspect").glob("*-index.json")
        advice = self.write("advice.json", self.stackx("advise", "--pi", self.bench, "--json").stdout)
        self.assertTrue(json.loads(advice.read_text())["program"]["plain"])
        told = self.stackx("verify", advice, "--pi", self.bench, "--catalog", catalog, "--rounds", "6").stdout
        self.assertIn("The claim holds: the advised stack is faster here", " ".join(told.split()))

    def test_verify_says_why_nothing_ran(self):
        self.inspect("--rounds", "6")
        advice = self.write("advice.json", self.stackx("advise", "--pi", self.bench, "--json").stdout)
        broken = self.write("broken.py", "raise SystemExit('no such file: weights.bin')\n")
        told = " ".join(self.stackx("verify", advice, "--pi", broken, "--rounds", "6", exit_code=1).stdout.split())
        self.assertRegex(told, "^The claim is undecided: no round has both: .*no such file: weights.bin")

    def test_files_are_named_to_verify(self):
        """No document says which of this machine's files a program sees."""
        data = self.scratch / "data"
        data.mkdir()
        self.inspect("--rounds", "6", "--files", data)
        advice = self.write("advice.json", self.stackx("advise", "--pi", self.bench, "--json").stdout)
        self.assertIn(f"--files {data}", " ".join(self.stackx("advise", "--pi", self.bench).stdout.split()))
        refused = " ".join(self.stackx("verify", advice, "--pi", self.bench, exit_code=2).stderr.split())
        self.assertIn("name such a directory: --files DIR", refused)
        told = self.stackx("verify", advice, "--pi", self.bench, "--files", data, "--rounds", "6").stdout
        self.assertIn("The claim holds", " ".join(told.split()))

    def test_a_campaign_speaks_of_its_own_stacks(self):
        """What another measured, and nobody compared with these, does not lead it; a program's questions are of its results alone."""
        self.inspect("--rounds", "6")
        self.requirements.write_text("victim!=2.0\n")
        told = " ".join(self.stackx(*self.words("--rounds", "6")).stdout.split())
        self.assertIn("victim 1.0 is FASTEST", told)
        self.assertNotIn("2.0", told.split("Next:")[0].split("campaign")[0])
        self.assertNotIn("No step from one version", self.stackx("query", "regressions", "--pi", self.bench).stdout)
        self.assertEqual({row["evidence"] for row in self.json("query", "best", "--pi", self.bench)["rows"]}, {"measured"})

    def test_verify_packages_with_extras(self):
        self.release("1.0", 0, name="other")
        for version, seconds in (("4.0", 0.03), ("5.0", 0.01)):
            self.release(version, seconds, requires=('other; extra == "fast"',))
        self.json("inspect", "victim[fast]>3", "--pi", self.bench, "--python", HERE, "--rounds", "6")
        self.assertEqual({tuple(sorted(one["stack"])) for one in self.documents()}, {("other", "python", "victim", "victim+fast")})
        answer = self.stackx("advise", "--pi", self.bench).stdout
        self.assertIn("pip install other==1.0 victim[fast]==5.0", answer.replace('"', ""))
        advice = self.write("advice.json", self.stackx("advise", "--pi", self.bench, "--json").stdout)
        told = self.stackx("verify", advice, "--pi", self.bench, "--rounds", "6").stdout
        self.assertIn("The claim holds: the advised stack is faster here", " ".join(told.split()))

    def test_refused(self):
        self.requirements.write_text("numpy\n")
        self.assertIn('--workload: stackx\'s PI matmul has no parameter "mm"', self.refused(self.requirements, "--workload", "matmul:mm=4"))
        self.requirements.write_text("victim\n")
        project = self.write("project.json", {"$schema": "stackx/project/1", "name": "x", "catalogs": ["blas.json"], "requires": {"blas": "*"}})
        empty = self.write("requirements-none.txt", "# nothing\n")
        for words, told in (
                ((self.requirements,), "a Python project does not say what is measured: expected one of --pi COMMAND"),
                ((self.requirements, "--pi", self.bench, "--workload", "matmul"), "expected one of --pi COMMAND"),
                ((self.requirements, "--workload", "matmul"), "asks for no framework that stackx's PIs measure; name a program of your own"),
                ((self.requirements, "--pi", self.bench, "--runner", "container"), "--runner container: needs a base image"),
                ((self.requirements, "--pi", self.bench, "--relax", "python"), "which Python measures a Python project says --python"),
                ((self.requirements, "--workload", "matmul", "--files", self.scratch), "--files: shows a directory to the command of --pi"),
                ((empty, "--pi", self.bench), "asks for no package: nothing to measure"),
                ((project, "--python", "3.11"), "--files and --python belong to Python projects")):
            with self.subTest(words=words):
                self.assertIn(told, self.refused(*words))

    def test_nothing_on_the_index(self):
        self.requirements.write_text("victim>9\n")
        done = self.stackx(*self.words(), exit_code=None)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("victim", done.stdout)


class OnGpu(Watch):
    """On a machine with a GPU, here a made-up one."""

    UUID = "GPU-00000000-0000-0000-0000-000000000000"

    def setUp(self):
        super().setUp()
        self.environment["LD_LIBRARY_PATH"] = str(pathlib.Path(STACKX).resolve().parent / "tests" / "fakes" / "gpu" / "right")
        self.bench.write_text("import os\nprint(0.5 if os.environ.get('CUDA_VISIBLE_DEVICES') else 0.25)\n")
        self.release("1.0", 0)

    def measured(self, *options):
        self.json("inspect", "victim==1.0", "--pi", self.bench, "--python", HERE, "--rounds", "1", *options)
        one = self.documents()[-1]
        return one["device"], one["workload"]["params"], one["samples_ns"][0]

    def test_a_command_is_of_the_gpu_that_is_named(self):
        self.assertEqual(self.measured("--device", "0"), (self.UUID, {"device": "gpu"}, 500_000_000))
        answer = self.stackx("advise", "--hw", "NVIDIA Fake", "--pi", self.bench).stdout
        self.assertIn("MEASURED here (NVIDIA Fake)", answer)

    def test_else_of_the_processor(self):
        device, params, time = self.measured()
        self.assertEqual((device, params, time), (self.documents()[-1]["device"], {}, 250_000_000))
        self.assertNotEqual(device, self.UUID)

    def test_frameworks_with_cuda_compute_there(self):
        for package in ("torch", "jax", "numpy"):
            self.index.add(wheel(package, "1.0"))
        for words, workload, device, plan_device in (("torch==1.0", "matmul", "gpu", self.UUID), ("torch", "matmul:device=cpu", "cpu", None),
                                                     ("torch", "import", None, None), ("numpy", "matmul", None, None), ("jax", "matmul", None, None)):
            with self.subTest(words=words, workload=workload):
                done = self.stackx("inspect", words, "--workload", workload, "--python", HERE, "--dry-run", "--json")
                plan = json.loads(done.stdout)
                self.assertEqual((plan["arms"][0]["workload"]["params"].get("device"), plan.get("device")), (device, plan_device))
                self.assertEqual("on the NVIDIA Fake; with device=cpu on the processor" in done.stderr, device == "gpu")


class PythonOfTheProject(Watch):
    def test_resolve_takes_one_that_the_project_allows(self):
        """This machine's is not python=3.7, and that one need not be here."""
        self.index.add(wheel("victim", "1.0"))
        file = self.write("environment.yml", "dependencies:\n  - python=3.7\n  - pip:\n    - victim\n")
        self.assertIn("1 valid stack ", self.stackx("resolve", file).stdout)


class WithoutGpu(Watch):
    """What the usual index has comes with CUDA, also where nothing computes with it: said before it is downloaded."""

    CPU = "https://download.pytorch.org/whl/cpu"

    def setUp(self):
        super().setUp()
        self.environment["CUDA_VISIBLE_DEVICES"] = ""
        for name, version, requires in (("torch", "2.15.0", ("nvidia-cublas", "nvidia-cudnn-cu13")), ("numpy", "2.5.0", ()),
                                        ("nvidia_cublas", "13.2.0", ()), ("nvidia_cudnn_cu13", "9.26.0", ()),
                                        ("jax", "0.12.0", ('nvidia-cublas; extra == "cuda13"',))):
            self.index.add(wheel(name, version, requires=requires))

    def plan(self, words, *options):
        done = self.stackx("inspect", words, "--workload", "matmul:n=64", "--python", HERE, "--dry-run", *options)
        return " ".join(done.stdout.split()), " ".join(done.stderr.split())

    def test_builds_without_it_are_named(self):
        told, _ = self.plan("torch==2.15.0")
        self.assertIn("No GPU is to be seen on this machine: of 3 wheels, 2 wheels are CUDA's libraries, of no use here; "
                      f"PyTorch's builds for processors do here: add --index-url {self.CPU} ", told)
        told, _ = self.plan("torch==2.15.0 numpy")
        self.assertIn(f"ask for such (torch==2.15.0+cpu), with PIP_EXTRA_INDEX_URL={self.CPU} ", told)

    def test_extras_that_bring_it_are_named(self):
        told, _ = self.plan("jax[cuda13]==0.12.0")
        self.assertIn("of no use here; what brings them can be left out: jax[cuda13] ", told)

    def test_nothing_is_said_of_others(self):
        self.index.add(wheel("torch", "2.15.0+cpu"))
        for words in ("torch==2.15.0+cpu", "numpy", "jax"):
            with self.subTest(words=words):
                self.assertNotIn("No GPU", " ".join(self.plan(words)))

    def test_gigabytes_of_no_use_are_not_fetched_unasked(self):
        self.index.sizes = {file: 2_000_000_000 for file in self.index.files if file.startswith("nvidia")}
        words = ("inspect", "torch==2.15.0", "--workload", "matmul:n=64", "--python", HERE)
        said = " ".join(self.stackx(*words, exit_code=2).stderr.split())
        self.assertIn("2 wheels of 4.0 GB are CUDA's libraries, of no use here", said)
        self.assertIn("; --yes downloads all the same", said)
        self.assertIn("of 4.0 GB", self.plan("torch==2.15.0")[0])  # as the plan says it

    def test_a_plan_stays_a_document(self):
        told, remark = self.plan("torch==2.15.0", "--json")
        self.assertEqual(json.loads(told)["arms"][0]["stack"]["torch"], "2.15.0")
        self.assertIn(f"add --index-url {self.CPU}", remark)


class Frameworks(Watch):
    """A workload of stackx's own is done by the framework that the project asks for."""

    def test_framework_is_named(self):
        self.index.add(wheel("numpy", "1.0"))
        self.requirements.write_text("numpy\n")
        plan = self.json("inspect", self.requirements, "--workload", "matmul:n=64", "--python", HERE, "--dry-run")
        workload = plan["arms"][0]["workload"]
        self.assertEqual((workload["pi"], workload["params"]["framework"], workload["params"]["n"]), ("matmul", "numpy", "64"))
        by_name = self.json("inspect", self.requirements, "--workload", "numpy:n=64", "--python", HERE, "--dry-run")
        self.assertEqual(by_name["arms"][0]["workload"], workload)

    def test_what_cannot_be_measured_is_refused_before_the_index_is_asked(self):
        self.requirements.write_text("numpy\n")
        for workload, told in (("llm", '--workload: stackx has no PI "infer_llm" for Python frameworks'),
                               ("jax matmul", "asks for numpy; add jax there, or leave the framework out")):
            said = self.stackx("inspect", self.requirements, "--workload", workload, "--index-url", "http://127.0.0.1:9/", exit_code=2).stderr
            self.assertIn(told, " ".join(said.split()))


