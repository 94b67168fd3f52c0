"""--metric everywhere: rankings, comparisons, effects, reports, verification and several metrics at once, on a made-up store
whose memory and error are known, and on real inspections whose memory is."""

import json
import math

from made_up_store import MadeUpStore, stack_id

LEAN, FAST = {"openblas": "0.3.34", "threads": "1"}, {"openblas": "0.3.27", "threads": "1"}


class Metrics(MadeUpStore):
    def fill(self):
        """FAST is faster by 10%, LEAN needs half the memory; their errors are 2e-7 and 1e-7, the same in every round."""
        for number in range(12):
            for stack, gflops, megabytes, error in ((LEAN, 100, 200, 1e-7), (FAST, 110, 400, 2e-7)):
                noise = 1 + 0.002 * self.random.random()
                self.inspection(stack, gflops * noise, number,
                                usage={"user_s": 0.5, "system_s": 0.25, "max_rss_bytes": int(megabytes * 1e6 * noise), "minor_faults": 0,
                                       "major_faults": 0, "voluntary_switches": 0, "involuntary_switches": 0},
                                check={"reference": "float64", "max_relative_error": error, "bound": 1e-5, "pass": True},
                                metrics={"first_token_ms": 10.0 if stack == LEAN else 20.0})

    def setUp(self):
        super().setUp()
        self.store_once(self.fill)

    def advise(self, *options, exit_code=0):
        return self.json("advise", "--hw", "host", "--workload", "matmul", *options, exit_code=exit_code)

    def test_another_metric_another_winner(self):
        self.assertEqual(self.advise()["recommendations"][0]["stack"]["components"], FAST)
        for metric, unit, best, other in (("memory", "MB", 200, 400), ("error", "", 1e-7, 2e-7), ("first_token", "ms", 10, 20)):
            with self.subTest(metric):
                found = self.advise("--metric", metric)
                rows = found["recommendations"]
                self.assertEqual([row["stack"]["components"] for row in rows], [LEAN, FAST])
                self.assertAlmostEqual(rows[0]["amount"]["median"] / best, 1, delta=0.003)
                self.assertAlmostEqual(rows[1]["amount"]["median"] / other, 1, delta=0.003)
                self.assertEqual((found["unit"], rows[1]["verdict_vs_best"]), (unit, "WORSE"))
                self.assertAlmostEqual(rows[1]["vs_best"]["ratio"], 2, delta=0.01)
                self.assertNotIn("rate", rows[0])

    def test_the_answer_is_said_in_a_sentence(self):
        text = self.stackx("advise", "--hw", "host", "--workload", "matmul", "--metric", "memory").stdout
        self.assertRegex(text, r"^OpenBLAS 0\.3\.34 has the LEAST memory: 200 MB \[200, 200\], 0\.50x \[0\.\d+, 0\.\d+\] that of the next\.")
        for word in ("GFLOP", "FASTEST", "faster", "slower"):
            self.assertNotIn(word, text)

    def test_what_nobody_measured_of_it(self):
        found = self.advise("--metric", "energy", exit_code=None)
        self.assertEqual([row for row in found.get("recommendations", []) if row["evidence"].startswith("measured")], [])

    def test_several_at_once(self):
        found = self.advise("--metric", "rate,memory,error")
        self.assertEqual({row["stack"]["id"] for row in found["front"]}, {stack_id(LEAN), stack_id(FAST)})
        self.assertEqual([one["name"] for one in found["metrics"]], ["rate", "memory", "error"])
        text = self.stackx("advise", "--hw", "host", "--workload", "matmul", "--metric", "rate,memory").stdout
        self.assertTrue(text.startswith("No one stack is best in rate and memory: OpenBLAS 0.3.27 in rate (11"), text)
        only = self.advise("--metric", "memory,error")
        self.assertEqual([row["stack"]["id"] for row in only["front"]], [stack_id(LEAN)])
        self.assertEqual(only["beaten"], 1)

    def test_words_that_are_no_metric_or_do_not_go_together(self):
        done = self.stackx("advise", "--metric", "memroy", exit_code=2)
        self.assertIn("memory", done.stderr)
        for options, said in ((("--metric", "rate,memory", "--explain"), "--metric of several: is of what was measured only"),
                              (("--metric", "memory", "--pareto"), "--pareto: is of the rate and its spread"),
                              (("--metric", "memory", "--objective", "cost", "--price", "3"), "takes no --metric")):
            with self.subTest(options):
                self.assertIn(said, self.stackx("advise", *options, exit_code=2).stderr)

    def test_compare(self):
        a, b = stack_id(LEAN)[:10], stack_id(FAST)[:10]
        found = self.json("compare", a, b, "--metric", "memory")
        self.assertEqual((found["verdict"], found["metric"], found["unit"], found["design"]), ("BETTER", "memory", "MB", "paired"))
        self.assertAlmostEqual(found["ratio"], 0.5, delta=0.01)
        self.assertTrue(self.stackx("compare", a, b, "--metric", "memory").stdout.startswith("A has LESS memory than B: BETTER: x0.5"))
        self.stackx("compare", a, b, "--metric", "memory", "--max-slower", "5", exit_code=1)
        self.stackx("compare", b, a, "--metric", "memory", "--max-slower", "5")
        self.stackx("compare", b, a, "--max-slower", "5", exit_code=1)  # by rate it is the other way round

    def test_effects(self):
        found = self.json("effects", "--hw", "host", "--workload", "matmul", "--metric", "memory")
        step = next(one for one in found["effects"] if one["component"] == "openblas")
        self.assertEqual((step["from"], step["to"], found["metric"]), ("0.3.27", "0.3.34", "memory"))
        self.assertAlmostEqual(step["ratio"], 0.5, delta=0.01)

    def test_report(self):
        page = self.stackx("report", "--hw", "host", "--workload", "matmul", "--metric", "memory", "--format", "html").stdout
        self.assertIn("has the LEAST memory", page)
        self.assertIn("memory (MB)", page)
        markdown = self.stackx("report", "--hw", "host", "--workload", "matmul", "--metric", "memory").stdout
        self.assertIn("with the least memory", markdown)
        self.assertIn("--metric memory", markdown)
        csv = self.stackx("report", "--hw", "host", "--workload", "matmul", "--metric", "memory", "--format", "csv").stdout
        self.assertIn("WORSE", csv)


class Energy(MadeUpStore):
    """Of processors by RAPL: LEAN draws 60 W beyond the 40 W of an idle machine, FAST 120 W, and is faster by 10%."""

    WATTS = {LEAN["openblas"]: 100.0, FAST["openblas"]: 160.0}
    SAID = "dle draw, 25 to 40% of all that was drawn, is taken off the energy"

    def energy(self, watts, seconds, idle=40.0):
        """As the inspector writes it."""
        joules = round(watts * seconds, 6)
        known = {"idle_watts": idle, "idle_share": math.floor(idle * seconds / joules * 1e4 + 0.5) / 1e4} if idle else {}
        return {"rapl": {"counters": ["package-0", "package-0 dram"], "covers": "machine", "joules": joules, "seconds": seconds,
                         "updates": 600, **known}}

    def measured(self, stack, gflops, round, idle=40.0, watts=None, **changes):
        seconds = 3.05 * 1000 / gflops  # of three samples of 10^12 operations, with gaps
        self.inspection(stack, gflops, round, **{"device": "cpu", "energy": self.energy(watts or self.WATTS[stack["openblas"]], seconds, idle), **changes})

    def fill(self):
        for number in range(12):
            for stack, gflops in ((LEAN, 100), (FAST, 110)):
                self.measured(stack, gflops * (1 + 0.002 * self.random.random()), number)

    def setUp(self):
        super().setUp()
        self.store_once(self.fill)

    def advise(self, *options):
        return self.json("advise", "--hw", "host", "--workload", "matmul", *options)

    def test_ranked_by_what_is_drawn_beyond_idle(self):
        found = self.advise("--metric", "energy")
        rows = found["recommendations"]
        self.assertEqual([row["stack"]["components"] for row in rows], [LEAN, FAST])
        self.assertEqual((found["unit"], rows[1]["verdict_vs_best"]), ("J", "WORSE"))
        for row, joules in zip(rows, (60 * 3.05 * 10 / 3, 120 * 3.05 * (1000 / 110) / 3)):
            self.assertAlmostEqual(row["amount"]["median"] / joules, 1, delta=0.003)
        self.assertAlmostEqual(rows[1]["vs_best"]["ratio"], 2 / 1.1, delta=0.01)

    def test_idle_draw_is_said_wherever_energy_is_compared(self):
        said, a, b = "i" + self.SAID, stack_id(LEAN)[:10], stack_id(FAST)[:10]
        self.assertIn("I" + self.SAID + ".", self.advise("--metric", "energy")["answer"]["cautions"])
        self.assertIn(said, self.advise("--metric", "rate,energy")["notes"])
        self.assertIn(said, self.json("compare", a, b, "--metric", "energy")["notes"])
        self.assertIn(said, self.json("effects", "--hw", "host", "--workload", "matmul", "--metric", "energy")["notes"])
        of_query = (("best",), ("worst-variance",), ("regressions",), ("history", "--stack", a))
        for question in of_query:
            with self.subTest(question):
                own = said.replace("25 to 40%", "40%") if question[0] == "history" else said
                self.assertEqual(self.json("query", *question, "--metric", "energy")["notes"].count(own), 1)
                self.assertIn(own, " ".join(self.stackx("query", *question, "--metric", "energy").stdout.split()))
                self.assertFalse([note for note in self.json("query", *question)["notes"] if "idle" in note])
        for asked in (("advise", "--hw", "host", "--workload", "matmul", "--metric", "energy"),
                      ("advise", "--hw", "host", "--workload", "matmul", "--metric", "rate,energy"),
                      ("report", "--hw", "host", "--workload", "matmul", "--metric", "energy"),
                      ("compare", a, b, "--metric", "energy")):
            with self.subTest(asked):
                self.assertIn(self.SAID, " ".join(self.stackx(*asked).stdout.replace("\n  ! ", "\n").split()))
        for metric in ("rate", "memory"):
            self.assertNotIn("dle draw", self.stackx("advise", "--hw", "host", "--workload", "matmul", "--metric", metric, exit_code=None).stdout)

    def test_where_nobody_knows_the_idle_draw_it_is_in_and_said(self):
        self.db.unlink()
        for number in range(6):
            self.measured(LEAN, 100, number, idle=0)
            self.measured(FAST, 110, number, idle=0)
        self.store()
        found = self.advise("--metric", "energy")
        self.assertAlmostEqual(found["recommendations"][0]["amount"]["median"], 100 * 3.05 * 10 / 3, delta=0.01)
        self.assertIn("Idle draw is in the energy: nothing tells how much it is.", found["answer"]["cautions"])

    def test_device_memory_says_who_counted(self):
        self.db.unlink()
        for number in range(6):
            self.inspection(LEAN, 100, number, metrics={"peak_device_memory_bytes": 2e9},
                            device_memory={"counted": "processes", "peak_bytes": 3_000_000_000})
            self.inspection(FAST, 110, number, device_memory={"counted": "device", "peak_bytes": 2_500_000_000, "before_bytes": 7})
        self.store()
        found = self.advise("--metric", "device_memory")
        self.assertEqual([row["amount"]["median"] for row in found["recommendations"]], [2000, 2500])
        self.assertTrue(any("of 6 NVML's count, which is more: --metric nvml_memory" in one for one in found["answer"]["cautions"]),
                        found["answer"])
        found = self.advise("--metric", "nvml_memory")
        self.assertEqual([(row["stack"]["components"], row["amount"]["median"]) for row in found["recommendations"]],
                         [(FAST, 2500), (LEAN, 3000)])
        self.assertIn("Of 6 inspections the driver hid processes' memory: it is what the device had more in use than before.",
                      found["answer"]["cautions"])
        self.assertTrue(any("driver hid" in note for note in self.json("query", "best", "--metric", "nvml_memory")["notes"]))

    def test_processors_say_nothing_of_what_a_gpu_did(self):
        self.db.unlink()
        for number in range(6):
            self.measured(LEAN, 100, number, device="GPU-1")
        self.store()
        found = self.json("advise", "--hw", "host", "--workload", "matmul", "--metric", "energy", exit_code=None)
        self.assertEqual([row for row in found.get("recommendations", []) if row["evidence"].startswith("measured")], [])

    def test_a_share_that_does_not_follow_from_the_rest_is_refused(self):
        energy = self.energy(100, 30.5)
        energy["rapl"]["idle_share"] = 0.1
        self.inspection(LEAN, 100, 50, energy=energy)
        file = self.write("bad.jsonl", json.dumps(self.documents.pop()) + "\n")
        self.assertIn("idle_watts * seconds / joules", self.stackx("import", file, exit_code=2).stderr)


class RealMemory(MadeUpStore):
    """The memory of a real process: of a PI that holds a known allocation, against /usr/bin/time where that is there."""

    HOLDER = """#!/usr/bin/env python3
import json, sys, time
held = bytearray({bytes})
for at in range(0, len(held), 4096):
    held[at] = 1
print(json.dumps({{"name": "hold", "samples_ns": [1000000] * 3, "work": {{"flop": 0, "bytes": 0, "items": 1}}, "loaded": {{}},
                  "metrics": {{"token_ms": 2.5}}, "memory": {{"hold": len(held)}}}}))
"""

    def test_a_known_allocation_and_what_the_pi_states(self):
        peaks = {}
        for megabytes in (50, 350):
            pi = self.write(f"hold{megabytes}.py", self.HOLDER.format(bytes=megabytes * 1000000))
            pi.chmod(0o755)
            catalog = self.write("c.json", json.dumps({"$schema": "stackx/catalog/1", "components": {
                "level": {"kind": "setting", "versions": {"1": {}}}}}))
            project = self.write("p.json", json.dumps({
                "$schema": "stackx/project/1", "name": f"hold{megabytes}", "catalogs": [str(catalog)], "requires": {"level": "*"},
                "workload": {"pi": "hold", "params": {}}, "campaign": {"rounds": 1, "runner": "local"}}))
            self.stackx("inspect", project, "--pi", pi)
            documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
            one = next(d for d in documents if d.get("metrics") and d["memory"]["hold"] == megabytes * 1000000)
            self.assertEqual((one["outcome"], one["metrics"]), ("ok", {"token_ms": 2.5}))
            peaks[megabytes] = one["usage"]["max_rss_bytes"]
        self.assertAlmostEqual((peaks[350] - peaks[50]) / 300e6, 1, delta=0.02)

    def test_metrics_that_are_none_are_bad_output(self):
        for metrics, said in (('{"token_m": 2.5}', "token_ms"), ('{"token_ms": -1}', "positive"), ('{"token_ms": NaN}', "token_ms")):
            with self.subTest(metrics):
                pi = self.write("pi.py", "#!/usr/bin/env python3\nprint('''{\"name\": \"x\", \"samples_ns\": [1000], \"metrics\": %s}''')\n" % metrics)
                pi.chmod(0o755)
                catalog = self.write("c.json", json.dumps({"$schema": "stackx/catalog/1", "components": {
                    "level": {"kind": "setting", "versions": {"1": {}}}}}))
                project = self.write("p.json", json.dumps({
                    "$schema": "stackx/project/1", "name": "bad", "catalogs": [str(catalog)], "requires": {"level": "*"},
                    "workload": {"pi": "x", "params": {}}, "campaign": {"rounds": 1, "runner": "local"}}))
                self.stackx("inspect", project, "--pi", pi, exit_code=None)
                documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
                self.assertTrue(any(d.get("outcome") == "bad_output" and said in d["reason"] for d in documents), documents[-1].get("reason"))
