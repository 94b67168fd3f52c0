"""Help, exit codes and the messages for bad input: file, place, what was expected, what to do."""

import json
import os
import re
import shutil
import subprocess

from harness import EXAMPLE, ROOT, STACKX, BlackBox
from help_texts import every_command


class Usage(BlackBox):
    def test_help_needs_no_catalogs_and_no_store(self):
        alone = self.scratch / "alone"
        alone.mkdir()
        shutil.copy(STACKX, alone / "stackx")
        for words in (["--help"], ["--version"], ["doctor", "--help"], ["hw", "--help"], ["catalog", "import", "--help"], ["resolve", "--help"], ["inspect", "--help"],
                      ["advise", "--help"], ["compare", "--help"], ["effects", "--help"], ["report", "--help"], ["verify", "--help"],
                      ["query", "--help"], ["workload", "--help"], ["db", "--help"], ["env", "--help"], ["import", "--help"],
                      ["export", "--help"], ["merge", "--help"]):
            with self.subTest(words=words):
                done = subprocess.run([alone / "stackx", *words], capture_output=True, text=True, env={}, cwd=alone)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("stackx", done.stdout)
        done = subprocess.run([alone / "stackx", "hw", "list"], capture_output=True, text=True, env={}, cwd=alone)
        self.assertEqual(done.returncode, 3)
        self.assertIn("$STACKX_DATA", done.stderr)

    def test_help_names_every_command(self):
        text = self.stackx("--help").stdout
        for command in ("doctor", "hw", "catalog", "resolve", "inspect", "advise", "effects", "export", "import"):
            self.assertRegex(text, rf"(?m)^\s+{command}\s", command)
        self.assertIn("Exit codes", text)

    def test_every_command_has_help(self):
        for command in ("doctor", "hw", "catalog", "resolve", "inspect", "advise", "effects", "export", "import"):
            self.assertIn("Usage", self.stackx(command, "--help").stdout)

    def test_usage_errors_exit_with_2(self):
        self.stackx(exit_code=2)
        self.stackx("no-such-command", exit_code=2)
        self.stackx("resolve", exit_code=2)
        self.stackx("advise", "--objective", "luck", exit_code=2)
        self.assertIn("--budget", self.stackx("inspect", EXAMPLE, "--budget", "10 furlongs", exit_code=2).stderr)

    def test_a_mistyped_command_gets_the_nearest(self):
        for words, meant in (("advice", "advise"), ("querry best", "query"), ("catalogue list", "catalog"), ("wrokload list", "workload"),
                             ("hw shwo v100", "hw show"), ("workload lst", "workload list"), ("db chek", "db check"),
                             ("advice --hw v100", "advise")):
            done = self.stackx(*words.split(), exit_code=2)
            self.assertRegex(done.stderr, rf"^stackx: no such command: .*; did you mean {meant}\?$")
            self.assertEqual(done.stdout, "")
        self.assertIn("no such command: xyzzy; there are doctor, hw, catalog, ", self.stackx("xyzzy", exit_code=2).stderr)
        self.assertIn("--nonsense", self.stackx("advise", "--nonsense", exit_code=2).stderr)

    def test_numbers_are_numbers(self):
        """Of all options that take one; not a number is no way round a bound."""
        about = ["--hw", "host", "--workload", "matmul"]
        for words in (["compare", "a=1", "b=1", *about, "--max-slower"], ["compare", "a=1", "b=1", *about, "--delta"], ["advise", *about, "--delta"],
                      ["report", *about, "--delta"], ["query", "--sql", "select 1", "--timeout"], ["resolve", EXAMPLE, "--memory"],
                      ["inspect", EXAMPLE, "--strategy", "precision", "--width"], ["inspect", EXAMPLE, "--strategy", "race", "--error"],
                      ["inspect", EXAMPLE, "--rounds"], ["inspect", EXAMPLE, "--seed"], ["inspect", EXAMPLE, "--budget"],
                      ["resolve", EXAMPLE, "--list"], ["resolve", EXAMPLE, "--sample"], ["hw", "noise", "--threads"], ["query", "best", "--limit"],
                      ["advise", *about, "--price"], ["env", "prune", "--dry-run", "--older-than"]):
            for bad in ("nan", "inf", "-inf", "NaN", "1e999", "", "1x"):
                with self.subTest(words=words, number=bad):
                    said = self.stackx(*words[:-1], f"{words[-1]}={bad}", exit_code=2).stderr
                    self.assertIn(words[-1], said)
        for option in ("--rounds", "--seed", "--sample"):
            self.assertIn(option, self.stackx("inspect", EXAMPLE, f"{option}=-1", exit_code=2).stderr)

    def test_what_a_value_should_have_been(self):
        """In few words and on one line: the parser's own bounds hold the largest number there is, in full."""
        about = ["--hw", "host", "--workload", "matmul"]
        to_import = ["catalog", "import", "pypi", "numpy", "--python", "3.11"]
        for words, said in (([*to_import, "--newest", "0"], '--newest: expected a whole number, 1 or more, found "0"'),
                            ([*to_import, "--newest", "-3"], '--newest: expected a whole number, 1 or more, found "-3"'),
                            ([*to_import, "--newest", "1" * 30], f'--newest: expected a whole number, 1 or more, found "{"1" * 30}": too large'),
                            ([*to_import, "--files", "nothing"], '--files: expected one of wheels, sdists, any, found "nothing"'),
                            ([*to_import, "--newest"], "--newest needs a value: N (Of each dependency only the newest N that each requirement on it "
                                                       "allows: a smaller catalog, with fewer stacks)"),
                            ([*to_import, "--newest", "1", "--newest", "2"], "--newest: given several times; once is enough"),
                            (["resolve", EXAMPLE, "--memory", "0"], '--memory: expected a number, above 0, found "0"'),
                            (["resolve", EXAMPLE, "--memory", "1e999"], '--memory: expected a number, above 0, found "1e999": too large'),
                            (["resolve", EXAMPLE, "--cover", "7"], '--cover: expected a whole number, from 1 to 3, found "7"'),
                            (["advise", *about, "--delta", "-1"], '--delta: expected a number, 0 or more, found "-1"'),
                            (["resolve", EXAMPLE, "--count=3"], "--count takes no value: it is given, or not"),
                            (["resolve", EXAMPLE, "--sampel", "3"], "resolve has no option --sampel; did you mean --sample?")):
            with self.subTest(words=words):
                done = self.stackx(*words, exit_code=2)
                self.assertEqual((done.stdout, done.stderr), ("", f"stackx: {said}\n"))

    def test_no_number_has_hundreds_of_digits(self):
        """Of every option of every command that has bounds, whatever is out of them."""
        for path, text in every_command().items():
            for option in re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+) .*?(?:POSITIVE|NONNEGATIVE|in \[)", text):
                ends = ["--openapi"] if path == ("serve",) else []  # which would serve for ever, where the number will do
                for number in ("0", "-1", "1e308"):
                    done = subprocess.run([STACKX, *path, *ends, f"{option}={number}"], capture_output=True, text=True, env=self.environment, cwd=self.scratch)
                    self.assertLess(max(map(len, done.stderr.splitlines()), default=0), 300, done.stderr)
                    self.assertNotRegex(done.stderr, r"\d{20}")

    def test_what_is_missing_is_called_as_it_is_typed(self):
        for words, said, usage in ((["resolve"], "PROJECT is missing: Project file (", "resolve PROJECT"),
                                   (["catalog", "import", "pypi", "numpy"], "--python X.Y is missing: Python to import for, like 3.7",
                                    "catalog import pypi REQUIREMENT... --python X.Y"),
                                   (["env"], "env: a command is missing; there are list, prune", "env COMMAND"),
                                   (["resolve", "a.json", "b.json"], '"b.json" is one word too many', "resolve PROJECT")):
            with self.subTest(words=words):
                lines = self.stackx(*words, exit_code=2).stderr.splitlines()
                self.assertTrue(lines[0].startswith(f"stackx: {said}"), lines)
                self.assertEqual(lines[1:], [f"  usage: stackx {usage}; more: stackx {' '.join(usage.split(' ')[:-1] if words[0] != 'catalog' else words[:3])} --help"])

    def test_an_option_that_is_none_before_a_word(self):
        """The word is its value, no command."""
        self.assertEqual(self.stackx("serve", "--port", "8080", exit_code=2).stderr, "stackx: serve has no option --port; stackx serve --help lists them\n")
        self.assertIn("did you mean --json?", self.stackx("--jsn", "query", "best", exit_code=2).stderr)

    def test_what_is_missing_is_said_whole(self):
        self.assertIn("PATH... is missing: JSON Lines that `stackx export` wrote (also .zst, .gz, .xz; - for stdin), or files",
                      self.stackx("import", exit_code=2).stderr)

    def test_help_fits_the_screen(self):
        """All but commands to be copied and words without a blank."""
        for path, text in every_command().items():
            for columns in ("60", "80"):
                self.environment["COLUMNS"] = columns
                folded = self.stackx(*path, "--help").stdout
                for line in folded.splitlines():
                    if not re.match(r" {6}(\S|  --)", line) and "://" not in line:  # examples, and a URL as a default
                        self.assertLessEqual(len(line), int(columns), f"{path}: {line}")
                self.assertEqual(re.sub(r"\s", "", folded), re.sub(r"\s", "", text), path)

    def test_exit_codes_of_watch_are_in_its_help(self):
        text = " ".join(self.stackx("watch", "--help").stdout.split())
        self.assertIn("10 the advice changed; 11 a regression", text)

    def test_flags_take_no_value(self):
        """--dry-run=false once ran the campaign, and --offline=-1 went to the network."""
        for words in (["inspect", EXAMPLE, "--dry-run"], ["inspect", EXAMPLE, "--dry-run", "--offline"], ["resolve", EXAMPLE, "--count"],
                      ["env", "prune", "--dry-run"], ["query", "best", "--json"]):
            for value in ("-1", "false", "0"):
                said = self.stackx(*words[:-1], f"{words[-1]}={value}", exit_code=2).stderr
                self.assertIn(words[-1].removeprefix("--"), said)

    def test_a_python_that_is_none(self):
        """Ranges are made of releases; of anything else there was a crash, or no word."""
        self.write("requirements.txt", "numpy\n")
        about = ["--workload", "matmul"]
        for bad in ("nan", "3.11rc1", "3.11+x", "3.11.*", "--"):
            for words in ((["advise", "--hw", "v100", *about], ["advise", "--hw", "zen4", *about],
                           ["advise", "--hw", "host", *about, "--lock", self.scratch / "requirements.txt"])):
                said = self.stackx(*words, f"--python={bad}", exit_code=2).stderr
                self.assertEqual(said, f'stackx: --python "{bad}": expected a version, as in 3.11\n')
            said = self.stackx("advise", "--hw", "v100", *about, "--have", f"driver={bad}", exit_code=2).stderr
            self.assertIn("as in driver=535.183.01", said)
        self.stackx("resolve", self.scratch / "requirements.txt", "--python", "nan", "--catalog", "frameworks.json", exit_code=2)

    def test_rounds_are_bounded(self):
        for rounds in ("0", "1000001", "18446744073709551615"):
            self.assertRegex(self.stackx("inspect", EXAMPLE, "--rounds", rounds, exit_code=2).stderr, f"--rounds.*1000000.*{rounds}")
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {"blas": {"kind": "package", "versions": {"1.0": {}}}}})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 2**64 - 1})
        self.assertIn("project.json: /campaign/rounds: expected at most 1000000", self.stackx("inspect", project, exit_code=2).stderr)

    def test_what_the_system_says_of_a_path_is_no_fault_of_stackx(self):
        loop = self.scratch / "loop"
        loop.symlink_to(loop)
        long = "/tmp/" + "x" * 5000
        closed = self.scratch / "closed"
        closed.mkdir(mode=0o000)
        for path in (loop, loop / "file.json", long, *([closed / "file.json"] if os.getuid() else [])):
            for words in (["resolve", path], ["catalog", "validate", path], ["import", path], ["inspect", path], ["verify", path], ["merge", path],
                          ["check", "numpy", "--catalog", path], ["db", "check", "--db", path], ["query", "best", "--db", path],
                          ["export", "-o", f"{path}/all.jsonl"]):
                with self.subTest(words=[str(word)[:60] for word in words]):
                    done = subprocess.run([STACKX, *map(str, words)], capture_output=True, text=True, env=self.environment, timeout=240)
                    self.assertNotIn("fault of stackx", done.stderr)
                    self.assertIn(done.returncode, (2, 3), done.stderr)

    def test_missing_project_is_named(self):
        self.assertIn("absent.json", self.stackx("resolve", self.scratch / "absent.json", exit_code=2).stderr)

    def test_misspelt_key_names_file_place_and_nearest(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "mkl": {"kind": "package", "versions": {"1.0": {"requirs": {}}}}}})
        message = self.stackx("resolve", self.project(requires={"mkl": "*"}), exit_code=2).stderr
        for part in ("catalog.json", "/components/mkl/versions/1.0", "requirs", '"requires"'):
            self.assertIn(part, message)

    def test_bad_specifier_names_column(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "a": {"kind": "package", "versions": {"1.0": {"requires": {"b": ">=1.0,>>2"}}}}, "b": {"kind": "package", "versions": {"1.0": {}}}}})
        message = self.stackx("resolve", self.project(requires={"a": "*"}), exit_code=2).stderr
        self.assertRegex(message, r"catalog\.json.*/components/a/versions/1\.0/requires/b.*column")

    def test_dangling_requirement_names_the_nearest(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "numpy": {"kind": "package", "versions": {"1.0": {"requires": {"openblass": "*"}}}}, "openblas": {"kind": "package", "versions": {"1.0": {}}}}})
        message = self.stackx("resolve", self.project(requires={"numpy": "*"}), exit_code=2).stderr
        self.assertIn("openblass", message)
        self.assertRegex(message, r"\bopenblas\b")

    def test_broken_json_names_line(self):
        self.write("catalog.json", '{\n "$schema": "stackx/catalog/1",\n "components": {,}\n}')
        self.assertRegex(self.stackx("resolve", self.project(), exit_code=2).stderr, r"catalog\.json.*\b3\b")

    def test_catalog_command(self):
        self.assertTrue(self.json("catalog", "validate", "blas")["valid"])
        self.assertIn("mkl", self.stackx("catalog", "show", "blas").stdout)
        self.assertIn("MKL_THREADING_LAYER", self.stackx("catalog", "show", "blas", "mkl-threading").stdout)
        self.assertIn("no-such", self.stackx("catalog", "show", "blas", "no-such", exit_code=2).stderr)

    def test_a_catalog_is_shown_as_json(self):
        listed = self.json("catalog", "show", "blas")["components"]
        self.assertEqual([one["name"] for one in listed], sorted(one["name"] for one in listed))
        mkl = self.json("catalog", "show", "blas", "mkl")
        self.assertEqual({one["name"]: one["versions"] for one in listed}["mkl"], len(mkl["versions"]))
        document = json.loads((ROOT / "specs" / "data" / "blas.json").read_text())["components"]["mkl"]
        self.assertEqual({one["version"]: one["provides"] for one in mkl["versions"]},
                         {version: entry["provides"] for version, entry in document["versions"].items()})
        self.assertIn({"if": ["mkl-threading ==intel"], "then": ["intel-openmp ==2022.*"]}, mkl["versions"][0]["requires_if"])

    def test_names_in_catalogs(self):
        """As pip reads them; close ones are suggested, those far off are no help."""
        self.assertEqual(self.stackx("catalog", "show", "blas", "MKL").stdout, self.stackx("catalog", "show", "blas", "mkl").stdout)
        refused = lambda *words: self.stackx("catalog", "show", *words, exit_code=2).stderr
        self.assertIn('did you mean "tensorflow-cpu"?', refused("frameworks", "tensorflow-cup"))
        self.assertIn("; there is tensorflow-cpu, tensorflow-estimator, ", refused("frameworks", "TensorFlow"))
        self.assertIn("that is what debian-blis, debian-openblas, mkl, ", refused("blas", "blas"))
        self.assertIn("`stackx catalog show blas` lists them", refused("blas", "pandas"))
        self.assertIn(": is a directory; expected a catalog's file", refused(self.scratch))
        self.assertNotIn("nearest known", refused("torch"))
        requirements = self.scratch / "requirements.txt"
        requirements.write_text("numpy\n")
        message = self.stackx("resolve", requirements, "--catalog", "torch", exit_code=2).stderr
        self.assertNotIn("nearest known", message)
        self.assertIn("shows those that come with stackx", message)

    def test_advise_without_measurements_says_so(self):
        text = self.stackx("advise").stdout
        self.assertIn("Speed: UNKNOWN", text)
        self.assertIn("stackx inspect", text)
        self.stackx("advise", "--require", "measured", exit_code=1)
        self.db.unlink()
        self.assertIn("stackx inspect", self.stackx("export", exit_code=2).stderr)

    def test_hw(self):
        host = self.json("hw")
        self.assertTrue(host["cpu"]["isa"])
        self.assertGreaterEqual(host["cpu"]["cores"], 1)
        self.assertIn(host["cpu"]["model"], self.stackx("hw").stdout)
