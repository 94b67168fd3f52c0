"""import: how long `import MODULE` takes, each time in a fresh interpreter.

A call starts a child with the same interpreter, flags, packages and environment, which times the one statement and nothing else; a
sample is the sum over its mini-batch of children (one by default: a child is long enough). The check's child comes first and fills
the page cache, so samples are warm starts. `interpreter_start_ns`: from starting a child to its first statement.
"""

from __future__ import absolute_import

import sys

from stackx_pi import frameworks, protocol, versions
from stackx_pi.errors import UsageError
from stackx_pi.measure import measure
from stackx_pi.parameters import Parameter
from stackx_pi.starting import children


class Importer(object):
    def __init__(self, module, clock):
        self._command = children.command("import_child.py", [module])
        self._module, self._clock = module, clock
        self.starts_ns, self.last, self.versions = [], None, set()

    def once(self):
        """Nanoseconds of one import."""
        begin = self._clock.steady_ns()
        self.last = children.answer(self._command, "import " + self._module)
        self.starts_ns.append(self.last["first_statement_ns"] - begin)
        self.versions.add(children.program(self.last))
        return self.last["import_ns"]

    def sample(self, mini_batch):
        return sum(self.once() for _ in range(mini_batch))


def module_from(parameters):
    module = parameters.text("module")
    if module == "auto":
        name, module = frameworks.find(parameters.text("framework"))
        parameters.set("framework", name)
        parameters.set("module", module)
        return name, module
    if not module or not all(part.replace("_", "a").isalnum() and not part[0].isdigit() for part in module.split(".") if
                             part) or "" in module.split("."):
        raise UsageError("module=%s: expected the name of a Python module" % module)
    return module.split(".")[0].replace("_", "-").lower(), module


def run(parameters, plan, phases):
    name, module = module_from(parameters)
    importer = Importer(module, phases.clock)
    document = {"component": name, "notes": []}
    with phases.record("check"):
        importer.once()
        first = set(importer.versions)
        del importer.starts_ns[:]
    measurement = measure(importer.sample, plan, phases.clock, phases)
    protocol.put_measurement(document, parameters, plan, measurement)
    same = importer.versions == first
    if not same:
        document["samples_ns"] = []
    document["check"] = {"reference": "the same version from the same file in every process",
                         "max_relative_error": 0 if same else 1, "bound": 0, "pass": same}
    document["work"] = {"flop": 0, "bytes": 0, "items": measurement.mini_batch}
    document["work_formula"] = "items: imports"
    document["loaded"] = versions.loaded(name, importer.last["version"])
    document["files"] = importer.last["files"]
    document["build"] = {"module": module, "file": importer.last["file"], "version": importer.last["version"],
                         "modules_loaded": importer.last["modules"]}
    document["interpreter_start_ns"] = importer.starts_ns
    return document


PI = protocol.Pi("import", "time of `import MODULE` in a fresh interpreter", protocol.with_plan_parameters([
    Parameter("module", "auto", "what to import; auto: the framework's module"),
    Parameter("framework", "auto", "whose module, if none is named; auto: what is installed"),
], repetitions="5", mini_batch="1", min_sample_ms="0", warmup_ms="0"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
