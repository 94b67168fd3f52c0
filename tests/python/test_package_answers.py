"""import stackx: what it returns, against the program and what the program itself prints."""

import importlib.util
import json
import logging
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from support import ROOT, stand_in

import stackx  # noqa: E402
from harness import STACKX, schema_errors  # noqa: E402
from made_up_store import MadeUpStore, campaign_id, stack_id  # noqa: E402

FAST, SLOW = {"openblas": "0.3.34", "threads": "1"}, {"openblas": "0.3.27", "threads": "2"}
CATALOG = "tensorflow-flask-2019-11.json"


def words(text):
    return " ".join(text.split())


class PackageCase(MadeUpStore):
    """With a store of 49 made-up inspections (24 rounds of two stacks, a crash) which tests read and none changes."""

    made = None

    def setUp(self):
        super().setUp()
        if PackageCase.made is None:
            PackageCase.made = tempfile.TemporaryDirectory(prefix="stackx-test-")
            unittest.addModuleCleanup(PackageCase.made.cleanup)
            self.made_up()
        self.db = pathlib.Path(PackageCase.made.name, "stackx.db")
        self.environment["STACKX_DB"] = str(self.db)
        self.asked = stackx.Stackx(program=STACKX, env=self.environment)

    def made_up(self):
        self.rounds([(FAST, 106), (SLOW, 100)])
        self.inspection(FAST, 1, 30, outcome="crashed", reason="signal 11", samples_ns=[])
        self.db = pathlib.Path(PackageCase.made.name, "stackx.db")
        self.store()
        self.stackx("query", "sources", "--db", self.db)  # takes in what is published

    def printed(self, *arguments, exit_code=0):
        return self.stackx(*arguments, exit_code=exit_code).stdout


class Advice(PackageCase):
    def test_the_headline_is_what_the_program_prints(self):
        advice = self.asked.advise(hw="v100", workload="matmul")
        text = self.printed("advise", "--hw", "v100", "--workload", "matmul")
        self.assertEqual(text.splitlines()[0], advice.line)
        self.assertEqual(repr(advice), f"<Advice: {advice.line}>")
        for part in (advice.command, advice.expect, advice.why, *advice.cautions):
            self.assertIn(words(part), words(text.replace("\n  ! ", " ")))
        self.assertTrue(words(text).startswith(words(str(advice).partition("\n\n")[0])))
        self.assertTrue(advice and advice.ok and advice.found)
        self.assertEqual(advice.grade, "PREDICTED")
        self.assertEqual(advice.stack["torch"], advice.document["answer"]["package"]["version"])
        speed = advice.expected[0]
        self.assertEqual((speed.of, speed.unit), ("float16", "TFLOP/s"))
        self.assertTrue(speed.interval[0] < speed.value < speed.interval[1])

    def test_what_is_there_and_what_is_required(self):
        advice = self.asked.advise(hw="a100", have={"driver": "535.183.01", "python": 3.11}, require="measured")
        self.assertEqual((advice.found, advice.ok, bool(advice)), (True, False, False))  # no more than a prediction
        self.assertEqual((advice.stack["driver"], advice.stack["python"].rpartition(".")[0]), ("535.183.01", "3.11"))

    def test_no_stack_is_an_answer(self):
        project = self.write("requirements.txt", "tensorflow-gpu==1.14\n")
        advice = self.asked.advise("h100", project=project)
        self.assertFalse(advice or advice.found)
        self.assertEqual((advice.command, advice.stack, advice.grade, advice.expected), (None, {}, None, ()))
        self.assertTrue(str(advice).startswith("No stack to run matmul on H100: "), str(advice))

    def test_a_lock_that_does_not_run_and_options_without_a_name_of_their_own(self):
        lock = self.write("lock.txt", "torch==2.7.1+cu128\n")
        self.assertFalse(self.asked.advise("v100", lock=lock).found)
        settle = self.scratch / "settle.json"
        advice = self.asked.advise("v100", type="latest", explain=True, settle=settle, rows=3, pareto=False)
        self.assertIn("not_known", advice.document)
        self.assertEqual(json.loads(settle.read_text())["$schema"], "stackx/project/1")

    def test_measured_here(self):
        advice = self.asked.advise(workload="matmul:m=512,n=512,k=512")
        self.assertEqual((advice.grade, advice.stack), ("MEASURED", FAST))


class Check(PackageCase):
    def test_yes_no_unknown(self):
        for what, hw, answer in (("torch==2.4.0", "a100", "yes"), ("torch==2.7.1+cu128", "v100", "no"),
                                 ("torch==2.99", "b200", "unknown")):
            with self.subTest(answer):
                check = self.asked.check(what, hw=hw)
                self.assertEqual((check.answer, check.ok, bool(check)), (answer, answer == "yes", answer == "yes"))
                self.assertEqual(self.asked.check(what, hw=hw, strict=True), check)
                text = self.printed("check", what, "--hw", hw, exit_code=1 if answer == "no" else 0)
                self.assertEqual(text.splitlines()[0], check.line)
                for part in check.because[1:]:
                    self.assertIn(words(part), words(text))

    def test_the_nearest_that_runs(self):
        check = self.asked.check("torch==2.7.1+cu128", hw="v100")
        self.assertEqual(check.nearest.changes, {"torch": ("2.7.1+cu128", "2.7.1")})
        self.assertEqual(check.nearest.install, ("torch==2.7.1",))
        self.assertTrue(str(check).endswith("instead: torch==2.7.1"), str(check))
        self.assertTrue(self.asked.check(*check.nearest.install, hw="v100"))

    def test_driver_python_and_files(self):
        file = self.write("requirements.txt", "torch==2.4.0\nnvidia-cudnn-cu12==9.1.0.70\n")
        check = self.asked.check(file, hw="a100", driver="535.183.01", python="3.11")
        self.assertEqual((check.stack["driver"], check.stack["python"]), ("535.183.01", "3.11.0"))
        self.assertEqual(check.pythons, ("3.11",))
        self.assertEqual(check.driver and check.driver[:2], ">=")
        self.assertFalse(self.asked.check(str(file), hw="a100", driver="400.1"))

    def test_without_words_the_running_python_is_meant(self):
        check = stackx.Stackx(program=self.stand_in_that_prints_its_words()).check(hw="v100")
        self.assertIn(f"--python-env={sys.prefix}", check.because)
        check = stackx.Stackx(program=self.stand_in_that_prints_its_words()).check(hw="v100", python_env="elsewhere")
        self.assertIn("--python-env=elsewhere", check.because)
        if pathlib.Path(sys.prefix, "bin", "python").exists():  # Debian's own has a python3 alone
            self.assertIn(self.asked.check(hw="v100").answer, ("yes", "no", "unknown"))

    def stand_in_that_prints_its_words(self):
        return stand_in(self.scratch / "echo", """
            printf '{"answer":"yes","text":"-","stack":{},"pythons":[],"nearest":null,"because":["-"'
            printf ',"%s"' "$@"
            echo ]}""")

    def test_a_requirement_is_never_an_option(self):
        with self.assertRaisesRegex(stackx.BadInput, '"--deep": column 1: .* a requirement starts with the name'):
            self.asked.check("torch", "--deep", hw="v100")

    def test_a_list_is_a_clear_error(self):
        with self.assertRaisesRegex(stackx.BadInput, r"not a list; of several: check\(\*requirements\)"):
            self.asked.check(["torch"], hw="v100")


class Comparison(PackageCase):
    def test_verdict_and_limit(self):
        found = self.asked.compare("openblas=0.3.34", "openblas=0.3.27")
        self.assertEqual((found.verdict, found.n, found.ok), ("FASTER", 24, True))
        self.assertTrue(1.04 < found.interval[0] < found.ratio < found.interval[1] < 1.08)
        self.assertRegex(repr(found), r"<Comparison: FASTER x1\.0\d\d \[1\.0\d\d, 1\.0\d\d\], n=24>")
        limit = self.asked.compare("openblas=0.3.34", "openblas=0.3.27", max_slower=1)
        self.assertEqual((limit.verdict, limit.ok, limit.document["limit"]["exceeded"]), ("FASTER", False, True))
        self.assertTrue(self.asked.compare(stack_id(SLOW)[:9], stack_id(FAST)[:9], max_slower=1, confidence=99))

    def test_nothing_measured_is_an_answer(self):
        found = self.asked.compare("openblas=0.3.34", "openblas=0.3.27", workload="conv2d")
        self.assertEqual((found.verdict, found.ratio, found.interval, found.n, found.ok), (None, None, None, 0, False))
        self.assertTrue(found.line)


class Resolution(PackageCase):
    def test_counts_and_stacks(self):
        project = ROOT / "examples" / "framework-matmul" / "project.json"
        found = self.asked.resolve(project)
        self.assertEqual(str(found.valid), found.document["valid_stacks"])
        self.assertEqual(str(found.combinations), found.document["raw_combinations"])
        self.assertTrue(found and found.valid < found.combinations)
        stacks = self.asked.stacks(project, sample=20, seed=42)
        self.assertEqual([stack.id for stack in stacks], [stack_id(stack.components) for stack in stacks])
        self.assertEqual(len(stacks), 20)
        self.assertIsNone(stacks[0].score)
        self.assertEqual([stack.score for stack in self.asked.stacks(project, top=2)], [0, 0])

    def test_no_valid_stack_says_why(self):
        project = self.write("requirements.txt", "flask==0.1\nwerkzeug==99\n")
        found = self.asked.resolve(project, catalog=[CATALOG])
        self.assertEqual((found.valid, found.ok, found.why), (0, False, ("root: werkzeug ==99",)))
        self.assertIn("werkzeug", found.fixes[0])
        self.assertEqual(self.asked.stacks(project, catalog=CATALOG, list=3), [])

    def test_which_stacks_has_to_be_said(self):
        with self.assertRaisesRegex(stackx.BadInput, "expected list=N, sample=N, top=K or cover=T"):
            self.asked.stacks("project.json")


class Tables(PackageCase):
    def test_inspections(self):
        rows = self.asked.inspections()
        self.assertEqual(len(rows), 49)
        self.assertEqual({row["outcome"] for row in rows}, {"ok", "crashed"})
        self.assertEqual([row["finished"] for row in rows], sorted(row["finished"] for row in rows))
        ours = self.asked.stream("export", f"--campaign={campaign_id('first')}")
        medians = {one["id"][:16]: sorted(one["samples_ns"])[1] for one in ours if one.get("samples_ns")}
        self.assertEqual({row["inspection"]: row["median_ns"] for row in rows if row["outcome"] == "ok"}, medians)
        self.assertEqual([row["components"] for row in rows if row["stack"] == stack_id(SLOW)], [SLOW] * 24)

    def test_inspections_of_something(self):
        cpu = self.asked.sql("SELECT hardware FROM series")[0]["hardware"]
        for filter, count in (
                ({"component": "openblas>=0.3.30"}, 25), ({"component": "openblas"}, 49), ({"component": "numpy"}, 0),
                ({"workload": "matmul"}, 49), ({"workload": "matmul:k=512,m=512,n=512"}, 49), ({"workload": "mat"}, 0),
                ({"hw": cpu}, 49), ({"hw": cpu.split()[0].upper()}, 49), ({"hw": cpu[:-1]}, 0), ({"hw": "no such"}, 0),
                ({"stack": stack_id(SLOW)[:7]}, 24), ({"campaign": campaign_id("first")[:7]}, 49),
                ({"campaign": "x' OR 1=1 --"}, 0), ({"since": "2026-11-20T17:20"}, 9), ({"limit": 5}, 5)):
            with self.subTest(filter):
                self.assertEqual(len(self.asked.inspections(**filter)), count)
        with self.assertRaisesRegex(stackx.BadInput, "expected a name"):
            self.asked.inspections(component=">=2")

    def test_query(self):
        rows = self.asked.query("best", hw="host", workload="matmul")
        self.assertEqual(rows[0]["stack"], FAST)
        total = self.asked.run("query", "hardware", "--limit", "1")["total"]
        self.assertEqual(len(self.asked.query("hardware")), total)
        self.assertTrue(all(row["component"] == "torch" for row in self.asked.query("upgrades", component="torch")))
        with self.assertRaisesRegex(stackx.BadInput, "nope"):
            self.asked.query("best", nope=1)

    def test_sql(self):
        rows = self.asked.sql("SELECT 1 AS a, NULL AS b, 'é' AS c, 0.5 AS d")
        self.assertEqual(rows, [{"a": 1, "b": None, "c": "é", "d": 0.5}])
        with self.assertRaisesRegex(stackx.BadInput, "^--sql: no such table: nope"):
            self.asked.sql("SELECT * FROM nope")

    def test_hardware(self):
        models = {row["id"]: row for row in self.asked.hardware()}
        self.assertEqual((models["v100-sxm2-16gb"]["compute_capability"], models["zen4"]["kind"]), ("7.0", "cpu"))

    def test_an_unknown_format_and_a_missing_library(self):
        with self.assertRaisesRegex(stackx.BadInput, "as_='numpy': expected one of 'records', 'pandas', 'polars'"):
            self.asked.sql("SELECT 1", as_="numpy")
        with unittest.mock.patch.dict(sys.modules, {"polars": None}):
            with self.assertRaisesRegex(stackx.BadInput, r"not installed here: pip install stackx\[polars\]"):
                self.asked.hardware(as_="polars")

    def test_pandas(self):
        self.frames("pandas", lambda frame: frame.to_dict("records"),
                    lambda frame: frame.groupby("stack")["median_ns"].median().to_dict())

    def test_polars(self):
        self.frames("polars", lambda frame: frame.to_dicts(),
                    lambda frame: dict(frame.select("stack", "median_ns").group_by("stack").median().rows()))

    def frames(self, library, records, medians):
        """The same rows as records, with columns that can be computed with; also of tables that are empty or mixed."""
        if importlib.util.find_spec(library) is None:
            self.skipTest(f"{library} is not installed in the tests' Python; ./run test installs it")
        rows = self.asked.inspections(component="openblas<0.3.30")
        frame = self.asked.inspections(component="openblas<0.3.30", as_=library)
        self.assertEqual(records(frame), rows)
        middle = sorted(row["median_ns"] for row in rows)[11:13]
        self.assertAlmostEqual(medians(frame)[stack_id(SLOW)], sum(middle) / 2)
        empty = self.asked.inspections(hw="no such", as_=library)
        self.assertEqual((len(empty), list(empty.columns)), (0, list(rows[0])))
        mixed = self.asked.sql("SELECT 1 AS a UNION ALL SELECT NULL UNION ALL SELECT 2.5", as_=library)
        self.assertEqual(float(mixed["a"].sum()), 3.5)
        self.assertEqual(len(self.asked.hardware(as_=library)), len(self.asked.hardware()))
        best = self.asked.query("best", hw="host", as_=library)
        self.assertEqual(list(best.columns), list(self.asked.query("best", hw="host")[0]))


class AnyCommand(PackageCase):
    def test_run_stream_text(self):
        self.assertIn("models", self.asked.run("hw", "show", "v100"))
        impossible = self.write("requirements.txt", "werkzeug==99\n")
        self.assertIsNone(self.asked.run("resolve", impossible, f"--catalog={CATALOG}", "--list=1"))
        self.assertIn("torch==", self.asked.text("advise", "--hw=v100", "--format=requirements"))
        self.assertEqual(self.asked.run("check", "-", "--hw=t4", given="torch==2.4.1\n")["answer"], "yes")
        some = self.asked.stream("export")
        self.assertIn("$schema", next(some))
        some.close()
        with self.assertRaisesRegex(stackx.StackxError, r"several JSON documents, which stream\(\) takes"):
            self.asked.run("hw", "list")
        with self.assertRaisesRegex(stackx.StackxError, r"no JSON; text\(\) takes"):
            self.asked.run("man")
        self.assertRegex(self.asked.run("--version")["stackx"], r"^\d+\.\d+\.\d+$")

    def test_module_functions_ask_the_usual_store(self):
        with unittest.mock.patch.dict(os.environ, self.environment, STACKX_PROGRAM=STACKX):
            self.assertEqual(stackx.sql("SELECT count(*) AS n FROM inspections"), [{"n": 49}])
            self.assertEqual(stackx.find_program(), STACKX)

    def test_remarks_are_logged(self):
        with self.assertLogs("stackx", logging.INFO) as log:
            self.asked.advise("v100", workload="gemm")
        self.assertIn("gemm is taken for matmul", "".join(log.output))

    def test_documents_that_hold_no_more_than_their_schema_promises(self):
        for name, read in (("check", stackx.Check.of), ("advice", lambda document: stackx.Advice.of(document, True))):
            schema = json.loads((ROOT / "specs" / "schemas" / f"{name}.json").read_text())
            document = least(schema, schema)
            self.assertEqual(schema_errors(name, [document]), [""])
            self.assertTrue(str(read(document)))


def least(schema, node):
    """The smallest document of a schema, as far as those of answers go."""
    if "$ref" in node:
        return least(schema, schema["$defs"][node["$ref"].rpartition("/")[2]])
    if "const" in node or "enum" in node:
        return node.get("const", node.get("enum", [None])[0])
    if "anyOf" in node:
        return least(schema, node["anyOf"][0])
    kind = node["type"] if isinstance(node["type"], str) else node["type"][0]
    if kind == "object":
        return {key: least(schema, node["properties"][key]) for key in node.get("required", ())}
    if kind == "string" and "pattern" in node:
        return "2026-11-20"
    return {"array": [], "string": "x", "boolean": True, "number": 1, "integer": 1, "null": None}[kind]


if __name__ == "__main__":
    unittest.main()
