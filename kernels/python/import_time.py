"""import: how long `import MODULE` takes, each time in a fresh interpreter.

A call starts a child with the same interpreter, flags, packages and environment, which times the one statement and nothing else; a
sample is the sum over its mini-batch of children (one by default: a child is long enough). The check's child comes first and fills
the page cache, so samples are warm starts. `interpreter_start_ns`: from starting a child to its first statement.
"""

from __future__ import absolute_import

import json
import os
import subprocess
import sys

from stackx_pi import frameworks, protocol, versions
from stackx_pi.errors import EnvironmentFault, UsageError
from stackx_pi.measure import measure
from stackx_pi.parameters import Parameter

HERE = os.path.dirname(os.path.abspath(__file__))
CHILD = os.path.join(HERE, "import_child.py")
BOOTSTRAP = os.path.join(HERE, "bootstrap.py")


def interpreter():
    """This interpreter with its flags (-s, -S, -B, -O, -X ...), as subprocess knows them."""
    return [sys.executable] + subprocess._args_from_interpreter_flags()  # pylint: disable=protected-access


class Importer(object):
    def __init__(self, module, clock):
        sites = [e for e in os.environ.get("STACKX_SITE_DIR", "").split(os.pathsep) if e]
        self._command = interpreter() + [BOOTSTRAP, sites[0] if sites else "-", CHILD, module]
        self._module, self._clock = module, clock
        self.starts_ns, self.last, self.versions = [], None, set()

    def once(self):
        """Nanoseconds of one import."""
        begin = self._clock.steady_ns()
        child = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = child.communicate()
        out, err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        if child.returncode != 0:
            lines = err.strip().splitlines() or ["no message"]
            raise EnvironmentFault("import %s: exit status %d: %s" % (self._module, child.returncode, lines[-1]))
        try:
            self.last = json.loads(out)
        except ValueError:
            raise EnvironmentFault("import %s: the child printed no document: the module ended it" % self._module)
        self.starts_ns.append(self.last["first_statement_ns"] - begin)
        self.versions.add((self.last["version"], self.last["file"]))
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
