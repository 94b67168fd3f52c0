"""`stackx query`: every question in every format over made-up stores, read-only SQL, and what strangers may have written."""

import csv
import io
import json
import pathlib
import re
import sqlite3
import statistics

from made_up_store import MadeUpStore, WORKLOAD, stack_id

QUESTIONS = ("best", "worst-variance", "regressions", "coverage", "failures", "hardware", "sources")
VIEWS = pathlib.Path(__file__).resolve().parents[3] / "store" / "VIEWS.md"


def stack(openblas, numpy="1.26.4"):
    return {"cpu": "host", "numpy": numpy, "openblas": openblas}


class QueryTest(MadeUpStore):
    def setUp(self):
        super().setUp()
        # No evidence that comes with stackx: it has tests of its own.
        data = pathlib.Path(self.scratch) / "catalogs"
        data.mkdir()
        here = VIEWS.parents[1] / "specs" / "data"
        for file in here.glob("*.json"):
            (data / file.name).write_bytes(file.read_bytes())
        self.environment["STACKX_DATA"] = str(data)

    def three_versions(self):
        """0.3.24 is 10 % slower than 0.3.23, 0.3.25 is as 0.3.24; another numpy does not matter."""
        rates = {"0.3.23": 100.0, "0.3.24": 90.0, "0.3.25": 90.0}
        return self.rounds([(stack(v), r) for v, r in rates.items()] + [(stack("0.3.23", "2.0.1"), 100.0)],
                           count=24, noise=0.001)

    def query(self, *arguments, exit_code=0):
        return self.json("query", *arguments, exit_code=exit_code)

    def sql(self, text, *arguments, exit_code=0):
        done = self.stackx("query", "--sql", text, "--json", *arguments, exit_code=exit_code)
        return json.loads(done.stdout) if exit_code == 0 else done.stderr


class Questions(QueryTest):
    def test_every_question_in_every_format(self):
        self.three_versions()
        self.inspection(stack("0.3.26"), 50, 0, outcome="crashed", reason="signal 11", samples_ns=[], exit_code=None)
        self.store()
        identity = stack_id(stack("0.3.23"))
        for question in (*QUESTIONS, "history"):
            more = ("--stack", identity) if question == "history" else ()
            code = 1 if question == "sources" else 0
            document = self.query(question, *more, exit_code=code)
            self.assertEqual(document["question"], question)
            self.assertEqual(bool(document["rows"]), question != "sources")
            text = self.stackx("query", question, *more, "--format", "csv", exit_code=code).stdout
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual(len(rows), len(document["rows"]), question)
            for line, row in zip(rows, document["rows"]):
                self.assertEqual(set(line), set(row))
                for key, value in row.items():
                    if value is None:
                        self.assertEqual(line[key], "")
                    elif isinstance(value, (int, float)) and not isinstance(value, bool):
                        self.assertEqual(float(line[key]), value)
            table = self.stackx("query", question, *more, exit_code=code).stdout
            self.assertNotIn("\x1b", table)  # no terminal, no colour
            self.assertEqual(json.loads(self.stackx("query", question, *more, "--format", "json",
                                                    exit_code=code).stdout), document)

    def test_the_answer_comes_first_in_words(self):
        """Of each question what it found, of nothing that it is nothing; in JSON as `text`."""
        self.three_versions()
        self.inspection(stack("0.3.26"), 50, 0, outcome="crashed", reason="signal 11", samples_ns=[], exit_code=None)
        self.store()
        self.environment["COLUMNS"] = "100"
        identity = stack_id(stack("0.3.23"))
        for words, said, code in ((("best",), "The fastest of 4 measured stacks is numpy 2.0.1, openblas 0.3.23: ", 0),
                                  (("best", "--top", "1"), "The fastest of 4 measured stacks is ", 0),
                                  (("best", "--component", "openblas=0.3.25"), "The only measured stack, ", 0),
                                  (("best", "--since", "2100-01-01"), "Nothing of this is measured, and nothing published.", 1),
                                  (("regressions",), "1 of 4 steps to the next version, all other components the same, is shown to be slower: 1 SLOWER,", 0),
                                  (("regressions", "--component", "numpy"), "None of 1 step to the next version, ", 0),
                                  (("regressions", "--component", "numpy", "--verdict", "slower"), "None of 1 step to the next version, ", 0),
                                  (("regressions", "--since", "2100-01-01"), "No step from one version to the next was measured.", 1),
                                  (("failures",), "1 of 97 inspections failed, 1 of 5 stacks; ", 0),
                                  (("failures", "--component", "openblas<0.3.26"), "Nothing failed: 96 inspections of 4 stacks.", 0),
                                  (("failures", "--since", "2100-01-01"), "Nothing of this is measured.", 1),
                                  (("coverage",), "Measured: 97 inspections of 1 pair of hardware and workload.", 0),
                                  (("coverage", "--since", "2100-01-01"), "Nothing of this is measured.", 1),
                                  (("worst-variance",), "The widest spread has ", 0),
                                  (("worst-variance", "--least", "99"), "No stack here has 99 inspections or more that tell its spread.", 1),
                                  (("history", "--stack", identity), f"Stack {identity[:12]}: 1 occasion, the latest first.", 0),
                                  (("hardware",), "Hardware that there are results of: 1 model.", 0)):
            with self.subTest(words=words):
                text = " ".join(self.stackx("query", *words, exit_code=code).stdout.split())
                self.assertTrue(text.startswith(said), text[:200])
                self.assertTrue(self.query(*words, exit_code=code)["text"].startswith(said))

    def test_tables_fit_the_screen(self):
        """But for words without a blank."""
        self.three_versions()
        self.store()
        for columns in (60, 80):
            self.environment["COLUMNS"] = str(columns)
            for question in QUESTIONS[:-1]:
                for line in self.stackx("query", question, exit_code=0).stdout.splitlines():
                    self.assertTrue(len(line) <= columns or question == "hardware", line)
                    self.assertNotRegex(line, ": -(;|$)")  # what a row lacks is not named below it

    def test_names_that_no_result_bears(self):
        self.three_versions()
        self.store()
        self.assertRegex(self.stackx("query", "best", "--hw", "v10", exit_code=2).stderr, '--hw "v10": no such hardware .*the nearest are v100')
        note = 'no stack with a result has a component "numpyy"; did you mean "numpy"?'
        self.assertIn(note, self.query("best", "--component", "numpyy>=2", exit_code=1)["notes"])
        self.assertIn("""SQL goes behind --sql: stackx query --sql 'SELECT * FROM campaigns'""",
                      self.stackx("query", "SELECT * FROM campaigns", exit_code=2).stderr)

    def test_one_equals_sign_is_two(self):
        """As compare takes it."""
        self.three_versions()
        self.store()
        for sign in ("=", "==", "==="):
            row, = self.query("best", "--component", f"openblas{sign}0.3.25")["rows"]
            self.assertEqual(row["stack"]["openblas"], "0.3.25")

    def test_best_ranks_by_median_and_says_what_is_proven(self):
        logs = self.three_versions()
        self.store()
        rows = self.query("best", "--workload", "matmul:m=512")["rows"]
        self.assertEqual([r["rank"] for r in rows], [1, 2, 3, 4])
        self.assertEqual({r["evidence"] for r in rows}, {"measured"})
        slow = {r["stack"]["openblas"]: r for r in rows if r["stack"]["numpy"] == "1.26.4"}
        self.assertEqual(slow["0.3.24"]["verdict"], "SLOWER")
        self.assertEqual(slow["0.3.25"]["verdict"], "SLOWER")
        self.assertLess(slow["0.3.24"]["ratio_high"], 1 / 1.01)
        self.assertAlmostEqual(slow["0.3.24"]["value"], statistics.median(2.718281828459045 ** row[1] for row in logs), 4)
        self.assertEqual(slow["0.3.24"]["inspections"], 24)
        self.assertLess(slow["0.3.24"]["ci_low"], slow["0.3.24"]["value"])
        self.assertEqual([r["stack_id"] for r in self.query("best", "--top", "2")["rows"]],
                         [r["stack_id"] for r in rows[:2]])

    def test_a_regression_is_a_verdict(self):
        self.three_versions()
        self.store()
        document = self.query("regressions")
        steps = {(r["component"], r["older_version"], r["newer_version"]): r for r in document["rows"]}
        self.assertEqual(set(steps), {("openblas", "0.3.23", "0.3.24"), ("openblas", "0.3.24", "0.3.25"),
                                      ("numpy", "1.26.4", "2.0.1")})
        worst = steps["openblas", "0.3.23", "0.3.24"]
        self.assertEqual((worst["verdict"], worst["rounds"]), ("SLOWER", 24))
        self.assertTrue(worst["ci_low"] < 0.9 < worst["ci_high"] < 1 / 1.01, worst)
        self.assertEqual(steps["openblas", "0.3.24", "0.3.25"]["verdict"], "EQUIVALENT")
        self.assertEqual(document["rows"][0]["verdict"], "SLOWER")
        self.assertEqual((document["summary"]["family"], document["summary"]["SLOWER"]), (3, 1))
        self.assertEqual(len(self.query("regressions", "--verdict", "slower")["rows"]), 1)
        # The family is what was asked about: alone, the interval is narrower.
        alone = self.query("regressions", "--component", "openblas==0.3.24")["rows"]
        self.assertEqual([r["newer_version"] for r in alone], ["0.3.24"])
        self.assertLessEqual(alone[0]["coverage"], worst["coverage"])

    def test_a_version_of_another_campaign_parts_no_verdict(self):
        self.rounds([(stack("0.3.23"), 100.0), (stack("0.3.26"), 90.0)], campaign="one")
        self.rounds([(stack("0.3.24"), 100.0), (stack("0.3.27"), 90.0)], campaign="another")
        self.store()
        rows = {(r["older_version"], r["newer_version"]): (r["verdict"], r["rounds"]) for r in self.query("regressions")["rows"]}
        self.assertEqual(rows, {("0.3.23", "0.3.26"): ("SLOWER", 24), ("0.3.24", "0.3.27"): ("SLOWER", 24), ("0.3.23", "0.3.24"): ("UNRESOLVED", 0),
                                ("0.3.24", "0.3.26"): ("UNRESOLVED", 0), ("0.3.26", "0.3.27"): ("UNRESOLVED", 0)})
        rows = self.query("regressions", "--component", "openblas==0.3.26")["rows"]
        self.assertEqual([(r["older_version"], r["verdict"]) for r in rows], [("0.3.23", "SLOWER"), ("0.3.24", "UNRESOLVED")])

    def test_a_new_version_keeps_the_step_over_one_that_it_ran_with(self):
        self.rounds([(stack("0.3.23"), 100.0), (stack("0.3.25"), 90.0)], campaign="one")
        self.rounds([(stack("0.3.23"), 100.0), (stack("0.3.24"), 100.0)], campaign="another")
        self.store()
        rows = {(r["older_version"], r["newer_version"]): r["verdict"] for r in self.query("regressions")["rows"]}
        self.assertEqual(rows, {("0.3.23", "0.3.25"): "SLOWER", ("0.3.23", "0.3.24"): "EQUIVALENT", ("0.3.24", "0.3.25"): "UNRESOLVED"})

    def test_settings_and_hardware_have_no_upgrades(self):
        for count in ("1", "2"):
            self.rounds([({"openblas": "0.3.23", "threads": count}, 100.0 * int(count))], count=8)
        self.store()
        self.assertEqual(self.query("regressions", exit_code=1)["rows"], [])
        rows = self.query("regressions", "--component", "threads")["rows"]
        self.assertEqual([(r["older_version"], r["newer_version"]) for r in rows], [("1", "2")])

    def test_versions_compare_as_versions(self):
        self.rounds([(stack(v), 100.0) for v in ("0.3.9", "0.3.10")], count=8)
        self.store()
        row, = self.query("regressions")["rows"]
        self.assertEqual((row["older_version"], row["newer_version"]), ("0.3.9", "0.3.10"))
        self.assertEqual(len(self.query("best", "--top", "9", "--component", "openblas>0.3.9")["rows"]), 1)

    def test_failures_have_an_exact_interval(self):
        for number in range(10):
            self.inspection(stack("0.3.23"), 100, number)
            bad = {} if number < 7 else {"outcome": "crashed", "reason": "signal 11", "samples_ns": [], "exit_code": None}
            self.inspection(stack("0.3.24"), 100, number, **bad)
        self.store()
        rows = {(r["component"], r["version"]): r for r in self.query("failures")["rows"]}
        self.assertNotIn(("openblas", "0.3.23"), rows)
        row = rows["openblas", "0.3.24"]
        self.assertEqual((row["failed"], row["inspections"], row["outcomes"]), (3, 10, {"crashed": 3}))
        self.assertEqual((row["others_failed"], row["others_inspections"]), (0, 10))
        # Clopper and Pearson's interval of 3 in 10, as their paper's tables have it.
        self.assertAlmostEqual(row["share_low"], 0.0667, 4)
        self.assertAlmostEqual(row["share_high"], 0.6525, 4)

    def test_worst_variance_wants_enough_inspections(self):
        self.rounds([(stack("0.3.23"), 100.0)], count=5, noise=0.2)
        self.rounds([(stack("0.3.24"), 100.0)], count=6, noise=0.01)
        self.store()
        self.assertEqual([r["stack"]["openblas"] for r in self.query("worst-variance")["rows"]], ["0.3.24"])
        both = self.query("worst-variance", "--least", "5")["rows"]
        self.assertEqual([r["stack"]["openblas"] for r in both], ["0.3.23", "0.3.24"])
        self.assertEqual([r["inspections"] for r in both], [5, 6])

    def test_history_compares_campaigns(self):
        self.rounds([(stack("0.3.23"), 100.0)], count=20, noise=0.001, campaign="first")
        for document in self.documents:
            document["finished"] = document["finished"].replace("2026-11-20", "2026-10-01")
        from made_up_store import sealed
        self.documents = [sealed({k: v for k, v in d.items() if k != "id"}) for d in self.documents]
        self.rounds([(stack("0.3.23"), 50.0)], count=20, noise=0.001, campaign="second")
        self.store()
        document = self.query("history", "--stack", stack_id(stack("0.3.23"))[:10])
        late, early = document["rows"]
        self.assertEqual((early["date"][:10], late["date"][:10]), ("2026-10-01", "2026-11-20"))
        self.assertEqual((early["verdict"], early["looks"]), (None, None))
        self.assertEqual((late["verdict"], late["looks"], late["inspections"]), ("UNRESOLVED", "slower", 20))
        self.assertTrue(late["ratio_low"] < late["ratio_vs_previous"] < late["ratio_high"] < 0.7, late)
        told = " ".join(self.stackx("query", "history", "--stack", document["summary"]["stack_id"]).stdout.split())
        self.assertIn("share no round", told)
        self.assertIn("looks slower ×0.", told)
        self.assertNotIn("SLOWER", told)
        self.assertEqual(len(self.query("history", "--stack", document["summary"]["stack_id"], "--campaign",
                                        late["campaign"][:8])["rows"]), 1)
        self.assertIn("--stack", self.stackx("query", "history", exit_code=2).stderr)

    def test_a_metric_that_nothing_tells_is_said_with_what_to_do(self):
        self.rounds([(stack("0.3.23"), 100.0)], count=8)
        self.store()
        for words in (("best",), ("worst-variance",), ("history", "--stack", stack_id(stack("0.3.23"))[:10])):
            with self.subTest(words=words):
                told = self.query(*words, "--metric", "energy", exit_code=None)["text"]
                self.assertTrue(told.startswith("None of 8 inspections tells its energy: no counter of it (RAPL, NVML) could be read"), told)
                self.assertIn("`stackx doctor` says whether this machine has one", told)
        report = self.stackx("report", "--hw", "host", "--workload", "matmul", "--metric", "energy", exit_code=1).stdout
        self.assertTrue(report.startswith("# None of 8 inspections tells its energy: "), report[:200])

    def test_without_a_workload_those_there_are_are_named(self):
        self.rounds([(stack("0.3.23"), 100.0)], count=8)
        self.rounds([(stack("0.3.23"), 100.0)], count=6, campaign="second", workload={"pi": "conv2d", "params": {"n": "1"}})
        self.store()
        self.assertIn(" Name one: --workload matmul (8 inspections), conv2d (6).", self.query("best")["text"])
        self.assertNotIn("Name one", self.query("best", "--workload", "matmul")["text"])

    def test_coverage_counts_stacks_and_versions(self):
        self.three_versions()
        self.store()
        row, = self.query("coverage")["rows"]
        self.assertEqual((row["stacks"], row["inspections"]), (4, 96))
        self.assertEqual(row["versions"], {"cpu": 1, "numpy": 2, "openblas": 3})

    def test_coverage_of_a_project_is_exact(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "openblas": {"kind": "package", "versions": {v: {} for v in ("0.3.23", "0.3.24")}},
            "numpy": {"kind": "package", "versions": {"1.26.4": {"requires": {"openblas": "*"}},
                                                      "2.0.1": {"requires": {"openblas": ">0.3.23"}}}}}})
        project = self.project(requires={"numpy": "*"})
        for versions in ({"numpy": "1.26.4", "openblas": "0.3.23"}, {"numpy": "1.26.4", "openblas": "0.3.24"},
                         {"numpy": "2.0.1", "openblas": "0.3.23"}):  # the last is no stack of the project
            self.inspection(versions, 100)
        self.store()
        document = self.query("coverage", "--project", project)
        rows = {r["what"]: (r["inspected"], r["valid"]) for r in document["rows"]}
        self.assertEqual(rows["stacks"], (2, "3"))
        self.assertEqual(rows["versions of components"], (3, "4"))
        self.assertEqual(rows["pairs of versions"], (2, "3"))
        self.assertEqual(document["summary"]["other_stacks"], 1)
        self.assertEqual([r["missing"] for r in document["rows"] if r["what"] == "numpy"], [["2.0.1"]])
        self.inspection({"numpy": "2.0.1", "openblas": "0.3.24"}, 100, 1)
        self.store()
        self.assertEqual({r["share"] for r in self.query("coverage", "--project", project)["rows"]}, {1.0})

    def test_filters(self):
        other = dict(WORKLOAD, params=dict(WORKLOAD["params"], m="64"))
        self.rounds([(stack("0.3.23"), 100.0), (stack("0.3.24", "2.0.1"), 90.0)], count=6)
        self.rounds([(stack("0.3.23"), 10.0)], count=6, workload=other, campaign="second")
        self.store()
        def inspections(*filters, exit_code=0):
            return sum(r["inspections"] for r in self.query("coverage", *filters, exit_code=exit_code)["rows"])
        self.assertEqual(inspections(), 18)
        self.assertEqual(inspections("--workload", "matmul:m=64"), 6)
        self.assertEqual(inspections("--component", "numpy>=2"), 6)
        self.assertEqual(inspections("--component", "numpy>=2", "--component", "openblas<0.3.24", exit_code=1), 0)
        self.assertEqual(inspections("--component", "numpy"), 18)
        self.assertEqual(inspections("--stack", stack_id(stack("0.3.23"))), 12)
        self.assertEqual(inspections("--since", "2026-11-20"), 18)
        self.assertEqual(inspections("--since", "2099-01-01", exit_code=1), 0)
        self.assertEqual(inspections("--hw", "host"), 18)
        self.stackx("query", "coverage", "--hw", "no-such-thing", exit_code=2)
        limited = self.query("best", "--limit", "1")
        self.assertEqual((len(limited["rows"]), limited["total"]), (1, 2))
        for wrong, words in ((("--since", "yesterday"), "30d"), (("--since", "2026-02-30"), "30d"),
                             (("--component", ">=2"), "numpy>=2"), (("--component", "numpy>>2"), "column"),
                             (("--stack", "xyz"), "hex"), (("--workload", ":"), "workload")):
            self.assertIn(words, self.stackx("query", "coverage", *wrong, exit_code=2).stderr, wrong)

    def test_an_unknown_question_names_the_nearest(self):
        self.assertIn('did you mean "failures"', self.stackx("query", "failure", exit_code=2).stderr)
        self.stackx("query", exit_code=2)
        self.stackx("query", "best", "--views", exit_code=2)
        self.stackx("query", "best", "--project", "p.json", exit_code=2)

    def test_nothing_measured_says_what_there_is(self):
        self.rounds([(stack("0.3.23"), 100.0)], count=2)
        self.store()
        document = self.query("best", "--workload", "conv2d", exit_code=1)
        self.assertEqual(document["rows"], [])
        self.assertTrue(any("--workload matmul" in note for note in document["notes"]), document)

    def test_hostile_names_stay_text(self):
        evil = "0.3.23'; DROP TABLE series; --"
        hostile = {"cpu": "host", 'open"blas': "1", "b,c": "x\x1b[31mred\x07", "ünï": "1\r\n2", "quote'": evil}
        self.inspection(hostile, 100.0, outcome="crashed", reason="\x1b]0;title\x07", samples_ns=[], exit_code=None)
        self.inspection(dict(hostile, cpu="other"), 100.0, 1)
        done = self.stackx("import", self.write("hostile.jsonl", "\n".join(json.dumps(d) for d in self.documents) + "\n"),
                           exit_code=None)
        for question in QUESTIONS:
            table = self.stackx("query", question, exit_code=None).stdout
            self.assertFalse(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", table), question)
            rows = self.json("query", question, exit_code=None)["rows"]
            text = self.stackx("query", question, "--format", "csv", exit_code=None).stdout
            self.assertEqual(len(list(csv.DictReader(io.StringIO(text, newline="")))), len(rows), question)
        if self.sql("SELECT count(*) FROM series")["rows"] != [[0]]:
            versions = [row[0] for row in self.sql("SELECT DISTINCT version FROM stack_components")["rows"]]
            self.assertIn(evil, versions, done.stdout)


class Sql(QueryTest):
    def setUp(self):
        super().setUp()
        self.logs = self.three_versions()
        self.store()

    def test_views_hold_what_was_measured(self):
        rows = self.sql("SELECT c.version, s.ok, s.median, s.unit FROM series s JOIN stack_components c USING (stack) JOIN "
                        "stack_components n USING (stack) WHERE c.component = 'openblas' AND n.component = 'numpy' AND "
                        "n.version = '1.26.4' ORDER BY c.version")
        self.assertEqual(rows["columns"], ["version", "ok", "median", "unit"])
        self.assertEqual([(row[0], row[1], row[3]) for row in rows["rows"]],
                         [(v, 24, "GFLOP/s") for v in ("0.3.23", "0.3.24", "0.3.25")])
        # The medians from the samples, by the view of inspections.
        again = self.sql("SELECT series, 1e12 / median_ns(samples), sample_count(samples), samples_json(samples), finished "
                         "FROM inspections ORDER BY series")["rows"]
        self.assertEqual(len(again), 96)
        self.assertEqual({row[0] for row in self.sql("SELECT arm FROM inspections JOIN series USING (series) "
                                                     "WHERE arm <> substr(stack, 1, 12)")["rows"]}, set())
        by_series = {}
        for series, rate, count, samples, finished in again:
            self.assertEqual(count, 3)
            self.assertAlmostEqual(rate, 1e12 / statistics.median(json.loads(samples)), 6)
            self.assertTrue(finished.startswith("2026-11-20T17:"))
            by_series.setdefault(series, []).append(rate)
        for series, median in self.sql("SELECT series, median FROM series")["rows"]:
            self.assertAlmostEqual(median, statistics.median(by_series[series]), 6)
        self.assertEqual(self.sql("SELECT count(*) FROM steps WHERE slower = rounds")["rows"], [[1]])
        self.assertEqual(self.sql("SELECT older_version, newer_version FROM steps WHERE component = 'numpy'")["rows"],
                         [["1.26.4", "2.0.1"]])
        self.assertEqual(self.sql("SELECT count(*) FROM stack_components WHERE version_in(version, '>=2')")["rows"], [[1]])

    def test_every_view_can_be_read(self):
        document = self.json("query", "--views")
        for view in document["views"]:
            answer = self.sql(f"SELECT * FROM {view['name']} LIMIT 3")
            self.assertEqual(answer["columns"], [column["name"] for column in view["columns"]])
            kinds = {"text": str, "integer": int, "real": float, "blob": str}
            for row in answer["rows"]:
                for value, column in zip(row, view["columns"]):
                    if value is not None:
                        self.assertIsInstance(value, kinds[column["type"]], (view["name"], column))

    def test_views_are_documented(self):
        text = VIEWS.read_text()
        for view in self.json("query", "--views")["views"]:
            self.assertIn(f"## {view['name']}\n\n{view['meaning']}\n", text)
            for column in view["columns"]:
                self.assertIn(f"| `{column['name']}` | {column['type']} | {column['meaning']} |\n", text)
        for function in self.json("query", "--views")["functions"]:
            self.assertIn(f"| `{function['call']}` | {function['meaning']} |\n", text)
        self.assertEqual(re.findall(r"^## (\w+)$", text, re.M),
                         [v["name"] for v in self.json("query", "--views")["views"]])
        plain = self.stackx("query", "--views").stdout
        for view in self.json("query", "--views")["views"]:
            self.assertIn(view["name"] + ": ", plain)

    def test_nothing_but_reading_the_views(self):
        before = self.db.read_bytes()
        other = self.scratch / "other.db"
        for text in ("DELETE FROM series", "UPDATE series SET ok = 1", "INSERT INTO failures VALUES (1, 'x', 1)",
                     "DROP TABLE main.series", "CREATE TEMP TABLE t(x)", "PRAGMA query_only = 0", "PRAGMA user_version",
                     f"ATTACH '{other}' AS o", f"VACUUM INTO '{other}'", "SELECT load_extension('x')", "BEGIN", "ANALYZE",
                     "SELECT * FROM sqlite_schema", "SELECT * FROM sqlite_temp_schema", "SELECT id FROM main.series",
                     "SELECT * FROM arms", "SELECT * FROM pragma_table_info('series')", "REINDEX",
                     f"SELECT writefile('{other}', 'x')", "SELECT readfile('/etc/passwd')", "SELECT 1; SELECT 2", "", ";",
                     "-- nothing", "SELECT ?", "SELEC 1", "SELECT * FROM serie", "SELECT x FROM series",
                     "SELECT * FROM dbstat", "WITH x AS (SELECT 1) DELETE FROM series", "EXPLAIN DELETE FROM main.series"):
            message = self.sql(text, exit_code=2)
            if text:
                self.assertIn("The views are series, inspections,", message, text)
                self.assertIn("stackx query --views", message, text)
        self.assertEqual(self.db.read_bytes(), before)
        self.assertFalse(other.exists())
        self.assertIn('did you mean "series"?', self.sql("SELECT * FROM serie", exit_code=2))

    def test_what_is_allowed(self):
        for text in ("VALUES (1, 2)", "SELECT 1;", "SELECT 1 -- end", "WITH x AS (SELECT * FROM series) SELECT count(*) FROM x",
                     "EXPLAIN QUERY PLAN SELECT * FROM inspections", "EXPLAIN SELECT 1",
                     "SELECT json_extract(components, '$.openblas') FROM stacks",
                     "SELECT value FROM inspections, json_each(samples_json(samples)) LIMIT 2",
                     "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT max(i) FROM n",
                     "SELECT count(*) FROM series", "SELECT quantile_ns(samples, 0.9) FROM inspections"):
            self.assertTrue(self.sql(text)["rows"], text)

    def test_what_runs_away_is_stopped(self):
        endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        self.assertIn("stopped after 0.2 s", self.sql(endless, "--timeout", "0.2", exit_code=2))
        self.assertIn("too big", self.sql("SELECT zeroblob(1000000000)", exit_code=2))

    def test_errors_of_functions_are_the_users(self):
        for text, words in (("SELECT version_in('1', 'foo')", "version_in"), ("SELECT quantile_ns(x'02', 2)", "0 to 1"),
                            ("SELECT median_ns(x'80')", "median_ns")):
            self.assertIn(words, self.sql(text, exit_code=2))
        self.assertEqual(self.sql("SELECT version_in('x y', '>=1'), median_ns(NULL), median_ns(x'')")["rows"], [[None, None, None]])

    def test_formats(self):
        text = "SELECT 1 AS a, 2.5 AS a, 'x,\"y\"' AS b, NULL AS c, x'00ff' AS d"
        self.assertEqual(self.sql(text), {"columns": ["a", "a", "b", "c", "d"], "rows": [[1, 2.5, 'x,"y"', None, "00ff"]],
                                          "more": False})
        lines = list(csv.reader(io.StringIO(self.stackx("query", "--sql", text, "--format", "csv").stdout, newline="")))
        self.assertEqual(lines, [["a", "a", "b", "c", "d"], ["1", "2.5", 'x,"y"', "", "00ff"]])
        table = self.stackx("query", "--sql", "SELECT 'x' || char(27) || '[31m' AS evil").stdout
        self.assertNotIn("\x1b", table)
        limited = self.sql("SELECT series FROM inspections", "--limit", "3")
        self.assertEqual((len(limited["rows"]), limited["more"]), (3, True))

    def test_a_store_that_nobody_may_write_is_read(self):
        self.sql("SELECT 1")
        self.db.chmod(0o444)
        self.assertEqual(self.sql("SELECT count(*) FROM inspections")["rows"], [[96]])
        self.assertEqual(len(self.query("best")["rows"]), 4)

    def test_sums_left_behind_are_made_first(self):
        with sqlite3.connect(self.db) as database:
            database.execute("UPDATE series SET median = 1")
            database.execute("INSERT INTO stale SELECT id FROM series")
        database.close()
        row = self.query("best")["rows"][0]
        self.assertGreater(row["value"], 50)
