"""The whole space of a GPU, counted a second time: by loops over the catalogs' JSON and PyPA's `packaging`.

Drivers are classes: between two versions that a requirement or the catalog names they are all alike.
What requires what in these catalogs has an order (library, CUDA, container, cuDNN, NCCL, Python, driver), so that given the
library, CUDA and the container the others can be counted apart. Shares nothing with the resolver.
"""

import functools
import importlib.util
import json
import re
import unittest

from harness import ROOT, BlackBox

FILES = ("gpus", "cuda", "cudnn", "nccl", "gpu-tensorflow", "gpu-pytorch", "gpu-jax", "ngc")
LIBRARIES = ("cublas", "tensorflow", "nvidia-tensorflow", "torch", "jax", "mxnet")


def specifiers(value):
    return tuple(value["any"]) if isinstance(value, dict) else (value,)


@functools.cache
def within(version, alternatives):
    from packaging.specifiers import SpecifierSet
    return any(one == "*" or SpecifierSet(one).contains(version, prereleases=True) for one in alternatives)


class Counter:
    def __init__(self, gpu):
        self.components = {}
        for file in FILES:
            document = json.loads((ROOT / "specs/data" / f"{file}.json").read_text())
            self.components.update(document["components"])
        self.gpu = self.components["gpu"]["versions"][gpu]["attributes"]
        self.components["driver"]["versions"] = self.classes(self.components["driver"]["versions"])
        self.usable = {name: {version: entry for version, entry in component["versions"].items() if self.runs_on_gpu(entry)}
                       for name, component in self.components.items()}
        self.memory = {}

    def classes(self, listed):
        """The driver, an order of versions: the least of each class that no requirement tells apart, as the listed one before it."""
        from packaging.version import Version
        ends = {"0", *listed}
        for entry in (entry for component in self.components.values() for entry in component["versions"].values()):
            conditional = [part for rule in entry.get("requires_if", ()) for part in (rule["if"], rule["then"])]
            for rule in [entry.get("requires", {}), *conditional]:
                for clause in (clause for one in specifiers(rule.get("driver", "*")) for clause in one.split(",") if one != "*"):
                    sign, end = re.fullmatch(r"([<>=!~]+)([0-9.]+?)(?:\.\*)?", clause).groups()
                    if clause.endswith(".*"):
                        head, _, last = end.rpartition(".")
                        ends |= {end, f"{head}.{int(last) + 1}".lstrip(".")}
                    else:
                        ends |= {end} if sign in (">=", "<") else {end, f"{end}.0.0.0.1"}
        by_order = sorted(listed, key=Version)
        before = {end: [one for one in by_order if Version(one) <= Version(end)] for end in ends}
        return {end: listed[ones[-1]] if ones else {} for end, ones in before.items()}

    def gpu_has(self, name, value):
        attribute = self.gpu.get(name.removeprefix("gpu."))
        if attribute is None:
            return False
        if name != "gpu.compute_capability":
            return "==" + attribute in specifiers(value)
        return within(attribute, specifiers(value))

    def runs_on_gpu(self, entry):
        """As far as what it says concerns the GPU alone."""
        def hold(rule):
            return all(self.gpu_has(name, value) for name, value in rule.items() if name.startswith("gpu."))
        return (hold(entry.get("requires", {}))
                and not any(self.gpu_has(name, value) for name, value in entry.get("conflicts", {}).items() if name.startswith("gpu."))
                and all(hold(rule["then"]) for rule in entry.get("requires_if", ())
                        if all(name.startswith("gpu.") and self.gpu_has(name, value) for name, value in rule["if"].items())))

    def allowed(self, component, version, value):
        if self.components[component].get("versioning") == "opaque":
            return any(one == "*" or one == "==" + version for one in specifiers(value))
        return within(version, specifiers(value))

    def demands(self, chosen):
        """What the chosen versions ask of other components: name -> alternatives, one for each that asks."""
        result = {}
        for component, version in chosen.items():
            entry = self.components[component]["versions"][version]
            rules = [entry.get("requires", {})]
            for rule in entry.get("requires_if", ()):
                if all(self.gpu_has(name, value) if name.startswith("gpu.") else
                       name in chosen and self.allowed(name, chosen[name], value) for name, value in rule["if"].items()):
                    rules.append(rule["then"])
            for rule in rules:
                for name, value in rule.items():
                    if "." not in name:
                        result.setdefault(name, []).append(value)
        return result

    def choices(self, component, demands, chosen):
        """The versions that may stand beside the chosen ones; None alone where nobody asks for the component."""
        if component not in demands:
            return [None]
        key = (component, json.dumps(demands[component]), chosen.get("cuda"))
        if key not in self.memory:
            self.memory[key] = [version for version, entry in self.usable[component].items()
                                if all(self.allowed(component, version, value) for value in demands[component])
                                and all(self.allowed("cuda", chosen["cuda"], value)
                                        for name, value in entry.get("requires", {}).items() if name == "cuda")]
        return self.memory[key]

    def count(self, *more):
        return sum(self.with_library(library, version, more) for library in LIBRARIES for version in self.usable[library])

    def with_library(self, library, version, more):
        total = 0
        wanted = self.components[library]["versions"][version].get("requires", {})
        for cuda in self.usable["cuda"]:
            if "cuda" in wanted and not self.allowed("cuda", cuda, wanted["cuda"]):
                continue
            chosen = {library: version, "cuda": cuda}
            for container in self.choices("ngc", self.demands(chosen), chosen):
                total += self.rest(chosen if container is None else chosen | {"ngc": container}, more)
        return total

    def rest(self, chosen, more):
        demands = self.demands(chosen)
        for component in more:
            demands.setdefault(component, []).append("*")
        if not all(self.allowed("cuda", chosen["cuda"], value) for value in demands["cuda"]):
            return 0
        conflicts = self.components["ngc"]["versions"].get(chosen.get("ngc"), {}).get("conflicts", {})
        if any(name in chosen and self.allowed(name, chosen[name], value) for name, value in conflicts.items()):
            return 0
        others = len(self.choices("nccl", demands, chosen)) * len(self.choices("python", demands, {}))
        return others * sum(self.drivers(chosen if cudnn is None else chosen | {"cudnn": cudnn})
                            for cudnn in self.choices("cudnn", demands, chosen))

    def drivers(self, chosen):
        demands = self.demands(chosen)
        key = ("drivers", json.dumps(demands["driver"]))
        if key not in self.memory:
            self.memory[key] = sum(all(self.allowed("driver", version, value) for value in demands["driver"])
                                   for version in self.usable["driver"])
        return self.memory[key]


@unittest.skipUnless(importlib.util.find_spec("packaging"), "the Python module packaging is not installed: pip install packaging")
class GpuSpace(BlackBox):
    def test_the_whole_space_is_counted_exactly(self):
        for gpu in ("v100-sxm2-16gb", "h100-sxm5-80gb", "t4", "k80"):
            counter = Counter(gpu)
            for more in ((), ("cudnn",)):
                with self.subTest(gpu=gpu, more=more):
                    project = self.project(catalogs=[f"{file}.json" for file in FILES], hardware={"gpu": gpu},
                                           requires={"gpu-library": "*"} | dict.fromkeys(more, "*"))
                    expected = counter.count(*more)
                    self.assertGreater(expected, 10_000)
                    self.assertEqual(self.json("resolve", project, "--count")["valid_stacks"], str(expected))
