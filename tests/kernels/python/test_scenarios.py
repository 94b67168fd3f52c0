"""Scenarios: against what LoadGen recorded, against stackx-pi, a queue by brute force, and a made-up clock."""

import gc
import json
import math
import os
import pathlib
import random
import re
import unittest
from unittest import mock

import support
from stackx_pi import framework_pi, frameworks, parameters, protocol
from stackx_pi.errors import UsageError
from stackx_pi.measure import Clock, Phases
from stackx_pi.scenarios import latency
from stackx_pi.scenarios.arrivals import poisson_arrivals
from stackx_pi.scenarios.document import document_of
from stackx_pi.scenarios.plan import NAMES, PARAMETERS, ScenarioPlan, scenario_plan_from
from stackx_pi.scenarios.rate_search import RateSearch
from stackx_pi.scenarios.scenario import run_scenario

MS = 1000000
RECORD = json.loads((support.ROOT / "tests/kernels/loadgen_record.json").read_text())["runs"]
BLAS = pathlib.Path("/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0")
NATIVE_TEXT = (support.ROOT / "kernels/timing/scenario.cpp").read_text()

# Of g++ 12 with arrivals.cpp's lines: rate, seed, the 5001st arrival, FNV-1a over the 5000 before, a whole number each.
SCHEDULES = [
    (1000, 0, 5062668006, 6803443885766293077), (1000, 1, 5031774928, 7421323191378337920),
    (1000, 7, 5105561618, 1036423987824970701), (1000, 4294967295, 5001323366, 4062976907216414469),
    (37.5, 0, 135004544198, 7596046452781758352), (37.5, 1, 134180729353, 9326983106689808372),
    (123456, 7, 41352830, 16649607926139774378), (2.25, 4294967295, 2222811502075, 11309841892253867763)]

SCHEDULE_IN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from stackx_pi.scenarios import latency
from stackx_pi.scenarios.arrivals import poisson_arrivals
print(json.dumps([poisson_arrivals(1800.0, 5, 2000, 0), latency.least_queries(1, .99), latency.most_late(100000, .99)]))
"""


def recorded(scenario):
    return [run for run in RECORD if run["scenario"] == scenario]


def built(name):
    """A program of the build directory beside the sources, or of the one that STACKX_BUILD names."""
    program = pathlib.Path(os.environ.get("STACKX_BUILD", support.ROOT / "build")) / name
    return program if program.is_file() else None


def at_most(n, t, q):
    """P(X <= t), X binomial(n, q), in whole numbers and without logarithms of factorials."""
    return sum(math.comb(n, k) * q**k * (1 - q)**(n - k) for k in range(t + 1))


class Simulation:
    """A clock that only calls and waiting move; the i-th call takes service(i) ns."""

    def __init__(self, service):
        self.time, self.calls, self.waits = 1000, 0, 0
        self.service = service if callable(service) else lambda i: service
        self.clock = Clock(lambda: self.time, lambda: self.time, self.wait_until)
        self.phases = Phases(self.clock)

    def wait_until(self, due):
        self.time, self.waits = max(self.time, due), self.waits + 1

    def call(self):
        self.time += self.service(self.calls)
        self.calls += 1

    def query(self, samples):
        for _ in range(samples):
            self.call()

    def run(self, plan):
        return run_scenario(self.query, plan, self.clock, self.phases)


def server(rate=0, **changes):
    return ScenarioPlan("server", **dict(dict(fraction=.99, min_queries=662, target_rate=rate, min_duration_ns=0), **changes))


def queue(arrivals, service, right=True):
    """An open queue with one server; `right` False: latency counts from the issue."""
    latencies, idle_from = [], 0
    for arrival in arrivals:
        start = max(arrival, idle_from)
        idle_from = start + service
        latencies.append(idle_from - (arrival if right else start))
    return sorted(latencies)


def plan_of(*words):
    return scenario_plan_from(parameters.Parameters(protocol.with_plan_parameters([]) + PARAMETERS, words))


class LoadGen(unittest.TestCase):
    """Numbers that MLPerf's LoadGen printed of these latencies."""

    def test_percentiles_to_the_nanosecond(self):
        compared = 0
        for run in RECORD:
            latencies = sorted(run["latencies_ns"])
            per_query = "per_query_" if run["scenario"] == "MultiStream" else ""
            for _, fraction in latency.PERCENTILES:
                key = "result_%.2f_percentile_%slatency_ns" % (fraction * 100, per_query)
                self.assertEqual(latency.percentile_of(latencies, fraction), run["results"][key], (run["scenario"], key))
                compared += 1
        self.assertEqual(compared, 4 * 6)

    def test_early_stopping_estimates(self):
        stream, several = recorded("SingleStream")[0], recorded("MultiStream")[0]
        for run, fraction, key in ((stream, .90, "ss"), (stream, .99, "ms"), (several, .99, "ms")):
            found = latency.proven_percentile(sorted(run["latencies_ns"]), fraction)
            self.assertEqual(found, run["results"]["early_stopping_latency_" + key])

    def test_the_queries_that_a_server_would_still_need(self):
        needed = []
        for run in recorded("Server"):
            bound = int(run["settings"]["server_target_latency_ns"])
            late = sum(ns > bound for ns in run["latencies_ns"])
            more = re.search(r"at least (\d+) more", run["results"]["early_stopping_result"])
            needed.append(bool(more))
            if more:
                self.assertEqual(latency.least_queries(late, .99) - len(run["latencies_ns"]), int(more.group(1)))
            else:
                self.assertGreaterEqual(latency.most_late(len(run["latencies_ns"]), .99), late)
        self.assertEqual(sorted(needed), [False, True])

    def test_the_schedule_of_a_seed(self):
        for run in recorded("Server"):
            theirs, settings = run["arrivals_us"], run["settings"]
            ours = poisson_arrivals(float(settings["server_target_qps"]), int(settings["schedule_rng_seed"]), len(theirs), 0)
            self.assertEqual(len(ours), len(theirs))
            for i, (mine, us) in enumerate(zip(ours, theirs)):
                self.assertLessEqual(abs(mine - 1e3 * us), 2, i)  # they print ns/1e3


class Arithmetic(unittest.TestCase):
    def test_schedules_are_those_of_the_standard_library_of_cxx(self):
        for rate, seed, last, digest in SCHEDULES:
            arrivals, found = poisson_arrivals(rate, seed, 5001, 0), 1469598103934665603
            for arrival in arrivals[:5000]:
                found = (found ^ arrival) * 1099511628211 % 2**64
            self.assertEqual((arrivals[5000], found), (last, digest), (rate, seed))

    def test_schedules_end(self):
        arrivals = poisson_arrivals(1000, 7, 10, 500 * MS)
        self.assertEqual(arrivals[0], 0)
        self.assertTrue(arrivals[-2] < 500 * MS <= arrivals[-1])
        self.assertEqual(poisson_arrivals(1000, 7, 0, 0), [0])
        self.assertNotEqual(poisson_arrivals(1000, 8, 100, 0), poisson_arrivals(1000, 7, 100, 0))

    def test_every_interpreter_counts_the_same(self):
        found = {}
        for version, program in support.interpreters().items():
            done = support.run(program, "-c", SCHEDULE_IN, support.KERNELS)
            self.assertEqual(done.returncode, 0, version + done.stderr)
            found[version] = done.stdout
        self.assertEqual(len(set(found.values())), 1, {version: hash(text) for version, text in found.items()})

    def test_what_so_many_queries_prove(self):
        for fraction in (.5, .9, .97, .99):
            for queries in (1, 10, 63, 64, 458, 459, 662, 1000):
                most = latency.most_late(queries, fraction)
                if most is not None:
                    self.assertLess(at_most(queries, most, 1 - fraction), .01)
                self.assertGreaterEqual(at_most(queries, 0 if most is None else most + 1, 1 - fraction), .01)
        self.assertEqual([latency.least_queries(*of) for of in ((1, .90), (1, .99), (0, .99))], [64, 662, 459])  # MLPerf's rules
        self.assertIsNone(latency.proven_percentile([1, 2, 3], .90))

    def test_a_percentile_is_the_element_n_p(self):
        ordered = list(range(1000))
        self.assertEqual([latency.percentile_of(ordered, p) for p in (.50, .99, .999)], [500, 990, 999])
        self.assertEqual(latency.percentile_of([7], .999), 7)

    def test_a_search_brackets_bisects_and_ends(self):
        for largest in (.01, 3., 49.9, 50., 77., 99., 250., 1e4):
            search, trials = RateSearch(100, .01), 0
            while not search.done() and trials < 100:
                search.add(search.rate <= largest)
                trials += 1
            self.assertLess(trials, 25)
            if largest < 100 / 32:
                self.assertEqual(search.best, 0)
            else:
                self.assertTrue(largest / 1.0101 < search.best <= largest, (largest, search.best))


class Streams(unittest.TestCase):
    def test_one_query_after_the_other(self):
        simulation = Simulation(lambda i: 8 * MS if i % 10 == 9 else 2 * MS)
        result = simulation.run(ScenarioPlan("single_stream", min_queries=100, min_duration_ns=0))
        self.assertEqual((len(result.latencies_ns), len(result.samples_ns), simulation.waits), (100, 100, 0))
        self.assertEqual((result.value, sum(result.samples_ns)), (8, 260 * MS))  # sorted[90]: the first of the ten slow ones
        self.assertFalse(result.stopped_early)
        found = document_of(result)
        self.assertEqual((found["name"], found["metric"], found["percentile"], found["queries"]), ("single_stream", "latency_ms", 90, 100))
        self.assertEqual((found["latency_ns"]["50"], found["latency_ns"]["99.9"]), (2 * MS, 8 * MS))

    def test_they_run_until_the_queries_and_the_duration_are_there(self):
        plan = ScenarioPlan("single_stream", min_duration_ns=500 * MS)
        self.assertEqual(len(Simulation(MS).run(plan).latencies_ns), 501)  # the last is issued at 500 ms, as LoadGen counts
        self.assertEqual(len(Simulation(100 * MS).run(plan).latencies_ns), 64)
        cut = Simulation(100 * MS).run(ScenarioPlan("single_stream", min_duration_ns=500 * MS, max_ns=1000 * MS))
        self.assertEqual((cut.stopped_early, len(cut.latencies_ns)), (True, 10 - 3))  # three warmed up

    def test_a_query_of_many_is_its_samples_together(self):
        plan = ScenarioPlan("multi_stream", samples_per_query=8, fraction=.99, min_queries=700, min_duration_ns=0, items_per_call=4)
        result = Simulation(MS).run(plan)
        self.assertEqual(result.latencies_ns, [8 * MS] * 700)
        self.assertEqual((result.calls, result.items, result.value), (8, 32, 8))

    def test_offline_is_one_batch(self):
        asked = dict(min_queries=0, min_duration_ns=100 * MS, repetitions=5, items_per_call=4)
        result = Simulation(2 * MS).run(ScenarioPlan("offline", **asked))
        self.assertEqual((result.calls, result.items, result.value), (55, 220, 2000))  # 1.1 times, LoadGen's slack
        self.assertEqual(result.samples_ns, [110 * MS] * 5)
        self.assertEqual(document_of(result)["metric"], "samples_per_s")
        self.assertNotIn("latency_ns", document_of(result))
        self.assertEqual(Simulation(2 * MS).run(ScenarioPlan("offline", **dict(asked, min_queries=200))).calls, 200)
        cut = Simulation(2 * MS).run(ScenarioPlan("offline", **dict(asked, max_ns=1)))
        self.assertEqual((len(cut.samples_ns), cut.stopped_early), (3, True))

    def test_fast_queries_do_not_fill_the_document_but_the_percentiles(self):
        result = Simulation(10000).run(ScenarioPlan("single_stream", min_queries=95000))
        self.assertEqual((len(result.latencies_ns), len(result.samples_ns)), (95000, 9500))

    def test_no_garbage_is_collected_meanwhile(self):
        seen = []

        class Watched(Simulation):
            def call(self):
                seen.append(gc.isenabled())
                Simulation.call(self)

        Watched(MS).run(ScenarioPlan("single_stream"))
        self.assertEqual((set(seen), gc.isenabled()), ({False}, True))


class Server(unittest.TestCase):
    def test_latencies_are_those_of_the_queue_to_the_nanosecond(self):
        for rate in (50., 200., 400., 480., 600.):
            result, arrivals = Simulation(2 * MS).run(server(rate)), poisson_arrivals(rate, 1, 662, 0)
            self.assertEqual(result.latencies_ns, queue(arrivals, 2 * MS))
            if rate >= 200:  # else hardly a queue
                wrong = latency.percentile_of(queue(arrivals, 2 * MS, right=False), .99)
                self.assertGreater(latency.percentile_of(result.latencies_ns, .99), 1.2 * wrong)

    def test_a_stall_delays_every_query_that_was_due_meanwhile(self):
        """Coordinated omission: one call of 1 s among 1 ms ones. A closed loop sees one late query."""
        result = Simulation(lambda i: 1000 * MS if i == 1000 else MS).run(server(100, min_queries=2000))
        self.assertTrue(60 < sum(ns > 100 * MS for ns in result.latencies_ns) < 140)

    def test_mean_waiting_times_are_those_of_queueing_theory(self):
        """Pollaczek-Khinchine: M/D/1 waits rho s / 2(1 - rho), M/M/1 rho s / (1 - rho)."""
        for load in (.3, .7):
            plan, generator = server(load * 500, min_queries=200000), random.Random(3)
            for service, expected in ((2 * MS, load / (2 * (1 - load))),
                                      (lambda i: int(generator.expovariate(1 / (2 * MS))) + 1, load / (1 - load))):
                latencies = Simulation(service).run(plan).latencies_ns
                mean = sum(latencies) / len(latencies) / (2 * MS) - 1
                self.assertLess(abs(mean / expected - 1), .06, (load, mean, expected))

    def test_the_search_finds_the_largest_rate_that_holds(self):
        for bound in (5 * MS, 15 * MS, 40 * MS):
            result = Simulation(2 * MS).run(server(bound_ns=bound, min_queries=2000, precision=.005))
            largest = max(rate for rate in range(1, 501) if self.holds(rate, bound))  # brute force on the same schedule
            self.assertTrue((largest - 1) / 1.006 <= result.held.rate <= largest + 1, (bound, largest, result.held.rate))
            self.assertTrue(result.held.holds)
            self.assertLessEqual(latency.percentile_of(result.latencies_ns, .99), bound)
            self.assertTrue(self.holds(result.held.rate, bound))
            self.assertFalse(self.holds(1.2 * result.held.rate, bound))
            last = poisson_arrivals(result.held.rate, 1, 2000, 0)[-1]
            self.assertAlmostEqual(result.value, 1999e9 / last)
            self.assertEqual(result.samples_ns, [round(1e9 / result.value)])
            for trial in result.trials:
                self.assertEqual(trial.holds, trial.rate <= result.held.rate)
                self.assertEqual(trial.queries < 2000, not trial.holds and trial.late > latency.most_late(2000, .99))

    def holds(self, rate, bound):
        late = sum(ns > bound for ns in queue(poisson_arrivals(rate, 1, 2000, 0), 2 * MS))
        return late <= latency.most_late(2000, .99) and rate <= 500

    def test_no_rate_above_the_capacity_holds_however_loose_the_bound(self):
        result = Simulation(2 * MS).run(server(bound_ns=3600000 * MS))  # a queue of 662 never gets there
        self.assertTrue(480 <= result.held.rate <= 500)

    def test_every_trial_that_holds_has_the_queries_that_prove_it(self):
        result = Simulation(2 * MS).run(server(min_queries=1))  # would prove nothing
        self.assertEqual((result.held.queries, result.held.late), (459, 0))

    def test_a_percentile_that_is_not_proven_does_not_hold(self):
        result = Simulation(lambda i: 100 * MS if i % 130 == 100 else 2 * MS).run(server(1, warm_up_ns=0))
        self.assertLessEqual(result.held.percentile_ns, 15 * MS)
        self.assertGreater(result.held.late, latency.most_late(662, .99))
        self.assertFalse(result.held.holds)

    def test_a_bound_below_the_service_time_has_no_rate_and_says_so(self):
        result = Simulation(2 * MS).run(server(bound_ns=MS))
        self.assertIn("no rate holds the latency bound of 1 ms: at ", result.unsupported)
        self.assertIn("queries took longer (a call alone takes 2 ms)", result.unsupported)
        self.assertEqual((result.samples_ns, len(result.trials)), ([], 1))
        self.assertEqual(document_of(result)["queries"], 0)
        self.assertEqual(len(Simulation(2 * MS).run(server(bound_ns=2 * MS)).trials), 5)  # nobody may wait

    def test_the_time_limit_ends_the_search_with_what_held(self):
        result = Simulation(2 * MS).run(server(max_ns=5000 * MS))
        self.assertTrue(result.stopped_early)
        self.assertGreaterEqual(result.held.rate, 250)
        self.assertIn("max_seconds", Simulation(2 * MS).run(server(max_ns=200 * MS)).unsupported)


class Asked(unittest.TestCase):
    def test_defaults(self):
        self.assertIsNone(plan_of())
        for words, key, value in (
                (["scenario=single_stream"], "min_queries", 64), (["scenario=single_stream"], "fraction", .90),
                (["scenario=single_stream", "samples_per_query=4"], "samples_per_query", 1),
                (["scenario=multi_stream"], "samples_per_query", 8), (["scenario=multi_stream"], "min_queries", 662),
                (["scenario=server"], "fraction", .99), (["scenario=server", "latency_bound_ms=2.5"], "bound_ns", 2500000),
                (["scenario=server", "percentile=97"], "min_queries", latency.least_queries(1, .97)),
                (["scenario=offline"], "min_queries", 0), (["scenario=offline", "repetitions=4"], "repetitions", 4)):
            self.assertEqual(getattr(plan_of(*words), key), value, words)

    def test_wrong_words(self):
        for word, message in (("scenario=sever", "expected one of none, single_stream"), ("samples_per_query=0", "from 1 to"),
                              ("percentile=100", "percentile=100: expected 0 or a number from 1 to 99.99"),
                              ("rate_precision=0", "at least 0.0001"), ("schedule_seed=4294967296", "from 0 to 4294967295")):
            with self.assertRaisesRegex(UsageError, message):
                plan_of(word)

    def test_parameters_are_those_of_the_native_program(self):
        native = re.findall(r'\{"(\w+)", "([^"]*)", "([^"]*)"\}', NATIVE_TEXT)
        self.assertEqual([tuple(parameter) for parameter in PARAMETERS], native)


class FakeAdapter(frameworks.Base):
    """Each product takes `service_ns` of a simulation's clock, the half of it only when it is waited for."""
    name, version, wrong = "fake", "1", False
    service_ns = 2 * MS

    def load(self):
        pass

    def matmul(self, a, b):
        simulation, product = self.simulation, support.numpy.dot(a, b) + (1 if self.wrong else 0)

        def half():
            simulation.time += self.service_ns // 2

        def run():
            simulation.calls += 1
            half()

        return frameworks.Call(run, lambda: product, half)


@support.needs_numpy
class Documents(unittest.TestCase):
    """The PI matmul by a fake framework whose service times are known: an M/D/1 queue."""

    def document(self, *words, **changes):
        import matmul
        simulation = Simulation(0)
        self.simulation = simulation
        adapter = type("Fake", (FakeAdapter,), dict(changes, simulation=simulation))
        found = parameters.Parameters(matmul.PI.parameters, ["m=8", "n=8", "k=8"] + list(words))
        with mock.patch.object(framework_pi.frameworks, "find", return_value=("fake", "numpy")), \
                mock.patch.object(framework_pi.frameworks, "adapter", side_effect=lambda _, settings: adapter(settings)):
            document = matmul.PI.run(found, protocol.plan_from(found), simulation.phases)
        json.dumps(document, allow_nan=False)
        return document

    def test_server(self):
        found = self.document("scenario=server", "latency_bound_ms=10", "schedule_seed=5", "min_queries=3000")
        scenario = found["scenario"]
        self.assertEqual((scenario["metric"], scenario["holds"], scenario["bound_ns"]), ("queries_per_s", True, 10 * MS))
        self.assertEqual((found["parameters"]["schedule_seed"], found["work"]), (5, {"flop": 0, "bytes": 0, "items": 1}))
        self.assertEqual([phase["name"] for phase in self.simulation.phases.done], ["load", "check", "warm_up", "measure"])
        self.assertLessEqual(scenario["latency_ns"]["99"], 10 * MS)
        rate, tries = scenario["rate"], {}
        for factor in (1, 1.2):
            tries[factor] = self.document("scenario=server", "latency_bound_ms=10", "schedule_seed=5", "min_queries=3000",
                                          "target_rate=%.17g" % (factor * rate))["scenario"]
        self.assertTrue(tries[1]["holds"])
        self.assertFalse(tries[1.2]["holds"])
        self.assertEqual(tries[1]["latency_ns"], scenario["latency_ns"])

    def test_streams_and_offline_wait_once_a_query(self):
        found = self.document("scenario=single_stream")
        self.assertEqual((found["scenario"]["value"], set(found["samples_ns"])), (2, {2 * MS}))
        found = self.document("scenario=multi_stream")
        self.assertEqual((found["scenario"]["value"], found["work"]["items"]), (9, 8))  # 8 halves, one wait
        found = self.document("scenario=offline", "repetitions=3")
        seconds = found["samples_ns"][0] / 1e9
        self.assertAlmostEqual(found["work"]["items"] / seconds, found["scenario"]["value"])

    def test_no_rate_is_unsupported(self):
        found = self.document("scenario=server", "latency_bound_ms=1")
        self.assertIn("no rate holds", found["unsupported"])
        self.assertNotIn("samples_ns", found)
        self.assertEqual(len(found["scenario"]["trials"]), 1)

    def test_a_wrong_result_has_no_scenario(self):
        for name in NAMES:
            found = self.document("scenario=" + name, wrong=True)
            self.assertNotIn("scenario", found)
            self.assertEqual((found["samples_ns"], found["check"]["pass"], self.simulation.calls), ([], False, 1))

    def test_none_is_as_ever(self):
        found = self.document("scenario=none")
        self.assertNotIn("scenario", found)
        self.assertGreater(found["work"]["flop"], 0)


SHORT = ["warmup_ms=1", "min_queries=10", "percentile=50", "max_seconds=20"]
QUICK = SHORT + ["min_duration_ms=5"]
# A server that others' work stops for longer than its queries' schedule takes is busy for longer than it, too, whatever the rate; and
# a second thread that others keep from running makes calls many times as long as those that the first rate is guessed from.
OF_A_SERVER = SHORT + ["min_duration_ms=200", "threads=1"]


@support.needs_numpy
class Numpy(support.PiTest):
    def test_every_pi(self):
        for words in (["matmul", "m=16", "n=16", "k=16"], ["conv1d", "length=32", "batch=1"], ["conv2d", "height=9", "width=9", "batch=1"],
                      ["transformer", "model=tiny", "phase=prefill", "context=4", "batch=2"],
                      ["transformer", "model=tiny", "phase=decode", "context=4", "tokens=2"]):
            for name in NAMES:
                with self.subTest(words=words, scenario=name):
                    found = self.pi(*words, "framework=numpy", "scenario=" + name, "repetitions=3", "latency_bound_ms=2000",
                                    *(OF_A_SERVER if name == "server" else QUICK))
                    self.assertNotIn("unsupported", found)
                    self.assertTrue(found["check"]["pass"])
                    self.assertEqual(found["scenario"]["name"], name)
                    self.assertGreater(found["scenario"]["value"], 0)
                    self.assertTrue(found["samples_ns"])
                    self.assertEqual([p["name"] for p in found["phases"]][-2:], ["warm_up", "measure"])
                    if words[0] == "transformer":
                        self.transformer(found, name)

    def test_every_framework(self):
        for fake, framework in (("tensorflow1", "tensorflow"), ("tensorflow2", "tensorflow"), ("jax", "jax"), ("torch", "torch"),
                                ("onnxruntime", "onnxruntime"), ("mxnet", "mxnet")):
            paths = {"PYTHONPATH": "%s:%s" % (support.FAKES / fake, support.FAKES)}
            words = ["matmul", "m=6", "n=7", "k=5", "framework=" + framework, "scenario=multi_stream"] + QUICK
            with self.subTest(fake=fake):
                found = self.pi(*words, **paths)
                self.assertGreater(found["scenario"]["queries"], 0, found)
                wrong = self.pi(*words, FAKE_FAULT="wrong", **paths)
                self.assertNotIn("scenario", wrong)
                self.assertEqual((wrong["samples_ns"], wrong["check"]["pass"]), ([], False))

    def transformer(self, found, name):
        described, batch = found["transformer"], found["parameters"]["batch"]
        self.assertNotIn("gflop_per_sec", described)
        self.assertNotIn("token_ms", found["metrics"])
        first = name in ("single_stream", "server") and described["phase"] == "prefill"
        self.assertEqual("first_token_ms" in found["metrics"], first)
        tokens = {"prefill": 4, "decode": 2}[described["phase"]]
        if name in ("server", "offline"):
            per_query = batch if name == "server" else 1
            self.assertLess(abs(described["tokens_per_sec"]["median"] / (found["scenario"]["value"] * tokens * per_query) - 1), .01)

    def test_training_and_workers_answer_no_queries(self):
        for words, message in ((["phase=train"], "phase=train answers no queries"),
                               (["phase=train", "workers=2"], "workers=2: scenario=server is of one process"),
                               (["phase=prefill", "workers=2"], "workers=2: scenario=server is of one process")):
            self.assertIn(message, self.pi("transformer", *words, "scenario=server", "framework=numpy", exit_code=2))

    def test_a_model_whose_logits_are_not_finite_has_no_scenario(self):
        import transformer
        found = parameters.Parameters(transformer.PI.parameters, ["framework=numpy", "model=tiny", "context=4", "scenario=single_stream"])
        with mock.patch.object(transformer.TransformerRun, "_finite", return_value=False):
            document = transformer.PI.run(found, protocol.plan_from(found), Phases(Clock.system()))
        self.assertNotIn("scenario", document)
        self.assertEqual((document["samples_ns"], document["check"]["pass"]), ([], False))

    @unittest.skipUnless(built("stackx-pi") and BLAS.exists(), "no stackx-pi is built, or no OpenBLAS installed")
    def test_members_and_rules_are_those_of_stackx_pi(self):
        for name in NAMES:
            words = ["matmul", "m=16", "n=16", "k=16", "threads=1", "scenario=" + name, "repetitions=3", "target_rate=2000",
                     "schedule_seed=9", "latency_bound_ms=2000", "min_queries=700", "min_duration_ms=5", "warmup_ms=1"]
            done = support.run(built("stackx-pi"), words[0], "--library", BLAS, *words[1:])
            native, found = json.loads(done.stdout), self.pi(*words, "framework=numpy")
            self.assertEqual(self.kinds(found["scenario"]), self.kinds(native["scenario"]))
            self.assertEqual(set(native) - set(found), set())
            for key in ("name", "metric", "unit", "min_queries", "min_duration_ns", "percentile", "bound_ns", "schedule_seed", "rate"):
                self.assertEqual(found["scenario"].get(key), native["scenario"].get(key), key)
            if name == "server":  # the rate of the schedule as it fell out: the same schedule
                self.assertEqual(found["scenario"]["value"], native["scenario"]["value"])
                self.assertEqual(found["samples_ns"], native["samples_ns"])

    def kinds(self, value):
        if isinstance(value, dict):
            return {key: self.kinds(member) for key, member in value.items()}
        return [self.kinds(member) for member in value] if isinstance(value, list) else type(value)


if __name__ == "__main__":
    unittest.main()
