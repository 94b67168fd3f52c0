"""Calibration and sampling with a clock that only calls move: the cases of tests/kernels/timing/test_measure.cpp."""

import gc
import unittest

import support
from stackx_pi.measure import MIN_REPETITIONS, Clock, Phases, Plan, measure, monotonic_by_ctypes, sampler

MS, EPOCH = 1000000, 1700000000000000000


class Simulation:
    """Each call takes `cost(i)` ns, i counting from 0; `wait` what it is told."""

    def __init__(self, cost, wait_ns=0):
        self.time, self.calls, self.cost = 1000, 0, cost if callable(cost) else lambda i: cost
        self.waits, self.wait_ns = 0, wait_ns
        self.clock = Clock(lambda: self.time, lambda: EPOCH + self.time)
        self.phases = Phases(self.clock)

    def call(self):
        self.time += self.cost(self.calls)
        self.calls += 1

    def wait(self):
        self.waits += 1
        self.time += self.wait_ns

    def run(self, plan=None):
        return measure(sampler(self.call, self.wait, self.clock), plan or Plan(), self.clock, self.phases)


class Measuring(unittest.TestCase):
    def test_a_sample_lasts_at_least_the_target_and_less_than_twice(self):
        for ns in (1, 37, 1000, 123456, 4999999):
            target = min(5 * MS, 1000 * ns)  # a simulated call costs real time too
            result = Simulation(ns).run(Plan(min_sample_ns=target, warm_up_ns=20 * target))
            self.assertEqual(len(result.samples_ns), 20)
            for sample in result.samples_ns:
                self.assertEqual(sample, ns * result.mini_batch)
                self.assertTrue(target <= sample < 2 * target, (ns, sample))
            self.assertFalse(result.stopped_early)

    def test_a_call_that_is_long_enough_is_a_sample_of_its_own(self):
        for ns in (5 * MS, 99 * MS, 8000 * MS):
            self.assertEqual(Simulation(ns).run().mini_batch, 1)

    def test_one_preempted_call_does_not_end_the_calibration(self):
        self.assertEqual(Simulation(lambda i: 6 * MS if i in (0, 5) else 10000).run().mini_batch, 512)

    def test_neither_does_one_that_waited_for_many_short_targets(self):
        simulation = Simulation(lambda i: 30 * MS if i == 2 else 10000)
        self.assertEqual(simulation.run(Plan(min_sample_ns=1 * MS, warm_up_ns=1 * MS)).mini_batch, 128)

    def test_a_warm_up_that_shows_short_samples_goes_on_calibrating(self):
        result = Simulation(lambda i: 2 * MS if i < 12 else 100000).run()
        self.assertEqual(result.mini_batch, 64)
        self.assertEqual(result.samples_ns[0], 64 * 100000)

    def test_a_mini_batch_that_is_given_is_kept(self):
        result = Simulation(1000).run(Plan(mini_batch=7, repetitions=5, warm_up_ns=100000))
        self.assertEqual((result.mini_batch, result.samples_ns), (7, [7000] * 5))

    def test_warming_up_lasts_as_long_as_asked_calibration_included(self):
        simulation = Simulation(1 * MS)
        simulation.run()
        phases = simulation.phases.done
        self.assertEqual([phase["name"] for phase in phases], ["calibrate", "warm_up", "measure"])
        before = phases[0]["duration_ns"] + phases[1]["duration_ns"]
        self.assertTrue(100 * MS <= before < 110 * MS, before)
        self.assertEqual(phases[1]["start_ns"], phases[0]["start_ns"] + phases[0]["duration_ns"])

    def test_a_very_slow_library_is_called_as_little_as_possible(self):
        simulation = Simulation(8000 * MS)
        result = simulation.run(Plan(max_ns=1000 * MS))
        self.assertEqual(simulation.calls, 1 + 3)
        self.assertEqual(len(result.samples_ns), MIN_REPETITIONS)
        self.assertTrue(result.stopped_early)

    def test_the_time_limit_stops_sampling_never_below_three(self):
        result = Simulation(10 * MS).run(Plan(repetitions=100, max_ns=400 * MS))
        self.assertTrue(result.stopped_early)
        self.assertEqual(len(result.samples_ns), 30)
        self.assertEqual(len(Simulation(10 * MS).run(Plan(repetitions=2, max_ns=1)).samples_ns), 2)

    def test_a_sample_ends_when_the_device_has(self):
        simulation = Simulation(1000, wait_ns=500)
        result = simulation.run(Plan(mini_batch=4, repetitions=3, warm_up_ns=0))
        self.assertEqual(result.samples_ns, [4 * 1000 + 500] * 3)
        self.assertEqual(simulation.waits, 3)

    def test_a_phase_is_recorded_even_when_its_work_raises(self):
        simulation = Simulation(1)
        with self.assertRaises(KeyError):
            with simulation.phases.record("check"):
                simulation.time += 5
                raise KeyError
        self.assertEqual(simulation.phases.done[0]["duration_ns"], 5)

    def test_the_collector_rests_while_samples_are_taken_and_works_again(self):
        seen = []

        def fail(_):
            seen.append(gc.isenabled())
            raise KeyError

        simulation = Simulation(1)
        with self.assertRaises(KeyError):
            measure(fail, Plan(), simulation.clock, simulation.phases)
        self.assertEqual((seen, gc.isenabled()), ([False], True))

    def test_the_clock_of_python_2_is_that_of_python_3(self):
        now, system = monotonic_by_ctypes(), Clock.system().steady_ns
        first, second, third = system(), now(), system()
        self.assertTrue(first <= second <= third, (first, second, third))


if __name__ == "__main__":
    unittest.main()
