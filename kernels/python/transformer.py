"""transformer: a decoder of stated shape with random weights, in a Python framework: tokens/s, time to the first token, a token.

    phase=prefill  a sample is one pass over `batch` prompts of `context` tokens: logits of the last position, and the cache
    phase=decode   `tokens` steps, one after the other, each awaited, from a cache of `context` positions; always from there
    phase=train    a step of gradient descent on `batch` sequences of `context` tokens
workers=N (train): so many processes train together, each on `batch` sequences (stackx_pi/parallel); a sample is a step of all.
(mini_batch=N: N of them.) Shape: model=PRESET and what is said beside it (stackx_pi/transformer/shape.py). Checked against NumPy
in float64 before time is taken (stackx_pi/transformer/check.py). work.items are tokens and work.flop is 0, so that stackx rates it
in tokens/s; flop and bytes by formula (stackx_pi/transformer/cost.py) are in "transformer", latencies and memory in "metrics":

    "transformer": {"model", "phase", "shape": {...}, "parameters", "tokens_per_sec": {"median", "least", "most"},
                    "flop", "flop_causal", "flop_parts": {...}, "flop_per_token", "gflop_per_sec", "bytes", "gbyte_per_sec",
                    "loss": [of the last step of each sample; train]}      flop, bytes: of a sample, of one worker
    "metrics": {"first_token_ms"  prefill: median time of a pass
                "token_ms"        decode: median time of a step
                "kv_cache_bytes"  prefill, decode: keys and values of all positions
                "peak_device_memory_bytes"  on a GPU, by the framework's own counter}

scenario=... (prefill, decode; stackx_pi/scenarios): a query is such a sample. Then work.items are queries, of offline and streams the
sequences in them, tokens_per_sec is of what was answered, first_token_ms (single_stream, server) is the median latency, what was
waited in it, and there are no token_ms and no flop a second.

llama-bench's tests (llama.cpp, tools/llama-bench) and the words that ask the same here; docs/transformer.md says where they differ:
    -p N (ppN)               phase=prefill context=N
    -n N -d D (tgN @ dD)     phase=decode tokens=N context=D
    -r N                     repetitions=N mini_batch=1
    -t N                     threads=N
"""

from __future__ import absolute_import, division

import sys

from stackx_pi import protocol, transformer
from stackx_pi.errors import UsageError
from stackx_pi.framework_pi import FrameworkRun, settings_from, with_scenario_parameters
from stackx_pi.measure import Measurement, measure, median
from stackx_pi.parallel.workers import PARAMETERS, refuse, start
from stackx_pi.parameters import Parameter
from stackx_pi.scenarios.plan import scenario_plan_from
from stackx_pi.transformer import check, cost, memory, shape

PHASES = ["prefill", "decode", "train"]
TIMED_RATE = 2.0**-7


class Decoding(object):
    """What was asked for."""

    def __init__(self, parameters):
        phase, whole = parameters.one_of("phase", PHASES), parameters.whole
        self.model, self.shape = shape.from_parameters(parameters)
        self.task = cost.Task(phase, whole("batch", 1, 1 << 16), whole("context", 0, 1 << 20), whole("tokens", 1, 1 << 16))
        if phase != "decode" and not self.task.context:
            raise UsageError("context=0: phase=%s needs tokens; only decode can begin with an empty cache" % phase)
        self.seed = whole("seed", 0, 2**64 - 1)


class TransformerRun(FrameworkRun):
    def __init__(self, parameters, plan, phases, settings, workers, scenario=None):
        FrameworkRun.__init__(self, parameters, plan, phases, settings, scenario)
        self.workers = workers

    def alone(self):
        return not self.workers.several

    def _before_load(self):
        self.workers.prepare(self.name)

    def _measure(self, operation):
        self.asked, self.losses, self.steps_ns, self.own_ns = operation, [], [], []
        self.workers.join(self.adapter)
        task, dtype = operation.task, self.settings.dtype
        transformer.require(self.adapter, task.phase)
        memory.require(self.adapter, operation.shape, task, self.workers.gathered)
        with self.phases.record("check"):
            runner, result = self._refusing(self._checked)
        self.document["check"], measurement = result, None
        if result["pass"]:
            if runner is None:
                with self.phases.record("prepare"):
                    runner = self._refusing(self._timed)
            measurement = self._time(runner) if self.scenario is None else self._under_load(runner)
        if not self.document["check"]["pass"]:
            measurement = protocol.put_no_measurement(self.document, self.parameters, self.plan)
        if "scenario" not in self.document:
            self.document["work"] = {"flop": 0, "bytes": 0, "items": self._tokens() * measurement.mini_batch}
            self.document["work_formula"] = cost.FORMULA
        self.document["transformer"] = self._described(measurement)
        self.document["metrics"] = self._metrics(measurement, runner, dtype)

    def _tokens(self):
        return self.asked.task.items() * self.workers.world.size

    def _runner(self, checked):
        return transformer.runner(self.adapter, checked.shape, checked.weights(), checked.task.phase == "train")

    def _checked(self):
        """(the Runner, None if it is not the one to be timed; the result)"""
        one, settings = self.asked, self.settings
        few, task, whole = check.affordable(one.shape, one.task)
        asked = (few, task, settings.dtype, settings.tf32, one.seed)
        runner, bits = self._runner(check.Check(*asked)), self._bits(arrays=check.arrays_of, gathered=self.workers.gathered)
        result = check.check_runner(runner, *asked, whole=whole, workers=self.workers, bits=bits)
        if result["pass"]:
            result.update(bits.described(self._again(runner, check.Check(*asked, workers=self.workers))))
        return runner if whole else None, result

    def _again(self, runner, checked):
        """What its result is once more. A training step needs the first weights, and so another runner."""
        def train():
            another = self._runner(checked)
            checked.start(another)
            return checked.found(another)

        if checked.task.phase != "train":
            return lambda: checked.found(runner)
        return train if self.workers.exchange.repeats else None

    def _timed(self):
        """The model itself, where another was checked. One call: compiling is no part of the calibration."""
        one, settings = self.asked, self.settings
        whole = check.Check(one.shape, one.task, settings.dtype, settings.tf32, one.seed, self.workers)
        runner = self._runner(whole)
        whole.start(runner)
        {"prefill": runner.prefill, "decode": lambda: runner.step(0), "train": lambda: runner.train(TIMED_RATE)}[one.task.phase]()
        return runner

    def _sampler(self, runner):
        """mini-batch -> elapsed ns; leaves the times of a sample's steps in self.last_ns, its loss in self.loss."""
        clock, tokens, phase = self.phases.clock.steady_ns, self.asked.task.tokens, self.asked.task.phase

        def prefill(mini_batch):
            begin = clock()
            for _ in range(mini_batch):
                runner.prefill()
            return clock() - begin

        def decode(mini_batch):
            times = [clock()]
            for _ in range(mini_batch):
                for i in range(tokens):
                    runner.step(i)
                    times.append(clock())
            self.last_ns = [after - before for before, after in zip(times, times[1:])]
            return times[-1] - times[0]

        def train(mini_batch):
            begin = clock()
            for _ in range(mini_batch):
                self.loss = runner.train(TIMED_RATE)
            self.last_ns = clock() - begin
            return self.last_ns

        return {"prefill": prefill, "decode": decode, "train": train}[phase]

    def _time(self, runner):
        phase = self.asked.task.phase

        def measured(_, __):
            if phase == "decode":
                self.steps_ns += self.last_ns
            elif phase == "train":
                self.losses.append(self.loss)
                self.own_ns.append(self.last_ns)

        sample, clock = self.workers.together(self._sampler(runner)), self.workers.clock(self.phases.clock)
        measurement = measure(sample, self.plan, clock, self.phases, measured)
        protocol.put_measurement(self.document, self.parameters, self.plan, measurement)
        self._finite_or_wrong(runner)
        return measurement

    def _query(self, runner):
        """samples -> None"""
        tokens = self.asked.task.tokens

        def prefill(samples):
            for _ in range(samples):
                runner.prefill()

        def decode(samples):
            for _ in range(samples):
                for i in range(tokens):
                    runner.step(i)

        return prefill if self.asked.task.phase == "prefill" else decode

    def _under_load(self, runner):
        """A Measurement whose mini-batch is a query."""
        measurement, found = Measurement(), self._run_scenario(self._query(runner), self.asked.task.batch)
        measurement.mini_batch, measurement.samples_ns = found.calls, found.samples_ns
        if self._finite_or_wrong(runner):
            self._put_scenario(found)
        return measurement

    def _finite_or_wrong(self, runner):
        finite = self._finite(runner)
        if not finite:
            self.document["check"] = dict(self.document["check"], **{
                "pass": False, "detail": "the %s of the timed model are not finite" % (
                    "losses" if self.asked.task.phase == "train" else "last logits")})
        return finite

    def _finite(self, runner):
        import numpy
        found = numpy.array(self.losses) if self.asked.task.phase == "train" else runner.logits()
        return all(self.workers.gathered(bool(numpy.isfinite(found).all())))

    def _described(self, measurement):
        one, dtype, calls = self.asked, self.settings.dtype, measurement.mini_batch
        task, sizes = one.task, one.shape
        found = {"model": one.model, "phase": task.phase, "shape": sizes.sizes(), "parameters": sizes.parameter_count(),
                 "flop": calls * cost.flop(sizes, task), "flop_causal": calls * cost.flop(sizes, task, causal=True),
                 "flop_parts": dict((key, calls * value) for key, value in cost.flop_parts(sizes, task).items()),
                 "flop_per_token": cost.flop(sizes, task) / task.items(), "bytes": calls * cost.bytes_moved(sizes, task, dtype)}
        if measurement.samples_ns:
            seconds = [ns / 1e9 for ns in measurement.samples_ns]
            tokens, middle = self._tokens() * calls, median(seconds)
            found["tokens_per_sec"] = {"median": tokens / middle, "least": tokens / max(seconds), "most": tokens / min(seconds)}
            if self.scenario is None:
                found["gflop_per_sec"], found["gbyte_per_sec"] = found["flop"] / middle / 1e9, found["bytes"] / middle / 1e9
        found.update(self.workers.described("tokens_per_sec", task.items() * calls, self.own_ns))
        if self.losses:
            found["loss"] = [loss if abs(loss) < float("inf") else None for loss in self.losses]
        return found

    def _metrics(self, measurement, runner, dtype):
        """Positive numbers alone; what does not apply is left out."""
        one, found = self.asked, {}
        phase = one.task.phase
        if phase != "train":
            found["kv_cache_bytes"] = cost.cache_bytes(one.shape, one.task, dtype)
        if measurement.samples_ns and phase == "prefill":
            found["first_token_ms"] = self._first_token_ms(measurement)
        if measurement.samples_ns and phase == "decode" and self.scenario is None:
            found["token_ms"] = median(self.steps_ns) / 1e6
        if measurement.samples_ns and self.settings.device == "gpu":
            found["peak_device_memory_bytes"] = runner.peak_memory()
        return dict((key, value) for key, value in found.items() if value)

    def _first_token_ms(self, measurement):
        """Under load as who asks sees it; None where a query is many prompts."""
        if self.scenario is None:
            return median(measurement.samples_ns) / measurement.mini_batch / 1e6
        if self.scenario.name in ("single_stream", "server"):
            return self.document["scenario"]["latency_ns"]["50"] / 1e6
        return None


def run(parameters, plan, phases):
    settings = settings_from(parameters)
    decoding = Decoding(parameters)
    scenario = scenario_plan_from(parameters)
    if scenario is not None:
        refuse(parameters, "scenario=%s is of one process" % scenario.name)
        if decoding.task.phase == "train":
            raise UsageError("scenario=%s: phase=train answers no queries; prefill and decode do" % scenario.name)
    if decoding.task.phase != "train":
        refuse(parameters, "phase=%s has no gradients; workers train" % decoding.task.phase)
    workers, document = start(parameters, phases)
    if document is None:
        document = TransformerRun(parameters, plan, phases, settings, workers, scenario)(decoding)
        workers.end()
    return document


PI = protocol.Pi("transformer", "a decoder of stated shape, random weights, by a Python framework: prefill, decode, train",
                 with_scenario_parameters([
                     Parameter("phase", "prefill", "prefill (a prompt), decode (token by token), train (a step)"),
                     Parameter("batch", "1", "sequences at once"),
                     Parameter("context", "128", "tokens of a prompt or a sequence; decode: in the cache before the first step"),
                     Parameter("tokens", "32", "decode: steps of a sample"),
                     Parameter("model", "small", "shape: " + ", ".join(shape.PRESETS)),
                     Parameter("layers", "preset", "layers, if not the preset's"),
                     Parameter("width", "preset", "numbers that stand for a token between the layers"),
                     Parameter("heads", "preset", "heads of queries"),
                     Parameter("kv_heads", "preset", "heads of keys and values, each for heads/kv_heads of queries"),
                     Parameter("feed_forward", "preset", "columns of gate and up"),
                     Parameter("vocabulary", "preset", "tokens that there are"),
                 ] + PARAMETERS), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
