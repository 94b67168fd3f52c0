"""A PI as a program: from words to one JSON object on stdout, as kernels/pi.hpp says.

    {"name", "component", "parameters": {all, as used}, "samples_ns", "work": {"flop", "bytes", "items"} per sample,
     "work_formula", "check": {"reference", "max_relative_error", "bound", "pass", "max_ulps", and what bits.py adds},
     "loaded": {component: version},
     "library": {"path", ...}, "libraries": [...], "build": {...}, "files": [mapped], "phases": [...],
     "memory": {phase: bytes}, "metrics": {name: number}, "notes": [...],
     "scenario": {...} as kernels/timing/scenario.hpp has it; work is of one of samples_ns then, without flop}
    {"name", ..., "unsupported": reason}    framework or machine cannot do it; without samples

A wrong result has check.pass false and no samples. Exit status: 0 the JSON is there; 2 usage; 3 the framework cannot be loaded or
fails. Stdout holds the document alone: whatever else prints there (graphs' progress, C++ logs) comes out on stderr.
"""

from __future__ import absolute_import, division, print_function

import collections
import json
import os
import sys
import traceback

from stackx_pi import VERSION
from stackx_pi.errors import EnvironmentFault, UsageError, said
from stackx_pi.measure import Clock, Measurement, Phases, Plan
from stackx_pi.parameters import Parameter, Parameters

DONE, USAGE, ENVIRONMENT = 0, 2, 3
MOST_SECONDS = 1e6

# name; summary; parameters; run: (pi, Parameters, Plan, Phases) -> document
Pi = collections.namedtuple("Pi", "name summary parameters run")


def with_plan_parameters(own, **fallbacks):
    """The parameters that say how to measure, the same in every PI."""
    plan = [
        Parameter("repetitions", "20", "samples to take"),
        Parameter("mini_batch", "0", "calls a sample; 0: so many that it lasts min_sample_ms"),
        Parameter("min_sample_ms", "5", "least duration of a sample when calibrating"),
        Parameter("warmup_ms", "100", "time to run before the first sample"),
        Parameter("max_seconds", "0", "stop sampling past this, but not below 3 samples; 0: no limit"),
        Parameter("seed", "1", "of the inputs"),
    ]
    return own + [p._replace(fallback=fallbacks.get(p.key, p.fallback)) for p in plan]


def nanoseconds(parameters, key, unit_ns):
    value = parameters.number(key, 0)
    if value * unit_ns > MOST_SECONDS * 1e9:
        raise UsageError("%s=%s: longer than %d s" % (key, parameters.text(key), MOST_SECONDS))
    return int(value * unit_ns)


def plan_from(parameters):
    return Plan(repetitions=parameters.whole("repetitions", 1, 1000000),
                mini_batch=parameters.whole("mini_batch", 0, 1000000000),
                min_sample_ns=nanoseconds(parameters, "min_sample_ms", 1e6),
                warm_up_ns=nanoseconds(parameters, "warmup_ms", 1e6),
                max_ns=nanoseconds(parameters, "max_seconds", 1e9))


def put_measurement(document, parameters, plan, measurement):
    parameters.set("mini_batch", measurement.mini_batch)
    document["parameters"] = parameters.json()
    document["samples_ns"] = measurement.samples_ns
    if measurement.stopped_early:
        document["notes"].append("stopped after %d of %d repetitions: max_seconds=%s" % (
            len(measurement.samples_ns), plan.repetitions, parameters.text("max_seconds")))


def put_no_measurement(document, parameters, plan):
    """A wrong result: nothing is timed."""
    measurement = Measurement()
    put_measurement(document, parameters, plan, measurement)
    return measurement


def mapped_files(process="self"):
    """The shared objects in this process (or that of an id), as the kernel names them."""
    files = []
    with open("/proc/%s/maps" % process) as maps:
        for line in maps:
            fields = line.rstrip("\n").split(None, 5)
            path = fields[5] if len(fields) == 6 else ""
            if path.startswith("/") and ".so" in os.path.basename(path) and path not in files:
                files.append(path)
    return files


def take_stdout():
    """A descriptor for the document; what is printed from now on goes to stderr."""
    sys.stdout.flush()
    out = os.dup(1)
    if not hasattr(os, "set_inheritable"):  # Python 2: a child must not hold it open
        import fcntl
        fcntl.fcntl(out, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    os.dup2(2, 1)
    return out


def write_all(out, data):
    while data:
        data = data[os.write(out, data):]


def print_help(pis, out):
    print("pi.py %s: performance indicators of Python frameworks, one JSON object on stdout\n\n"
          "usage: pi.py NAME [--component NAME] [key=value ...]\n"
          "       pi.py list | --help | --version\n\n"
          "  --component NAME  what to call it in the output (default: the framework)" % VERSION, file=out)
    for pi in pis:
        print("\n%s: %s" % (pi.name, pi.summary), file=out)
        for parameter in pi.parameters:
            print("  %-14s %s [%s]" % (parameter.key, parameter.help, parameter.fallback), file=out)


def split_options(words):
    component, rest, words = None, [], list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            rest.append(word)
        elif word != "--component":
            raise UsageError("unknown option %s; known is --component" % word)
        elif not words:
            raise UsageError("--component needs a value")
        else:
            component = words.pop(0)
    return component, rest


def answer(pi, words):
    component, words = split_options(words)
    parameters = Parameters(pi.parameters, words)
    plan = plan_from(parameters)
    parameters.whole("seed", 0, 2**64 - 1)
    phases = Phases(Clock.system())
    document = pi.run(parameters, plan, phases)
    if component is not None:
        own = document.get("component")
        if own in document["loaded"]:
            document["loaded"].setdefault(component, document["loaded"][own])
        document["component"] = component
    document["name"] = pi.name
    document["files"] = mapped_files() if "files" not in document else document["files"]
    document["phases"] = phases.done
    document["memory"] = phases.memory
    return json.dumps(document, sort_keys=True, allow_nan=False, default=str) + "\n"


def main(pi, words):
    """Runs one PI and ends the process; main() of every PI script."""
    status = ENVIRONMENT
    try:
        if words[:1] in (["--help"], ["-h"]):
            print_help([pi], sys.stdout)
        else:
            out = take_stdout()
            write_all(out, answer(pi, words).encode("utf-8"))
        status = DONE
    except UsageError as error:
        sys.stderr.write("pi.py: %s\n" % error)
        status = USAGE
    except EnvironmentFault as error:
        sys.stderr.write("pi.py: %s\n" % error)
    except MemoryError as error:  # of NumPy it says how much it wanted
        sys.stderr.write("pi.py: %s: %s: the host's memory ran short: give smaller sizes, or end what else holds it\n" % (
            pi.name, said(error)))
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        sys.stderr.write("pi.py: %s: %s\n" % (pi.name, said(error)))
    finish(status)


def end_compile_workers():
    """Processes of torch.compile that wait for more to do until an exit handler ends them: they would outlive this one."""
    for name in ("torch._inductor.async_compile", "torch._inductor.codecache"):  # since PyTorch 2.5; before it
        shutdown = getattr(sys.modules.get(name), "shutdown_compile_workers", None)
        if shutdown is not None:
            try:
                shutdown()
            except Exception as error:  # pylint: disable=broad-except  # the answer is given
                sys.stderr.write("pi.py: %s: %s\n" % (name, said(error)))


AFTERWARDS = []  # to be called once the document is printed, if all went well: what may wait for other processes


def finish(status):
    """Not sys.exit(): the frameworks' exit handlers and thread pools are no part of the answer."""
    end_compile_workers()
    for work in AFTERWARDS if status == DONE else []:
        work()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (IOError, OSError, ValueError):
            status = status or ENVIRONMENT
    os._exit(status)  # pylint: disable=protected-access
