"""The child of startup.py: a program's first steps, each timed, and one JSON object. Only the clock is imported before the framework.

    startup_child.py MODULE REQUEST        REQUEST: a JSON object, see startup.py
    {"first_statement_ns", "import_ns", "first_call_ns", "inputs_ns", "first_ns": of the step, "steady_ns": [the same again], "version", "file",
     "mode", "checks", "counts", "hits", "compiled", "libraries", "files", ...} or {"unsupported": reason}
Our own work (inputs, our modules, the checks) lies between the stretches, and in none.
"""

from __future__ import absolute_import

import sys

from stackx_pi.measure import Clock

CLOCK = Clock.system()
FIRST_STATEMENT = CLOCK.steady_ns()
SMALL, STEADY = 8, 5


def result_of(call):
    call.run()
    if call.wait is not None:
        call.wait()


def timed(work):
    """(nanoseconds, what it returns)"""
    begin = CLOCK.steady_ns()
    result = work()
    return CLOCK.steady_ns() - begin, result


def first_call(frameworks, small, name, settings):
    """The first use of the framework: its devices, libraries and threads are set up, and a product of 8 x 8 is computed."""

    def work():
        adapter = frameworks.adapter(name, settings)
        call = small.prepare(adapter)
        result_of(call)
        return adapter, call.result()

    return timed(work)


def choose_mode(adapter, asked):
    from stackx_pi.errors import Unsupported
    if asked == "default":
        asked = "function" if adapter.compiles() else "eager"
    if asked not in adapter.modes or asked == "function" and not adapter.compiles():
        raise Unsupported("%s %s: mode=%s" % (adapter.name, adapter.version, asked))
    return asked


def measure(request, known):
    """What follows the import."""
    from stackx_pi import frameworks, libraries, memory, threads
    from stackx_pi.parameters import Parameter, Parameters
    from stackx_pi.starting import compilers, steps
    settings = frameworks.Settings(**request["settings"])
    kind = frameworks.adapter_module(request["framework"])
    if "eager" not in kind.Adapter.modes:
        settings.mode = "default"
    arguments = (settings.dtype, request["seed"], settings.tf32)
    small, asked = steps.step("matmul", SMALL, *arguments), (request["operation"], request["size"])
    known["first_call_ns"], (adapter, product) = first_call(frameworks, small, request["framework"], settings)
    threads.require(settings.threads, adapter.threads_used(), adapter.name)
    known["checks"] = [small.check(product)]
    adapter.mode = known["mode"] = choose_mode(adapter, request["mode"])
    told = [Parameter(key, str(value), "") for key, value in dict(request, dtype=settings.dtype).items()]
    memory.require(adapter, steps.need_of(asked[0], asked[1], settings.dtype), Parameters(told, []))
    step = steps.step(*(asked + arguments))
    watcher = compilers.watch(adapter)
    inputs, call = timed(lambda: step.prepare(adapter))
    before = watcher.counts(None)  # JAX compiles conversions of inputs
    first, _ = timed(lambda: result_of(call))
    inputs, first = (None, inputs + first) if adapter.sessions else (inputs, first)
    known["counts"] = counts = compilers.difference(before, watcher.counts(call.function))
    known["compiled"] = compilers.compiled(watcher, counts) if adapter.mode == "function" else None
    known["hits"] = compilers.hits(watcher, counts) if adapter.mode == "function" else None
    known["inputs_ns"], known["first_ns"], first_result = inputs, first, call.result()
    known["steady_ns"] = [timed(lambda: result_of(call))[0] for _ in range(STEADY)]
    known["checks"] += [step.check(first_result), step.check(call.result())]
    known["notes"], known["threads"] = adapter.notes, adapter.threads_used()
    known["libraries"] = libraries.loaded_libraries()


def main(module, request):
    import os
    out = os.dup(1)
    os.dup2(2, 1)
    known = {"first_statement_ns": FIRST_STATEMENT}
    known["import_ns"], _ = timed(lambda: __import__(module))
    import json
    from stackx_pi.errors import Unsupported, refusal
    from stackx_pi.protocol import finish, mapped_files, write_all
    imported = sys.modules[module]
    version = getattr(imported, "__version__", None)
    known.update(version=str(version) if version is not None else None, file=getattr(imported, "__file__", None))
    try:
        measure(json.loads(request), known)
    except Unsupported as reason:
        known["unsupported"] = str(reason)
    except Exception as error:  # pylint: disable=broad-except
        if refusal(error) is None:
            raise
        known["unsupported"] = "%s: %s" % (module, refusal(error))
    known["files"] = mapped_files()
    write_all(out, json.dumps(known, default=str).encode("utf-8"))
    finish(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
