"""What matmul and the convolutions share: one operation of one framework, checked, then measured.

    load (import the framework) -> check (inputs, first call, reference) -> calibrate -> warm_up -> measure
    load -> check -> warm_up -> measure                                     of a scenario (stackx_pi/scenarios)
"""

from __future__ import absolute_import, division

import os
import sys

from stackx_pi import frameworks, libraries, memory, protocol, threads, versions, work
from stackx_pi.bits import Bits
from stackx_pi.errors import Unsupported, refusal, shortage
from stackx_pi.measure import measure, sampler
from stackx_pi.parameters import Parameter
from stackx_pi.scenarios.document import document_of
from stackx_pi.scenarios.plan import PARAMETERS as SCENARIO_PARAMETERS
from stackx_pi.scenarios.scenario import run_scenario

DTYPES = ["float32", "float64", "float16", "bfloat16"]
SCENARIO_FORMULA = "items: samples that were answered"


def with_framework_parameters(own, **fallbacks):
    return protocol.with_plan_parameters(own + [
        Parameter("dtype", "float32", "float32, float64, float16, bfloat16, where the framework has it"),
        Parameter("framework", "auto", "numpy, tensorflow, jax, torch, onnxruntime, mxnet; auto: what is installed"),
        Parameter("mode", "default", "function (a graph, compiled) or eager; default: as the framework is mostly used"),
        Parameter("device", "cpu", "cpu or gpu (the first one)"),
        Parameter("threads", "default", "threads inside an operation; default: the framework's own choice"),
        Parameter("tf32", "0", "1: TensorFloat-32 may be used on a GPU, and is accepted by the check"),
    ], **fallbacks)


def with_scenario_parameters(own):
    """Of a PI whose calls can be queries."""
    return with_framework_parameters(own) + SCENARIO_PARAMETERS


def settings_from(parameters, layout="default"):
    return frameworks.Settings(
        dtype=parameters.one_of("dtype", DTYPES), threads=parameters.whole_or("threads", "default", 1, 4096),
        device=parameters.one_of("device", ["cpu", "gpu"]),
        mode=parameters.one_of("mode", ["default", "function", "eager"]),
        tf32=parameters.whole("tf32", 0, 1) == 1, layout=layout)


def query_of(call):
    """samples -> None: so many calls, which have ended when it returns."""
    run, wait = call.run, call.wait

    def query(samples):
        for _ in range(samples):
            run()
        if wait is not None:
            wait()

    return query


def called(call):
    """(the call, its result)"""
    call.run()
    if call.wait is not None:
        call.wait()
    return call, call.result()


class FrameworkRun(object):
    """`operation` has: need() -> memory.Need, prepare(adapter) -> Call, check(result) -> document, work -> {...} of one call, formula.
    `scenario`: a ScenarioPlan; None: samples of mini-batches."""

    def __init__(self, parameters, plan, phases, settings, scenario=None):
        self.scenario = scenario
        self.parameters, self.plan, self.phases, self.settings = parameters, plan, phases, settings
        self.adapter = None
        self.name, self.module = frameworks.find(parameters.text("framework"))
        parameters.set("framework", self.name)
        self.document = {"component": self.name, "notes": [], "parameters": parameters.json()}

    def __call__(self, operation):
        try:
            threads.announce(self.settings.threads)
            with self.phases.record("load"):
                self._before_load()
                self.adapter = frameworks.adapter(self.name, self.settings)
            self.parameters.set("mode", self.adapter.mode)
            threads.require(self.settings.threads, self.adapter.threads_used(), self.name)
            self._measure(operation)
        except Unsupported as reason:
            self.document["unsupported"] = str(reason)
            self.document.setdefault("parameters", self.parameters.json())
        self._describe()
        return self.document

    def alone(self):
        """No other process waits for this one, and would for ever for one that refuses."""
        return True

    def _before_load(self):
        pass

    def _measure(self, operation):
        with self.phases.record("check"):
            call, check = self._checked(operation)
        self.document["check"] = check
        threads.require(self.settings.threads, self.adapter.threads_used(), self.name)
        if check["pass"] and self.scenario is not None:
            self._put_scenario(self._run_scenario(query_of(call), operation.work["items"]))
            return
        if check["pass"]:
            clock = self.phases.clock
            measurement = measure(sampler(call.run, call.wait, clock), self.plan, clock, self.phases)
            protocol.put_measurement(self.document, self.parameters, self.plan, measurement)
        else:
            measurement = protocol.put_no_measurement(self.document, self.parameters, self.plan)
        self.document["work"] = work.of_sample(operation.work, measurement.mini_batch)
        self.document["work_formula"] = operation.formula

    def _run_scenario(self, query, items_per_call):
        """Of a checked operation."""
        self.scenario.items_per_call = items_per_call
        return run_scenario(query, self.scenario, self.phases.clock, self.phases)

    def _put_scenario(self, found):
        self.document["parameters"] = self.parameters.json()
        self.document["scenario"] = document_of(found)
        if found.unsupported:
            raise Unsupported(found.unsupported)
        self.document["samples_ns"] = found.samples_ns
        self.document["work"] = {"flop": 0, "bytes": 0, "items": found.items}  # a load has no flop a second
        self.document["work_formula"] = SCENARIO_FORMULA
        if found.stopped_early:
            self.document["notes"].append("stopped before the scenario's rules were met: max_seconds=" +
                                          self.parameters.text("max_seconds"))

    def _checked(self, operation):
        memory.require(self.adapter, operation.need(), self.parameters)
        bits = self._bits(arrays=lambda called: called[1:])
        call, result = self._refusing(lambda: bits.first(lambda: called(operation.prepare(self.adapter))))
        check = operation.check(result)
        del result  # before there are others
        if check["pass"]:
            check.update(bits.described(lambda: called(call)))
        return call, check

    def _bits(self, **more):
        return Bits(self.phases.clock, self.parameters.text("seed"), **more)

    def _refusing(self, function):
        """A framework says only when it runs that it has no such kernel, or that the GPU's memory is short."""
        try:
            return function()
        except (Unsupported, MemoryError):
            raise
        except Exception as error:  # pylint: disable=broad-except
            reason = refusal(error) or (shortage(error) if self.alone() else None)
            if reason is None:
                raise
            raise Unsupported("%s: %s" % (self.name, reason))

    def _describe(self):
        adapter, document = self.adapter, self.document
        stated = adapter.version if adapter is not None else None
        document["loaded"] = versions.loaded(self.name, stated)
        found = libraries.loaded_libraries() if adapter is not None else []
        document["libraries"] = found
        if adapter is not None:
            library = self._library(found)
            if library is not None:
                document["library"] = library
            notes = adapter.notes + document["notes"]
            document["notes"] = [note for i, note in enumerate(notes) if note not in notes[:i]]  # of two that were made alike
            document["build"] = self._build()
            document["threads"] = adapter.threads_used()

    def _build(self):
        """Frameworks rename and drop these calls: what cannot be told is noted, and costs no measurement."""
        try:
            build = self.adapter.build()
        except Exception as error:  # pylint: disable=broad-except
            self.document["notes"].append("no build information: %s: %s" % (type(error).__name__, error))
            build = {}
        return dict(build, version=self.adapter.version)

    def _library(self, found):
        """What did the work: NumPy's BLAS; of the other frameworks, whose wheels bring one large file, that file."""
        if self.name == "numpy":
            multipliers = [library for library in found if library["kind"] in ("openblas", "mkl", "blis")]
            return multipliers[0] if multipliers else None
        home = os.path.dirname(os.path.realpath(sys.modules[self.module].__file__)) + os.sep
        own = [path for path in protocol.mapped_files() if path.startswith(home) and os.path.isfile(path)]
        return {"path": max(own, key=os.path.getsize), "kind": self.name} if own else None
