"""What matmul and the convolutions share: one operation of one framework, checked, then measured.

    load (import the framework) -> check (inputs, first call, reference) -> calibrate -> warm_up -> measure
"""

from __future__ import absolute_import, division

import os
import sys

from stackx_pi import bits, frameworks, libraries, protocol, threads, versions, work
from stackx_pi.errors import Unsupported, refusal
from stackx_pi.measure import measure, sampler
from stackx_pi.parameters import Parameter

DTYPES = ["float32", "float64", "float16", "bfloat16"]


def with_framework_parameters(own, **fallbacks):
    return protocol.with_plan_parameters(own + [
        Parameter("dtype", "float32", "float32, float64, float16, bfloat16, where the framework has it"),
        Parameter("framework", "auto", "numpy, tensorflow, jax, torch, onnxruntime, mxnet; auto: what is installed"),
        Parameter("mode", "default", "function (a graph, compiled) or eager; default: as the framework is mostly used"),
        Parameter("device", "cpu", "cpu or gpu (the first one)"),
        Parameter("threads", "default", "threads inside an operation; default: the framework's own choice"),
        Parameter("tf32", "0", "1: TensorFloat-32 may be used on a GPU, and is accepted by the check"),
    ], **fallbacks)


def settings_from(parameters, layout="default"):
    return frameworks.Settings(
        dtype=parameters.one_of("dtype", DTYPES), threads=parameters.whole_or("threads", "default", 1, 4096),
        device=parameters.one_of("device", ["cpu", "gpu"]),
        mode=parameters.one_of("mode", ["default", "function", "eager"]),
        tf32=parameters.whole("tf32", 0, 1) == 1, layout=layout)


class FrameworkRun(object):
    """`operation` has: prepare(adapter) -> Call, check(result) -> document, work -> {...} of one call, formula."""

    def __init__(self, parameters, plan, phases, settings):
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

    def _before_load(self):
        pass

    def _measure(self, operation):
        with self.phases.record("check"):
            call, check = self._checked(operation)
        self.document["check"] = check
        threads.require(self.settings.threads, self.adapter.threads_used(), self.name)
        if check["pass"]:
            clock = self.phases.clock
            measurement = measure(sampler(call.run, call.wait, clock), self.plan, clock, self.phases)
            protocol.put_measurement(self.document, self.parameters, self.plan, measurement)
        else:
            measurement = protocol.put_no_measurement(self.document, self.parameters, self.plan)
        self.document["work"] = work.of_sample(operation.work, measurement.mini_batch)
        self.document["work_formula"] = operation.formula

    def _checked(self, operation):
        clock = self.phases.clock
        begin = clock.steady_ns()
        call, result = self._refusing(lambda: self._first_call(operation))
        took = clock.steady_ns() - begin
        check = operation.check(result)
        if check["pass"]:
            digest = bits.digest_of(result)
            del result  # before there are others
            check.update(bits.bits_of(call, digest, self.parameters.text("seed"), took, clock))
        return call, check

    def _first_call(self, operation):
        call = operation.prepare(self.adapter)
        call.run()
        if call.wait is not None:
            call.wait()
        return call, call.result()

    def _refusing(self, function):
        """A framework says only when it runs that it has no such kernel."""
        try:
            return function()
        except (Unsupported, MemoryError):
            raise
        except Exception as error:  # pylint: disable=broad-except
            reason = refusal(error)
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
            document["notes"] = adapter.notes + document["notes"]
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
