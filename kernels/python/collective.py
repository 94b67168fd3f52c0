"""all_reduce, all_gather, reduce_scatter, broadcast, alltoall by PyTorch: Gloo between CPUs, NCCL between GPUs.

The counterpart of stackx-pi's PIs of the same names (kernels/operations/collectives.cpp): the same parameters, inputs, formulas and
check. A rank is a process; started alone, ranks=N makes the others (stackx_pi/ranks). Rank 0 prints the document, the others nothing.
A sample is a barrier, then a loop of calls; of the ranks' times the largest.

    "metrics": {"algorithm_gbps"}, "collective": {"bus_gbps", "call_us", "message_bytes"}: by the median sample
"""

from __future__ import absolute_import, division

import sys

from stackx_pi import collectives, memory, protocol, ranks, work
from stackx_pi.bits import most_ulps
from stackx_pi.collectives import Exchange, inputs
from stackx_pi.collectives.memory import need_of
from stackx_pi.errors import Unsupported, UsageError, refusal
from stackx_pi.framework_pi import FrameworkRun
from stackx_pi.frameworks import Settings
from stackx_pi.measure import measure, median, sampler
from stackx_pi.parameters import Parameter
from stackx_pi.ranks import with_torch
from stackx_pi.ranks.circle import Circle

MOST_BYTES, USUAL_RANKS = 1 << 40, 2
NO_BUS = "one rank moves nothing: no bus bandwidth (0 bytes), the rate is calls a second"


class CollectiveRun(FrameworkRun):
    def __init__(self, parameters, plan, phases, settings, world):
        FrameworkRun.__init__(self, parameters, plan, phases, settings)
        if self.name != "torch":
            raise UsageError("framework=%s: collective operations are measured with torch" % self.name)
        self.world, self.seed = world, parameters.whole("seed", 0, 2**64 - 1)

    def alone(self):
        return self.world.size == 1

    def _measure(self, exchange):
        self.document["work_formula"] = collectives.formula(exchange.kind)
        with self.phases.record("connect"):
            if self.settings.device == "gpu":
                with_torch.use_own_gpu(self.adapter, self.world)
            with_torch.join(self.adapter.torch, self.world, self.settings.device)
            circle = Circle(self.world)
        memory.require(self.adapter, need_of(exchange, self.settings.device), self.parameters, circle.gathered)
        with self.phases.record("check"):
            bits = self._bits(arrays=lambda called: [inputs.held(called[1], exchange.dtype)], gathered=circle.gathered,
                              generator="splitmix64")
            call, received = self._refusing(lambda: bits.first(lambda: self._first_call(exchange)))
            check = most_ulps(circle.agreed(inputs.check(exchange, self.seed, self.world.rank, received)), circle.gathered)
            if check["pass"]:
                check.update(bits.described(lambda: self._first_call(exchange)))
        self.document["check"] = check
        if check["pass"]:
            clock = self.phases.clock
            sample = circle.sampler(sampler(call, self._wait(), clock))
            measurement = measure(sample, self.plan, circle.clock(clock), self.phases)
            protocol.put_measurement(self.document, self.parameters, self.plan, measurement)
            self._put_metrics(exchange, measurement)
        else:
            measurement = protocol.put_no_measurement(self.document, self.parameters, self.plan)
        self.document["work"] = work.of_sample({"flop": 0, "bytes": exchange.bus_bytes(), "items": 1},
                                               measurement.mini_batch)
        if exchange.ranks == 1:
            self.document["notes"].append(NO_BUS)
        if exchange.kind == "all_reduce":
            self.document["notes"].append("in place: torch.distributed has no other all_reduce")

    def _wait(self):
        return self.adapter.torch.cuda.synchronize if self.settings.device == "gpu" else None

    def _first_call(self, exchange):
        """(the call, what this rank received); of a message of its own, since a call in place leaves none"""
        from stackx_pi.collectives.operation import operation
        torch = self.adapter.torch
        dtype = getattr(torch, exchange.dtype)
        source = torch.from_numpy(inputs.sent_by(exchange, self.seed, self.world.rank))
        source = source.clone().to(device=self.adapter.device, dtype=dtype)
        target = torch.full((exchange.received,), -1 if exchange.dtype == "int32" else float("nan"), dtype=dtype,
                            device=self.adapter.device)
        if exchange.kind == "broadcast" and self.world.rank != 0:
            source.copy_(target)
        try:
            call = operation(torch, exchange, source, target)
            call()
            if self._wait() is not None:
                self._wait()()
        except RuntimeError as error:
            reason = refusal(error)
            if reason is None:
                raise
            raise Unsupported("torch %s: %s" % (self.adapter.version, reason))
        result = source if exchange.kind in ("all_reduce", "broadcast") else target
        result = result.float() if exchange.dtype == "bfloat16" else result
        return call, result.cpu().numpy().copy()

    def _put_metrics(self, exchange, measurement):
        call_ns = median(measurement.samples_ns) / measurement.mini_batch
        self.document["metrics"] = {"algorithm_gbps": exchange.message_bytes / call_ns}
        self.document["collective"] = {"bus_gbps": exchange.bus_bytes() / call_ns, "call_us": call_ns * 1e-3,
                                       "message_bytes": exchange.message_bytes}


def settings_of(parameters):
    """Without the dtype: what is added up is no matter of a framework's kernels."""
    return Settings(threads=parameters.whole_or("threads", "default", 1, 4096),
                    device=parameters.one_of("device", ["cpu", "gpu"]))


def runner(kind):
    def run(parameters, plan, phases):
        settings = settings_of(parameters)
        dtype = parameters.one_of("dtype", sorted(collectives.WIDTHS))
        reduction = parameters.one_of("reduction", ["sum", "max", "min"]) if kind in collectives.REDUCING else "sum"
        size = parameters.whole("bytes", 1, MOST_BYTES)
        parameters.whole("seed", 0, 2**64 - 1)
        world = ranks.start(parameters, "ranks", USUAL_RANKS)
        one = CollectiveRun(parameters, plan, phases, settings, world)
        exchange = Exchange(kind, dtype, reduction, world.size, size)
        if exchange.part == 0:
            one.document["unsupported"] = "bytes=%d: less than an element of %s for each of %d ranks" % (
                size, dtype, world.size)
            one.document["loaded"] = {}
            document = one.document
        else:
            document = one(exchange)
        ranks.end(world)
        return document
    return run


def pi_of(kind, summary):
    own = [Parameter("bytes", "1048576", "of the message, as given to nccl-tests (all_gather: the whole output)"),
           Parameter("dtype", "float32", "float32, float64, int32, float16, bfloat16, where the backend has it"),
           Parameter("ranks", "0", "0: all that a launcher started; where none did, 2"),
           ranks.NODES,
           Parameter("framework", "torch", "torch"),
           Parameter("device", "cpu", "cpu (Gloo) or gpu (NCCL)"),
           Parameter("threads", "default", "threads of torch in each rank; default: its own choice")]
    if kind in collectives.REDUCING:
        own.append(Parameter("reduction", "sum", "sum, max or min"))
    return protocol.Pi(kind, summary, protocol.with_plan_parameters(own), runner(kind))


PIS = [pi_of("all_reduce", "sum over all ranks, the result on each, by torch.distributed"),
       pi_of("all_gather", "every rank's part to all ranks, by torch.distributed"),
       pi_of("reduce_scatter", "sum over all ranks, a part of it on each, by torch.distributed"),
       pi_of("broadcast", "from rank 0 to all ranks, by torch.distributed"),
       pi_of("alltoall", "every rank sends a part to every other, by torch.distributed")]

if __name__ == "__main__":
    named = dict((pi.name, pi) for pi in PIS)
    protocol.main(named.get(sys.argv[1] if len(sys.argv) > 1 else "", PIS[0]), sys.argv[2:])
