"""The whole space of a GPU, counted a second time: by loops over the catalogs' JSON and PyPA's `packaging`.

What requires what in these catalogs has an order (library, CUDA, container, cuDNN, NCCL, Python, driver), so that given the
library, CUDA and the container the others can be counted apart. Shares nothing with the resolver.
"""

import functools
import importlib.util
import json
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
        self.usable = {name: {version: entry for version, entry in component["versions"].items() if self.runs_on_gpu(entry)}
                       for name, component in self.components.items()}
        self.memory = {}

    def runs_on_gpu(self, entry):
        return all("compute_capability" in self.gpu and within(self.gpu["compute_capability"], specifiers(value))
                   for key, value in entry.get("requires", {}).items() if key == "gpu.compute_capability")

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
                if all(name in chosen and self.allowed(name, chosen[name], value) for name, value in rule["if"].items()):
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


if __name__ == "__main__":
    unittest.main()
