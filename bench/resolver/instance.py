"""An instance as the peers' encodings see it: what generate.py wrote, read back from the catalog and the project.

Not stackx's own reading: a second, independent one, for catalogs whose versions are 0, 1, 2, ... and whose requirements
are ">=a,<b", ">=a", "<b" or "*", without cycles. There a stack is needed exactly if each component is selected just when a
root or something selected requires it.
"""
import dataclasses
import itertools
import json
import pathlib


def interval(text, size):
    low, high = 0, size
    for part in text.split(","):
        if part.startswith(">="):
            low = max(low, int(part[2:]))
        elif part.startswith("<"):
            high = min(high, int(part[1:]))
        elif part != "*":
            raise ValueError(f"not a range: {text}")
    return low, high


@dataclasses.dataclass
class Instance:
    name: str
    components: list  # names, in the catalog's order
    sizes: list       # versions of each
    requires: list    # [component][version]: {component: (low, high)}
    roots: dict       # component: (low, high)

    def requirers(self):
        """[component]: [(requirer, the versions of it that require the component)]"""
        found = [[] for _ in self.sizes]
        for i, versions in enumerate(self.requires):
            for j in sorted({j for needs in versions for j in needs}):
                found[j].append((i, [v for v, needs in enumerate(versions) if j in needs]))
        return found

    def allows(self, row):
        """Does no requirement among the first len(row) components fail? For instances where all are selected."""
        return all(low <= row[j] < high for i, version in enumerate(row)
                   for j, (low, high) in self.requires[i][version].items() if j < len(row))


def read(project):
    project = pathlib.Path(project)
    document = json.loads(project.read_text())
    components = {}
    for file in document["catalogs"]:
        components.update(json.loads((project.parent / file).read_text())["components"])
    names = list(components)
    index = {name: i for i, name in enumerate(names)}
    sizes = [len(entry["versions"]) for entry in components.values()]

    def ranges(requires):
        return {index[name]: interval(text, sizes[index[name]]) for name, text in requires.items()}

    requires = [[ranges(entry["versions"][str(v)].get("requires", {})) for v in range(len(entry["versions"]))]
                for entry in components.values()]
    return Instance(document["name"], names, sizes, requires, ranges(document["requires"]))


def brute_force(instance):
    """The number of stacks by trying every combination: for small instances only."""
    requirers, count = instance.requirers(), 0
    for chosen in itertools.product(*[[None, *range(size)] for size in instance.sizes]):
        if all(acceptable(instance, requirers, chosen, i) for i in range(len(chosen))):
            count += 1
    return count


def acceptable(instance, requirers, chosen, i):
    version = chosen[i]
    required = i in instance.roots or any(chosen[j] in versions for j, versions in requirers[i])
    if version is None or not required:
        return version is None and not required
    low, high = instance.roots.get(i, (0, instance.sizes[i]))
    return low <= version < high and all(chosen[j] is not None and a <= chosen[j] < b
                                         for j, (a, b) in instance.requires[i][version].items())
