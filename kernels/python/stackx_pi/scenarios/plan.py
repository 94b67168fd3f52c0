"""Which scenario and how, from the parameters: those of stackx-pi, with its defaults and words."""

from __future__ import absolute_import, division

from stackx_pi.errors import UsageError
from stackx_pi.parameters import Parameter
from stackx_pi.protocol import nanoseconds, plan_from
from stackx_pi.scenarios.latency import least_queries

NAMES = ["single_stream", "multi_stream", "server", "offline"]
MOST_QUERIES = 10000000

PARAMETERS = [
    Parameter("scenario", "none", "none, single_stream, multi_stream, server, offline (as MLPerf's)"),
    Parameter("latency_bound_ms", "15", "server: what the percentile of the latencies must hold"),
    Parameter("percentile", "0", "of latencies; 0: 90 for single_stream, 99 for the others"),
    Parameter("target_rate", "0", "server: queries/s; 0: search the largest that holds the bound"),
    Parameter("rate_precision", "0.02", "server: when to end the search, relative"),
    Parameter("schedule_seed", "1", "server: of the arrivals, as LoadGen's schedule_rng_seed"),
    Parameter("samples_per_query", "8", "multi_stream; a sample is one call"),
    Parameter("min_queries", "0", "0: what early stopping needs (64 for 90, 662 for 99)"),
    Parameter("min_duration_ms", "300", "of a test, a trial or a batch; LoadGen: 600000"),
]


class ScenarioPlan(object):
    def __init__(self, name, **changes):
        self.name = name
        self.fraction = .90  # the percentile, 0.9 for the 90th
        self.samples_per_query = 1
        self.items_per_call = 1  # samples of offline that a call answers
        self.min_queries = 64
        self.min_duration_ns = 300000000
        self.bound_ns = 15000000
        self.target_rate = 0  # server: try this rate only; 0: search
        self.precision = .02
        self.schedule_seed = 1
        self.repetitions = 20  # offline
        self.warm_up_ns = 100000000
        self.max_ns = 0  # 0: no limit. Past it no further query, repetition or trial starts.
        for key, value in changes.items():
            assert hasattr(self, key), key
            setattr(self, key, value)


def scenario_plan_from(parameters):
    """None for scenario=none; wrong words are a UsageError all the same."""
    name, whole = parameters.one_of("scenario", ["none"] + NAMES), parameters.whole
    common, percentile = plan_from(parameters), parameters.number("percentile", 0)
    if percentile and not 1 <= percentile <= 99.99:
        raise UsageError("percentile=%s: expected 0 or a number from 1 to 99.99" % parameters.text("percentile"))
    plan = ScenarioPlan(name, fraction=percentile / 100 if percentile else .90 if name == "single_stream" else .99)
    samples = whole("samples_per_query", 1, 1000000)
    plan.samples_per_query = samples if name == "multi_stream" else 1
    plan.min_queries = whole("min_queries", 0, MOST_QUERIES)
    plan.min_duration_ns = nanoseconds(parameters, "min_duration_ms", 1e6)
    plan.bound_ns = nanoseconds(parameters, "latency_bound_ms", 1e6)
    plan.target_rate = parameters.number("target_rate", 0)
    plan.precision = parameters.number("rate_precision", 1e-4)
    plan.schedule_seed = whole("schedule_seed", 0, 0xffffffff)
    plan.repetitions, plan.warm_up_ns, plan.max_ns = common.repetitions, common.warm_up_ns, common.max_ns
    if name == "none":
        return None
    if not plan.min_queries and name != "offline":
        plan.min_queries = least_queries(1, plan.fraction)
    return plan
