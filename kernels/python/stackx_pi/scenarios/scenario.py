"""Runs a scenario: kernels/timing/scenario.cpp in Python, where latency counts from and when a rate holds in its header.

A query comes as a function of its number of samples that returns when they are answered, on a GPU too; the time from a clock, so that
tests need not wait. No garbage is collected meanwhile (measure.py).

Rejected: queries of several threads (see the package), and taking an interpreter's few microseconds off each latency: who asks a
framework from Python waits for them too.
"""

from __future__ import absolute_import, division

import math

from stackx_pi.measure import MIN_REPETITIONS, median, without_collections
from stackx_pi.scenarios.arrivals import poisson_arrivals
from stackx_pi.scenarios.latency import least_queries, most_late, percentile_of
from stackx_pi.scenarios.plan import MOST_QUERIES
from stackx_pi.scenarios.rate_search import RateSearch

SECOND, MILLISECOND = 1e9, 1e6
FEWEST_CALLS = 3  # that the time of one is guessed from
MOST_SAMPLES = 10000  # of a document


class Trial(object):
    """One rate of a server."""

    def __init__(self, rate):
        self.rate, self.scheduled = rate, 0.0  # asked for; that the schedule has
        self.queries = self.late = self.percentile_ns = 0  # of those run
        self.utilisation, self.holds = 0.0, False


class Scenario(object):
    def __init__(self, plan):
        self.plan = plan
        self.value = 0.0  # ms for the streams, 1/s for the others
        self.latencies_ns = []  # of all queries, sorted; none: offline
        self.samples_ns = []
        self.calls = 1  # in a query
        self.items = 1  # of one of samples_ns
        self.trials, self.held = [], None  # server; the trial that the latencies are of
        self.stopped_early = False  # max_ns came before the rules were met
        self.unsupported = None  # no rate holds the bound


class Run(object):
    """Everything but the statistics."""

    def __init__(self, query, plan, clock):
        self.query, self.plan, self.clock, self.now = query, plan, clock, clock.steady_ns
        self.begin, self.call_ns = self.now(), 0.0
        self.result = Scenario(plan)

    def _late(self, now):
        return self.plan.max_ns > 0 and now - self.begin >= self.plan.max_ns

    def warm_up(self):
        """Also what one call takes."""
        calls, every, warm_up_ns = 0, 0, self.plan.warm_up_ns
        half = now = self.begin
        while every < FEWEST_CALLS or now - self.begin < warm_up_ns:
            self.query(1)
            now = self.now()
            if every == 0 or now - self.begin < warm_up_ns // 2:
                half = now
            else:
                calls += 1
            every += 1
        self.call_ns = max(1.0, (now - half) / calls)

    def measure(self):
        {"server": self._server, "offline": self._offline}.get(self.plan.name, self._stream)()

    def _stream(self):
        plan, result, now = self.plan, self.result, self.now
        expected = plan.min_duration_ns / (self.call_ns * plan.samples_per_query)
        most = plan.min_queries + min(MOST_QUERIES, int(2 * expected))
        latencies = []
        issued = start = now()
        while len(latencies) < most:
            self.query(plan.samples_per_query)
            done = now()
            latencies.append(done - issued)
            if len(latencies) >= plan.min_queries and issued - start >= plan.min_duration_ns:
                break
            if self._late(done):
                result.stopped_early = True
                break
            issued = done
        result.calls = plan.samples_per_query
        result.items = result.calls * plan.items_per_call
        result.samples_ns, result.latencies_ns = latencies, sorted(latencies)
        result.value = percentile_of(result.latencies_ns, plan.fraction) / MILLISECOND

    def _offline(self):
        plan, result, samples = self.plan, self.result, self.result.samples_ns
        needed = int(1.1 * plan.min_duration_ns / self.call_ns)
        result.calls = min(max(needed, plan.min_queries, 1), max(MOST_QUERIES, plan.min_queries))
        while len(samples) < plan.repetitions:
            start = self.now()
            self.query(result.calls)
            done = self.now()
            samples.append(max(1, done - start))
            if self._late(done) and len(samples) >= MIN_REPETITIONS:
                break
        result.stopped_early = len(samples) < plan.repetitions
        result.items = result.calls * plan.items_per_call
        result.value = result.items * SECOND / median(samples)

    def _trial(self, rate, whole):
        """One rate, on the schedule of the seed; also the latencies, sorted. `whole`: goes on when it cannot hold any more."""
        plan, now, wait_until, query, trial = self.plan, self.now, self.clock.wait_until, self.query, Trial(rate)
        arrivals = poisson_arrivals(rate, plan.schedule_seed, plan.min_queries, plan.min_duration_ns)
        allowed = most_late(len(arrivals), plan.fraction) or 0
        latencies, busy, stopped = [], 0, False
        start = now()
        for arrival in arrivals:
            due = start + arrival
            issued = now()
            if issued < due:
                wait_until(due)
                issued = now()
            query(1)
            done = now()
            busy += done - issued
            latencies.append(done - due)
            trial.late += done - due > plan.bound_ns
            if (trial.late > allowed and not whole) or self._late(done):
                stopped = len(latencies) < len(arrivals)
                break
        trial.queries = len(latencies)
        latencies.sort()
        trial.percentile_ns = percentile_of(latencies, plan.fraction)
        trial.utilisation = rate * busy / (SECOND * trial.queries)
        trial.scheduled = (len(arrivals) - 1) * SECOND / max(1, arrivals[-1])
        trial.holds = (not stopped and trial.percentile_ns <= plan.bound_ns and trial.late <= allowed and trial.utilisation <= 1)
        self.result.trials.append(trial)
        return trial, latencies

    def _keep(self, trial, latencies):
        result = self.result
        result.held, result.latencies_ns, result.value = trial, latencies, trial.scheduled
        result.samples_ns = [max(1, int(math.floor(SECOND / trial.scheduled + .5)))]

    def _server(self):
        plan, result = self.plan, self.result
        if plan.target_rate > 0:
            self._keep(*self._trial(plan.target_rate, True))
            return
        plan.min_queries = max(plan.min_queries, least_queries(0, plan.fraction))  # fewer prove nothing
        search = RateSearch(SECOND / self.call_ns, plan.precision)
        while not search.done() and not result.stopped_early:
            trial, latencies = self._trial(search.rate, False)
            if trial.holds:
                self._keep(trial, latencies)
            search.add(trial.holds)
            if self.call_ns > plan.bound_ns and trial.late == trial.queries:  # even alone
                break
            result.stopped_early = self._late(self.now()) and not search.done()
        if result.held is None:
            result.unsupported = self._none_holds()

    def _none_holds(self):
        if self.result.stopped_early:
            return "max_seconds came before a rate was found that holds the latency bound"
        last = self.result.trials[-1]
        return ("no rate holds the latency bound of %s ms: at %.4g queries/s %d of %d queries took longer (a call alone takes %.4g ms)" % (
            ("%.6f" % (self.plan.bound_ns / MILLISECOND)).rstrip("0").rstrip("."), last.rate, last.late, last.queries,
            self.call_ns / MILLISECOND))


def thinned(samples):
    """Every k-th, so that a fast operation does not fill the store."""
    return samples[::max(1, -(-len(samples) // MOST_SAMPLES))]


def run_scenario(query, plan, clock, phases):
    with without_collections():
        run = Run(query, plan, clock)
        with phases.record("warm_up"):
            run.warm_up()
        with phases.record("measure"):
            run.measure()
    run.result.samples_ns = thinned(run.result.samples_ns)
    return run.result
