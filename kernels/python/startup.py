"""startup: how long a framework takes until it works, each time in a fresh interpreter: import, first call, compilation, first step.

A call starts a child (startup_child.py) with the same interpreter, flags, packages and environment. Its stretches, in this order:
    interpreter_start  from starting the child to its first statement
    import             `import MODULE`, as the PI `import` times it
    first_call         device and adapter set up, a product of 8 x 8 computed eagerly and fetched: all that is initialised lazily
    inputs             the step's inputs converted and copied to the device (ONNX Runtime, TensorFlow 1: in `first`)
    first              the first call of the step, awaited: with mode=function compiled by torch.compile, jax.jit, tf.function, or
                       (ONNX Runtime, TensorFlow 1) the session made and run
    steady             the same again, the median of 5 calls
    compile            first - steady;  only with mode=function
    first_step         interpreter_start + import + first_call + inputs + first: what a program waits for its first result. Our own
                       work between the stretches (random numbers, checks) is in none of them.
of=... says which of them samples_ns are; a sample is the sum over its mini-batch of children (one by default). Of all measured
children the document has

    "stretches_ns": {name: [of each child]}, "metrics": {"import_ms", "first_call_ms", "compile_ms", "first_step_ms",
                     "interpreter_start_ms": medians},
    "cache": {"asked", "variables", "files_before", "files_after", "bytes", of the last child; "counts", "hits": what its compiler told}

cache=cold: every child has an empty directory for compilers' caches. warm: all have the same, filled by the check's child, which is
not measured. Files of the framework itself are warm either way, in the page cache: the check's child has read them.
The check: the results of the small product, the first and the last step, in float64, in every child; that the compiler has compiled
(compilers.py); that cold was cold; the same version from the same file in every child.
Rejected: clearing caches in one process (torch._dynamo.reset, jax.clear_caches): no lazy initialisation comes back. Dropping the page
cache: needs root.
"""

from __future__ import absolute_import, division

import json
import os
import shutil
import sys
import tempfile

from stackx_pi import frameworks, protocol, threads, versions
from stackx_pi.errors import EnvironmentFault, Unsupported
from stackx_pi.framework_pi import settings_from, with_framework_parameters
from stackx_pi.measure import measure, median
from stackx_pi.parameters import Parameter
from stackx_pi.starting import caches, children, steps

STRETCHES = ["first_step", "first_call", "compile", "import"]
SMALLEST = 8  # of startup_child.py
METRICS = STRETCHES + ["interpreter_start"]


class Starter(object):
    """Starts children, in a scratch directory of its own, and keeps what they told."""

    def __init__(self, module, request, of, cold, clock):
        self.module, self.of, self.cold, self._clock = module, of, cold, clock
        self._command = children.command("startup_child.py", [module, json.dumps(request, sort_keys=True)])
        self.scratch = tempfile.mkdtemp(prefix="stackx-startup-")
        self.stretches, self.programs, self.last, self.cache, self.fault = {}, set(), None, {}, None

    def start(self):
        """One child; its stretches."""
        directory = tempfile.mkdtemp(dir=self.scratch) if self.cold else os.path.join(self.scratch, "warm")
        environment = caches.environment(directory)
        before, _ = caches.content(directory)
        begin = self._clock.steady_ns()
        self.last = known = children.answer(self._command, "startup of " + self.module, environment)
        self.programs.add(children.program(known))
        if "unsupported" in known:
            raise Unsupported(known["unsupported"])
        after, size = caches.content(directory)
        self.cache = {"asked": "cold" if self.cold else "warm", "variables": caches.VARIABLES, "files_before": before, "files_after": after,
                      "bytes": size, "counts": known["counts"], "hits": known["hits"]}
        if self.cold:
            shutil.rmtree(directory, ignore_errors=True)
        self.fault = self.fault or wrong(known, self.cold)
        return stretches(known, begin)

    def once(self):
        found = self.start()
        for name, nanoseconds in found.items():
            self.stretches.setdefault(name, []).append(nanoseconds)
        if self.of not in found:
            raise EnvironmentFault("startup of %s: the first call took no longer than a later one: compilation cannot be told from a "
                                   "step of %.3g ms; is a smaller size enough?" % (self.module, found["steady"] / 1e6))
        return found[self.of]

    def sample(self, mini_batch):
        return sum(self.once() for _ in range(mini_batch))

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)


def stretches(known, begin):
    found = {"interpreter_start": known["first_statement_ns"] - begin, "import": known["import_ns"],
             "first_call": known["first_call_ns"], "first": known["first_ns"], "steady": int(median(known["steady_ns"]))}
    if known["inputs_ns"] is not None:
        found["inputs"] = known["inputs_ns"]
    found["first_step"] = sum(found[name] for name in ("interpreter_start", "import", "first_call", "inputs", "first") if name in found)
    if known["mode"] == "function" and found["first"] > found["steady"]:
        found["compile"] = found["first"] - found["steady"]
    return found


def wrong(known, cold):
    """A check that fails, or None."""
    for check in known["checks"]:
        if not check["pass"]:
            return check
    detail = None
    if known["compiled"] is False:
        detail = "nothing was compiled: the compiler counts %s; the function ran operation by operation" % (known["counts"] or "nothing")
    elif cold and known["hits"]:
        detail = "cold was not cold: %d programs came from a cache on disk; is one set elsewhere?" % known["hits"]
    return dict(known["checks"][-1], **{"pass": False, "detail": detail}) if detail else None


def notes(starter, filled):
    """What a reader must know of a run; `filled`: the cache as the check's child left it."""
    known, found = starter.last, list(starter.last["notes"])
    name = "%s %s" % (starter.module, known["version"])
    if known["mode"] != "function":
        found.append("%s ran operation by operation: there is nothing to compile" % name)
    elif not filled["files_after"]:
        found.append("%s left nothing in a cache on disk: %s" % (name, "warm is as cold" if not starter.cold else "cold is all it has"))
    elif not starter.cold and known["hits"] == 0:
        found.append("%s told of no hit in the filled cache: warm may be as cold" % name)
    if known["mode"] == "function" and known["compiled"] is None:
        found.append("%s does not tell whether it compiled" % name)
    return found


def describe(document, starter, filled):
    known = starter.last
    document["notes"] = notes(starter, filled) + document["notes"]
    document["cache"] = starter.cache
    document["libraries"], document["threads"], document["files"] = known["libraries"], known["threads"], known["files"]
    document["build"] = {"module": starter.module, "file": known["file"], "version": known["version"]}


def measured(document, parameters, plan, phases, starter):
    filled = None
    with phases.record("check"):
        starter.start()
        filled, first = starter.cache, set(starter.programs)
    parameters.set("mode", starter.last["mode"])
    if starter.of == "compile" and starter.last["mode"] != "function":
        raise Unsupported("%s %s compiled nothing: mode=%s" % (document["component"], starter.last["version"],
                                                              starter.last["mode"]))
    if starter.fault is None:
        measurement = measure(starter.sample, plan, phases.clock, phases)
        protocol.put_measurement(document, parameters, plan, measurement)
        document["stretches_ns"] = starter.stretches
        document["metrics"] = dict((name + "_ms", median(starter.stretches[name]) / 1e6) for name in METRICS
                                   if name in starter.stretches)
    else:
        measurement = protocol.put_no_measurement(document, parameters, plan)
    document["check"] = verdict(starter, starter.programs == first)
    if not document["check"]["pass"]:
        document["samples_ns"] = []
        document.pop("metrics", None)
    document["work"] = {"flop": 0, "bytes": 0, "items": measurement.mini_batch}
    document["work_formula"] = "items: starts"
    describe(document, starter, filled)


def verdict(starter, same):
    check = dict(starter.fault or starter.last["checks"][-1])
    check["reference"] += "; the same version from the same file in every process"
    if not same and check["pass"]:
        check.update({"pass": False, "detail": "not the same program in every process: " + ", ".join(
            sorted("%s from %s" % program for program in starter.programs))})
    return check


def announce(name, settings):
    """What children must find in their environment before they import the framework."""
    threads.announce(settings.threads)
    if name == "jax":
        from stackx_pi.frameworks import with_jax
        with_jax.prepare(settings)


def run(parameters, plan, phases):
    settings = settings_from(parameters)
    size = parameters.whole("size", 2 * SMALLEST, 1 << 14)  # the first call's product is none of a compiler's hits for it
    cold = parameters.one_of("cache", ["cold", "warm"]) == "cold"
    of, operation = parameters.one_of("of", STRETCHES), parameters.one_of("operation", steps.OPERATIONS)
    name, module = frameworks.find(parameters.text("framework"))
    parameters.set("framework", name)
    document = {"component": name, "notes": [], "parameters": parameters.json()}
    inside = {"dtype": settings.dtype, "threads": settings.threads, "device": settings.device, "mode": "eager", "tf32": settings.tf32}
    starter = Starter(module, {"framework": name, "settings": inside, "mode": settings.mode, "operation": operation, "size": size,
                               "seed": parameters.whole("seed", 0, 2**64 - 1)}, of, cold, phases.clock)
    try:
        announce(name, settings)
        measured(document, parameters, plan, phases, starter)
    except Unsupported as reason:
        document["unsupported"] = str(reason)
    finally:
        starter.close()
    document["loaded"] = versions.loaded(name, starter.last["version"] if starter.last else None)
    return document


PI = protocol.Pi("startup", "time until a framework works, in a fresh interpreter: import, first call, compilation, first step",
                 with_framework_parameters([
                     Parameter("of", "first_step", "what samples are: first_step, first_call, compile or import"),
                     Parameter("operation", "mlp", "the step: mlp (a small network, forward) or matmul"),
                     Parameter("size", "256", "inputs and outputs of the network, rows and columns of the matrices"),
                     Parameter("cache", "cold", "compilers' caches: cold (empty for each start) or warm (filled by one before)"),
                 ], repetitions="5", mini_batch="1", min_sample_ms="0", warmup_ms="0"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
