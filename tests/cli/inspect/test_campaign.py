"""The whole path on small libraries: inspect -> store -> advise, outcomes, export and import."""

import collections
import json
import re
import signal
import subprocess
import time
import unittest

from harness import EXAMPLE, ROOT, STACKX, BlackBox, this_machine


class Campaign(BlackBox):
    def outcomes(self):
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        found = collections.defaultdict(collections.Counter)
        for document in documents:
            if document["$schema"] == "stackx/inspection/1":
                library = next(iter(document["stack"]))
                found[library][document["outcome"]] += 1
        return found

    def test_right_wrong_crashing_and_mistaken_libraries(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas()), "also-right": ("9.9.2", self.fake_blas("9.9.2")),
                           "wrong-product": ("9.9.3", self.fake_blas("9.9.3", fault=1)),
                           "crashing": ("9.9.4", self.fake_blas("9.9.4", fault=2)),
                           "mistaken": ("8.0", self.fake_blas("9.9.5")),
                           "absent": ("1.0", self.scratch / "no-such-library.so")})
        summary = self.json("inspect", self.project())
        self.assertEqual(summary["outcomes"]["ok"], 6)
        outcomes = self.outcomes()
        self.assertEqual(outcomes["right"], {"ok": 3})
        self.assertEqual(outcomes["wrong-product"], {"wrong_result": 3})
        self.assertEqual(outcomes["crashing"], {"crashed": 3})
        self.assertEqual(outcomes["mistaken"], {"wrong_stack": 3})
        self.assertEqual(outcomes["absent"], {"unsupported": 1})  # one result; repeating it would teach nothing

        advice = self.json("advise", "--hw", "host", "--workload", "matmul")
        ranked = [next(iter(row["stack"]["components"])) for row in advice["recommendations"]]
        self.assertEqual(set(ranked), {"right", "also-right"})
        for row in advice["recommendations"]:
            self.assertEqual((row["inspections"], row["evidence"]), (3, "measured"))
            self.assertGreater(row["rate"]["median"], 0)
            self.assertEqual(row["rate"]["unit"], "GFLOP/s")
            self.assertIsNotNone(row["cv"])
        self.assertEqual(advice["answer"]["grade"], "MEASURED")
        self.assertIn(next(iter(advice["answer"]["stack"])), ("right", "also-right"))
        table = self.stackx("advise", "--explain").stdout
        self.assertIn("wrong_result", table)
        self.assertIn("right", table)
        self.stackx("advise", "--workload", "matmul:m=4096", "--require", "measured", exit_code=1)
        self.assertIn("no such hardware", self.stackx("advise", "--hw", "no-such-machine", exit_code=2).stderr)
        # This machine by its fingerprint.
        host = self.json("advise", "--hw", self.lines("export")[1]["device"][:12])
        self.assertEqual([row["stack"] for row in host["recommendations"]], [row["stack"] for row in advice["recommendations"]])

    def test_a_catalog_of_the_users_own_adds_what_is_inspected(self):
        def catalog(name, library, version, **more):
            return self.write(name, {"$schema": "stackx/catalog/1", **more, "components": {library: {"kind": "package", "versions": {
                version: {"provides": {"blas": version}, "artifacts": [
                    {"type": "path", "file": str(self.fake_blas(version)), "library": str(self.fake_blas(version))}]}}}}})
        catalog("catalog.json", "shipped", "9.9.1")
        own = catalog("own.json", "ours", "9.9.2", overlay=True)
        self.assertNotIn("ours", self.stackx("inspect", self.project(), "--dry-run").stdout)
        plan = self.stackx("inspect", self.project(), "--dry-run", "--catalog", own).stdout
        self.assertIn("ours=9.9.2", plan)
        self.assertIn("shipped=9.9.1", plan)
        self.json("inspect", self.project(), "--catalog", own)
        self.assertEqual(self.outcomes(), {"shipped": {"ok": 3}, "ours": {"ok": 3}})
        self.assertIn('--catalog: there is no catalog "nowhere.json"', self.stackx("inspect", self.project(), "--catalog", "nowhere.json", exit_code=2).stderr)
        # Of the user's directory counts, as everywhere, what concerns components that the project's catalogs have.
        (self.scratch / "config/stackx/catalogs").mkdir(parents=True)
        catalog("config/stackx/catalogs/a.json", "shipped", "9.9.3", overlay=True)
        catalog("config/stackx/catalogs/b.json", "ours", "9.9.2", overlay=True)
        self.environment["XDG_CONFIG_HOME"] = str(self.scratch / "config")
        plan = self.stackx("inspect", self.project(), "--dry-run").stdout
        self.assertIn("shipped=9.9.3", plan)
        self.assertNotIn("ours", plan)

    def test_result_document_says_what_ran(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        told = self.stackx("inspect", self.project(), "--rounds", "3").stderr
        self.assertRegex(told, r"noise: \d+ of \d+ checks quiet; `stackx hw noise` shows all")
        plan, *documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        document = documents[0]
        self.assertEqual(plan["$schema"], "stackx/plan/1")
        self.assertEqual(document["campaign"], plan["id"])
        self.assertTrue(0 <= document.get("steal", 0) <= 1)
        with open("/proc/stat", encoding="ascii") as file:
            self.assertEqual("steal" in document, len(file.readline().split()) > 8)
        self.assertEqual(document["loaded"]["right"], "9.9.1")
        self.assertTrue(document["check"]["pass"])
        self.assertLess(document["check"]["max_relative_error"], document["check"]["bound"])
        self.assertEqual(len(document["samples_ns"]), 3)
        per_product = 2 * 48 * 40 * 56
        self.assertEqual(document["work"]["flop"] % per_product, 0)
        self.assertGreaterEqual(document["work"]["flop"], per_product)
        self.assertIn("run", {phase["name"] for phase in document["phases"]})
        with self.subTest("samples are as long as the project says, at the rate of the moment in which that was found out"):
            params = {**document["workload"]["params"], "min_sample_ms": 300}
            self.stackx("inspect", self.project(workload={"pi": "matmul", "params": params}), "--rounds", "1")
            longer = max((json.loads(line) for line in self.stackx("export").stdout.splitlines()), key=lambda one: one.get("finished", ""))
            self.assertEqual(longer["workload"]["params"]["min_sample_ms"], "300")
            self.assertGreater(longer["work"]["flop"], 5 * max(one["work"]["flop"] for one in documents))  # about 300 times

    def test_export_import_round_trip_and_twice_changes_nothing(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        self.stackx("inspect", self.project())
        exported = self.stackx("export").stdout
        results = self.write("results.jsonl", exported)
        other = self.scratch / "other.db"
        self.assertEqual(self.json("import", results, "--db", other), {"inserted": 4, "already_there": 0})
        self.assertEqual(self.json("import", results, "--db", other), {"inserted": 0, "already_there": 4})
        self.assertEqual(sorted(self.stackx("export", "--db", other).stdout.splitlines()), sorted(exported.splitlines()))
        forged = self.write("forged.jsonl", exported.replace('"outcome":"ok"', '"outcome":"failed"'))
        self.assertIn("forged.jsonl:2", self.stackx("import", forged, "--db", other, exit_code=2).stderr)

    def test_resume_of_a_complete_campaign_adds_nothing(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project()
        self.stackx("inspect", project)
        before = self.stackx("export").stdout
        self.assertIn("complete", self.stackx("inspect", project, "--resume").stdout)
        self.assertEqual(self.stackx("export").stdout, before)
        self.stackx("inspect", project)  # without --resume: a new campaign
        self.assertGreater(len(self.stackx("export").stdout), len(before))

    def test_it_says_whether_its_rounds_can_tell_and_ends_with_the_answer(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas()), "also-right": ("9.9.2", self.fake_blas("9.9.2"))})
        few = self.stackx("inspect", self.project(), "--rounds", "5")
        line = "5 rounds cannot give a verdict on 2 stacks at 95%, whatever they measure; 6 can (--rounds 6)"
        self.assertIn(line, few.stderr)
        self.assertIn(line, self.stackx("inspect", self.project(), "--rounds", "5", "--dry-run").stdout)
        self.assertRegex(few.stdout.splitlines()[0], r"^Leading, not .*[0-9,]+ more rounds?( would tell| needed)\)\.$")
        self.assertRegex(few.stdout.splitlines()[1], r"^MEASURED here \(.*\): 2 stacks, 5 rounds, 0 failed; noise floor unknown")
        enough = self.stackx("inspect", self.project(), "--rounds", "6")
        self.assertIn("6 rounds can give a verdict on 2 stacks at 95%", enough.stderr)
        # The same line begins a report, and the document of a campaign; of both campaigns together.
        report = self.json("report", "--hw", "host", "--workload", "matmul", "--format", "json")
        self.assertEqual(enough.stdout.splitlines()[0], report["answer"])
        done = self.json("inspect", self.project(), "--resume")
        self.assertEqual([answer["text"] for answer in done["answers"]], [report["answer"]])

    def test_counts_after_a_resume_are_of_the_whole_campaign(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 80})
        process = self.begin(project)
        process.send_signal(signal.SIGINT)
        self.assertIn("interrupted", process.communicate()[0])
        self.assertEqual(process.returncode, 130)
        before = self.outcomes()["right"]["ok"]
        self.assertTrue(0 < before < 80, before)
        done = self.stackx("inspect", project, "--resume").stdout
        self.assertRegex(done, rf"80 of 80 inspections done \(complete\), 80 ok; {80 - before} of them now, in ")
        again = self.json("inspect", project, "--resume")
        self.assertEqual((again["outcomes"], again["all_outcomes"]), ({}, {"ok": 80}))

    def measured(self):
        """How many inspections are on the disk, while a campaign may be running."""
        return sum(len(path.stem) == 64 for path in self.db.parent.glob("*-results/*/*.json"))

    def begin(self, *words, **options):
        """A campaign that runs, and has measured something."""
        before = self.measured()
        process = subprocess.Popen([STACKX, "inspect", *map(str, words)], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, **options)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        while process.poll() is None and self.measured() == before:
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "the campaign ended before anything else could begin")
        return process

    def test_a_plan_is_run_by_one_process_at_a_time(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 1_000_000})
        process = self.begin(project)
        (plan,) = [json.loads(line)["id"] for line in self.stackx("export").stdout.splitlines() if "stackx/plan/" in line]
        for words in (["--resume"], ["--resume", plan]):
            start = time.monotonic()
            refused = self.stackx("inspect", project, *words, exit_code=2)
            self.assertLess(time.monotonic() - start, 240)
            self.assertRegex(refused.stderr.splitlines()[-1],
                             rf"^stackx: campaign {plan[:12]} is being run by process {process.pid} on \S+: wait until that ends, or end it; ")
            self.assertEqual(refused.stdout, "")
        self.stackx("inspect", project, "--rounds", "1")  # a campaign of its own may
        process.kill()  # however its holder ends
        process.communicate()
        self.assertIn("1 of 1 inspections done", self.stackx("inspect", project, "--resume").stdout)
        process = self.begin(project, "--resume", plan)
        process.terminate()
        self.assertIn("interrupted", process.communicate(timeout=240)[0])
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.db.parent.rglob("lock")), [])

    def test_results_that_came_with_a_store_lead_nowhere(self):
        """A link in place of the lock had its target written over, one in place of a directory was filled and tidied."""
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project()
        self.stackx("inspect", project)
        (directory,) = (path for path in self.db.parent.glob("*-results/*") if path.is_dir())
        victim, elsewhere = self.scratch / "victim", self.scratch / "elsewhere"
        victim.write_text("precious")
        (directory / "lock").symlink_to(victim)
        self.assertIn(str(directory / "lock"), self.stackx("inspect", project, "--resume", exit_code=3).stderr)
        self.assertEqual(victim.read_text(), "precious")
        (directory / "lock").unlink()
        directory.rename(elsewhere)
        directory.symlink_to(elsewhere)
        draft = elsewhere / f"{'0' * 64}.json.part"
        draft.write_text("{")
        before = sorted(elsewhere.iterdir())
        refused = self.stackx("inspect", project, "--resume", exit_code=2)
        self.assertIn(f"not taken into the store: {directory}: a link", refused.stderr)
        self.assertIn(f"stackx: {directory}: a link; stackx follows none here", refused.stderr)
        self.assertEqual(sorted(elsewhere.iterdir()), before)

    def test_a_campaign_of_absurdly_many_rounds_runs_and_ends_when_told(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 1_000_000})
        for number in (signal.SIGTERM, signal.SIGHUP):
            process = self.begin(project)
            process.send_signal(number)
            self.assertIn("interrupted", process.communicate(timeout=240)[0])
            self.assertEqual(process.returncode, 130)

    def test_a_campaign_without_hangups_outlives_its_terminal(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 40})
        process = self.begin(project, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.assertIn("40 of 40 inspections done (complete), 40 ok", process.communicate(timeout=600)[0])

    def test_a_campaign_for_a_processor_runs_on_such_a_machine_alone(self):
        catalog = json.loads(self.fake_catalog({"right": ("9.9.1", self.fake_blas())}).read_text())
        catalog["components"]["cpu"] = {"kind": "hardware", "versioning": "opaque", "versions": {}}
        self.write("catalog.json", catalog)
        here = this_machine()["cpu"]["microarchitecture"]
        other = "zen2" if here != "zen2" else "skylake"
        self.assertEqual(self.json("inspect", self.project(hardware={"cpu": here}), "--rounds", "1")["outcomes"], {"ok": 1})
        project = self.project(hardware={"cpu": other})
        said = self.stackx("inspect", project, "--rounds", "1", exit_code=2).stderr
        self.assertIn(f"/hardware/cpu: asks for {other}, but this machine has {here}; inspect on such a machine", said)
        self.assertIn("1 valid stack", self.stackx("resolve", project, "--count").stdout)
        said = self.stackx("inspect", self.project(hardware={"cpu": "zen44"}), exit_code=2).stderr
        self.assertIn('/hardware/cpu: no processor is called "zen44"; did you mean "zen4"?', said)

    def test_settling_what_is_not_known_runs_here(self):
        self.stackx("inspect", ROOT / "examples" / "openblas-coretype" / "project.json", "--rounds", "1")
        file = self.scratch / "settle.json"
        said = self.stackx("advise", "--hw", "host", "--workload", "matmul", "--settle", file).stderr
        found = re.search(r"settle\.json: (\d+) stacks, (\d+) rounds, about (\d+) min, finds differences of (\d+)%\. "
                          r"\(1% would take .*\) Here: stackx inspect ", said)
        self.assertTrue(found, said)
        stacks, rounds, minutes, _ = map(int, found.groups())
        document = json.loads(file.read_text())
        self.assertEqual((len(document["campaign"]["stacks"]), document["campaign"]["rounds"]), (stacks, rounds))
        self.assertLessEqual(minutes, 60)
        done = self.json("inspect", file, "--rounds", "2")
        self.assertEqual(done["outcomes"], {"ok": 2 * (stacks + 1)})
        self.assertIn("--sample", self.stackx("inspect", file, "--sample", "1", exit_code=2).stderr)

    def test_budget_and_too_many_failures(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas()), "wrong": ("9.9.3", self.fake_blas("9.9.3", fault=1))})
        self.assertEqual(self.json("inspect", self.project(), "--budget", "3")["done"], 3)
        campaign = {"sampler": {"kind": "all"}, "rounds": 9, "max_failed": 2}
        self.json("inspect", self.project("failing.json", campaign=campaign), exit_code=1)

    def test_nothing_measured_is_a_no(self):
        self.fake_catalog({"wrong": ("9.9.3", self.fake_blas("9.9.3", fault=1))})
        self.assertIn("No stack ran", self.stackx("inspect", self.project(), "--rounds", "1", exit_code=1).stdout)

    def test_what_ran_earlier_does_not_stand_for_a_campaign_of_which_nothing_ran(self):
        library = self.fake_blas()
        self.fake_catalog({"right": ("9.9.1", library)})
        self.stackx("inspect", self.project())
        library.unlink()
        text = self.stackx("inspect", self.project(), exit_code=1).stdout
        self.assertEqual(text.splitlines()[0], "Nothing was measured: the one inspection of this campaign failed. From earlier campaigns:")

    def test_workloads_that_fail_alike_are_said_once(self):
        self.fake_catalog({"absent": ("1.0", self.scratch / "no-such-library.so")})
        workload = {"pi": "matmul", "params": {"m": [48, 64, 80], "n": 40, "k": 56, "dtype": "float32", "threads": 1}}
        text = self.stackx("inspect", self.project(workload=workload), exit_code=1).stdout
        self.assertIn("All 3 workloads: No stack ran: the one failed; ", text)
        self.assertEqual(text.count("No stack ran"), 1)

    def test_a_sample_of_all_or_of_a_cover(self):
        """A number that is asked for holds, also where the sampler has one of its own."""
        self.fake_catalog({name: ("9.9.1", self.scratch / "absent.so") for name in "abcde"})
        for sampler in ({"kind": "all"}, {"kind": "cover", "strength": 1}, {"kind": "uniform", "count": 4}):
            project = self.project(campaign={"sampler": sampler, "rounds": 3})
            for sample, stacks in ((2, 2), (5, 5), (1000, 5)):
                plan = self.json("inspect", project, "--sample", sample, "--dry-run")
                self.assertEqual(len(plan["arms"]), stacks, (sampler, sample))
            self.assertIn('--sample: expected a whole number, 1 or more, found "0"',
                          self.stackx("inspect", project, "--sample", "0", "--dry-run", exit_code=2).stderr)

    def test_what_would_fail_in_every_inspection_is_refused_by_the_plan_too(self):
        self.fake_catalog({"right": ("9.9.1", self.scratch / "absent.so")})
        document = json.loads(self.project().read_text())
        del document["workload"]
        (self.scratch / "requirements.txt").write_text("right\n")
        for project, more, said in ((self.write("none.json", document), (), "none.json: says no workload"),
                                    (self.scratch / "requirements.txt", ("--catalog", self.scratch / "catalog.json"),
                                     "a Python project does not say what is measured"),
                                    (self.project("pi.json", workload={"pi": "matmull"}), (), 'did you mean "matmul"?'),
                                    (self.project(), ("--runner", "docker"), 'runner "docker": there are `local` and `container`'),
                                    (self.project(), ("--runner", "container"), "the container runner needs a base image")):
            for words in (("--dry-run",), ()):
                with self.subTest(said=said, words=words):
                    done = self.stackx("inspect", project, *more, *words, exit_code=2)
                    self.assertEqual(done.stdout, "")
                    self.assertIn(said, done.stderr)
        self.assertFalse([name for name in self.stackx("export", exit_code=None).stdout.splitlines() if "stackx/plan" in name])

    def test_no_valid_stack_is_a_no(self):
        self.fake_catalog({"right": ("9.9.1", self.scratch / "absent.so")})
        project = self.project(requires={"right": ">=10"})
        for words in (("--dry-run",), ()):
            self.assertEqual(self.stackx("inspect", project, *words, exit_code=1).stdout, self.stackx("resolve", project, exit_code=1).stdout)
            self.assertEqual(self.json("inspect", project, *words, exit_code=1), self.json("resolve", project, exit_code=1))

    def test_a_campaign_that_goes_on_keeps_its_plan_and_takes_another_budget(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 6})
        self.assertEqual(self.json("inspect", project, "--budget", "2")["done"], 2)
        for words in (("--rounds", "9"), ("--sample", "3"), ("--seed", "5"), ("--strategy", "race"), ("--runner", "container")):
            said = self.stackx("inspect", project, "--resume", *words, exit_code=2).stderr
            self.assertRegex(said, rf"{words[0]}: campaign [0-9a-f]{{12}} was planned with ")
        self.assertEqual(self.json("inspect", project, "--resume")["done"], 2)  # the plan's budget
        self.assertEqual(self.json("inspect", project, "--resume", "--budget", "4")["done"], 4)
        self.assertEqual(self.json("inspect", project, "--resume", "--rounds", "6", "--budget", "1h")["done"], 6)
        self.assertIn("lists them", self.stackx("inspect", project, "--resume", "nonesuch", exit_code=2).stderr)

    def test_the_size_of_a_plan_says_what_its_budget_allows(self):
        self.fake_catalog({"right": ("9.9.1", self.scratch / "absent.so")})
        said = self.stackx("inspect", self.project(), "--budget", "2", "--dry-run").stdout
        self.assertIn("1 stack, 3 rounds: 3 inspections, of which the budget allows 2; ", said)
        self.assertIn("1 stack, 3 rounds: 3 inspections; nothing to fetch.\n", self.stackx("inspect", self.project(), "--budget", "3", "--dry-run").stdout)

    @unittest.skipIf(this_machine()["gpus"], "there is a GPU")
    def test_a_plan_for_a_gpu_says_that_none_is_here(self):
        done = self.stackx("inspect", ROOT / "examples" / "gpu-matmul" / "project.json", "--dry-run")
        self.assertRegex(done.stderr, r"not on this machine: (\d+) of \1 stacks would be left out: the stack needs a GPU, and none")

    def test_dry_run_runs_nothing(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        done = self.stackx("inspect", self.project(), "--dry-run")
        self.assertTrue(done.stdout.startswith("1 stack, 3 rounds: 3 inspections; nothing to fetch.\n"), done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertFalse(self.db.exists())

    def test_examples_plan_themselves(self):
        for project in (EXAMPLE, ROOT / "examples" / "openblas-coretype" / "project.json",
                        ROOT / "examples" / "openblas-versions" / "project.json",
                        ROOT / "examples" / "onednn-cpu" / "project.json",
                        ROOT / "bench" / "statistics" / "aa.project.json"):
            with self.subTest(project=project.parent.name):
                self.assertRegex(self.stackx("inspect", project, "--dry-run").stdout,
                                 r"^\d+ stacks( on \d+ workloads)?( and \d+ sentinels?)?, \d+ rounds: \d+ inspections; ")

    def test_example_with_a_real_wheel(self):
        """One wheel of the example's catalog, fetched and hash-checked, in its own environment; then again without network."""
        project = self.project(catalogs=["blas.json"], hardware={"cpu": "host"}, requires={"scipy-openblas64": "==0.3.34.481.3"},
                               pins={"openblas-coretype": "==auto", "threads": "==1"},
                               workload={"pi": "matmul", "params": {"m": 128, "n": 128, "k": 128, "dtype": "float32"}})
        self.stackx("inspect", project, "--rounds", "1", exit_code=None)
        document = json.loads(self.stackx("export").stdout.splitlines()[1])
        if document["outcome"] == "build_failed":
            self.skipTest(f"the wheel cannot be had here: {document['reason']}")
        self.assertEqual((document["outcome"], document["loaded"]["scipy-openblas64"]), ("ok", "0.3.34.481.3"))
        self.assertEqual(self.json("inspect", project, "--rounds", "1", "--offline")["outcomes"], {"ok": 1})

    def test_example_on_onednn(self):
        """Convolution, LSTM, softmax, normalisation, attention on a 2.x and a 3.x, whose wheels must be had."""
        project = json.loads((ROOT / "examples" / "onednn-cpu" / "project.json").read_text())
        project["pins"]["threads"] = "==1"
        project["catalogs"] = ["blas.json"]
        self.stackx("inspect", self.write("onednn.json", project), "--rounds", "1", exit_code=None)
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        documents = [document for document in documents if document["$schema"] == "stackx/inspection/1"]
        outcomes = collections.Counter((document["workload"]["pi"], document["outcome"]) for document in documents)
        if any(outcome == "build_failed" for _, outcome in outcomes):
            self.skipTest("the wheels cannot be had here")
        for pi in ("conv2d", "lstm", "softmax", "layer_norm"):
            self.assertEqual(outcomes[pi, "ok"], 2, outcomes)
        # bfloat16 takes AVX-512.
        self.assertEqual(outcomes["attention", "ok"] + outcomes["attention", "unsupported"], 2, outcomes)
        self.assertEqual({document["loaded"]["onednn-cpu-gomp"] for document in documents if document["outcome"] == "ok"}, {"2.6.0", "3.2.0"})

    def test_other_hardware_is_refused(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "cpu": {"kind": "hardware", "versioning": "opaque", "versions": {"abacus": {}}},
            "library": {"kind": "package", "versions": {"1": {"provides": {"blas": "1"}}}}}})
        project = self.project(hardware={"cpu": "abacus"})
        self.assertEqual(self.json("resolve", project, "--count")["valid_stacks"], "1")
        message = self.stackx("inspect", project, exit_code=2).stderr
        self.assertIn("/hardware/cpu", message)
        self.assertIn("abacus", message)
