""""scenario" of a PI's document: the members that kernels/timing/scenario.hpp lists, so that one reader serves both programs."""

from __future__ import absolute_import, division

import math

from stackx_pi.scenarios.latency import PERCENTILES, percentile_of, proven_percentile

METRICS = {"server": ("queries_per_s", "queries/s"), "offline": ("samples_per_s", "samples/s")}
TRIAL = ("rate", "queries", "late", "percentile_ns", "utilisation", "holds")


def latencies_of(ordered, fraction):
    if not ordered:
        return {}
    found = {"latency_ns": dict((name, percentile_of(ordered, p)) for name, p in PERCENTILES), "latency_min_ns": ordered[0],
             "latency_max_ns": ordered[-1], "latency_mean_ns": sum(ordered) // len(ordered)}
    proven = proven_percentile(ordered, fraction)
    if proven is not None:
        found["early_stopping_ns"] = proven
    return found


def server_of(scenario):
    found = {"bound_ns": scenario.plan.bound_ns, "schedule_seed": scenario.plan.schedule_seed,
             "trials": [dict((key, getattr(trial, key)) for key in TRIAL) for trial in scenario.trials]}
    if scenario.held is not None:
        found.update(rate=scenario.held.rate, holds=scenario.held.holds)
    return found


def document_of(scenario):
    plan = scenario.plan
    metric, unit = METRICS.get(plan.name, ("latency_ms", "ms"))
    found = {"name": plan.name, "metric": metric, "unit": unit, "value": scenario.value, "min_queries": plan.min_queries,
             "min_duration_ns": plan.min_duration_ns, "samples_per_query": scenario.calls}
    if plan.name == "offline":
        found["queries"] = len(scenario.samples_ns)
        return found
    found["queries"] = len(scenario.latencies_ns)
    found["percentile"] = math.floor(plan.fraction * 1e6 + .5) / 1e4
    found.update(latencies_of(scenario.latencies_ns, plan.fraction))
    if plan.name == "server":
        found.update(server_of(scenario))
    return found
