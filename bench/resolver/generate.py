"""Writes the benchmark instances as stackx catalogs, projects and scores: DIRECTORY/<name>/{catalog,project,score}.json.

usage: generate.py DIRECTORY [NAME-PREFIX...]

Every instance has a fixed seed and uses integer methods of random.Random only, so it is the same on every Python 3.
Versions are the numbers 0, 1, 2, ...; a requirement is a range ">=a,<b" or "*". The families:

random     acyclic; each component has its own few dependencies among the next `reach` components, and each version
           requires most of them, in a window of versions that drifts upwards as the version rises
width      the same with a small, fixed reach, and more and more components: the interaction graph's treewidth
           stays about the reach
entangled  30, 45 and 60 components whose tables outgrow 4 GiB or fill it: treewidth 8 to 10
reach      40 components, the reach grows: so does the treewidth
framework  20 versions of a framework over 20 libraries of 20 versions, ranges from the framework only
clash      two roots that can never meet, beside k unrelated packages of 20 versions
cover      12 components of 4 to 10 versions, always present, with constraints (as in examples of PICT)
array      components without constraints, versions^components: what tools for pairwise arrays are compared on
"""
import json
import pathlib
import random
import sys
import zlib


def window(draw, version, versions, target_versions):
    """A range of half the target's versions or more, drifting with `version`."""
    width = draw.randint((target_versions + 1) // 2, target_versions - 1)
    room = target_versions - width
    low = version * room // max(1, versions - 1) + draw.randint(-1, 1)
    low = min(max(low, 0), room)
    return f">={low},<{low + width}"


def acyclic(seed, components, versions, fan, reach, roots=2):
    draw = random.Random(seed)
    sizes = [draw.randint(*versions) for _ in range(components)]
    catalog = {}
    for i, size in enumerate(sizes):
        later = range(i + 1, min(components, i + 1 + reach))
        targets = sorted(draw.sample(later, min(len(later), draw.randint(*fan))))
        catalog[f"c{i}"] = [{f"c{j}": window(draw, version, size, sizes[j]) for j in targets if draw.randint(1, 100) <= 85}
                            for version in range(size)]
    return catalog, {f"c{i}": "*" for i in range(roots)}


def framework(seed):
    draw = random.Random(seed)
    catalog = {"framework": [{f"library{i}": window(draw, version, 20, 20) for i in range(20)} for version in range(20)]}
    catalog.update({f"library{i}": [{}] * 20 for i in range(20)})
    return catalog, {"framework": "*"}


def clash(k):
    # By name and by place the unrelated ones come first: a search that decides in this order meets the clash last.
    catalog = {f"apart{i}": [{}] * 20 for i in range(k)}
    catalog.update({"left": [{"shared": "<10"}], "right": [{"shared": ">=10"}], "shared": [{}] * 20})
    return catalog, {name: "*" for name in catalog if name != "shared"}


def cover(seed):
    draw = random.Random(seed)
    sizes = [10, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4, 4]
    catalog = {f"c{i}": [{} for _ in range(size)] for i, size in enumerate(sizes)}
    pairs = [(i, j) for i in range(12) for j in range(i + 1, 12)]
    for i, j in sorted(draw.sample(pairs, 10)):
        for version in sorted(draw.sample(range(sizes[i]), sizes[i] // 2)):
            catalog[f"c{i}"][version][f"c{j}"] = window(draw, version, sizes[i], sizes[j])
    return catalog, {name: "*" for name in catalog}


def array(*groups):
    sizes = [size for size, count in groups for _ in range(count)]
    catalog = {f"c{i}": [{}] * size for i, size in enumerate(sizes)}
    return catalog, {name: "*" for name in catalog}


FAMILIES = {
    "random-20": lambda: acyclic(1, 20, (12, 16), (2, 6), 5),
    "random-30": lambda: acyclic(2, 30, (12, 16), (2, 6), 5),
    "random-40": lambda: acyclic(45, 40, (10, 14), (2, 6), 5),
    "random-60": lambda: acyclic(4, 60, (10, 14), (2, 6), 4),
    "dense-30": lambda: acyclic(5, 30, (8, 12), (5, 6), 5),
    **{f"entangled-30-{s}": lambda s=s: acyclic(2000 + s % 10, 30, (10, 14), (4, 6), s // 10) for s in (80, 81, 82, 83, 90, 91, 92, 93)},
    **{f"entangled-45-{s}": lambda s=s: acyclic(1000 + s % 10, 45, (10, 14), (2, 6), s // 10) for s in (70, 80, 81, 82, 100, 101, 102)},
    **{f"entangled-60-{s}": lambda s=s: acyclic(1000 + s % 10, 60, (10, 14), (2, 6), s // 10) for s in (70, 80, 81, 82, 100, 101, 102)},
    **{f"width-{n:03}": lambda n=n: acyclic(100 + n, n, (10, 14), (2, 4), 4) for n in (20, 40, 80, 120, 200)},
    **{f"reach-{w:02}": lambda w=w: acyclic(200 + w, 40, (10, 14), (2, 5), w) for w in (2, 3, 4, 5, 6, 7, 8, 10)},
    "framework": lambda: framework(6),
    **{f"clash-{k}": lambda k=k: clash(k) for k in (1, 2, 3, 4, 5, 6, 7, 100)},
    "cover": lambda: cover(7),
    "array-3^4": lambda: array((3, 4)),
    "array-3^13": lambda: array((3, 13)),
    "array-4^15-3^17-2^29": lambda: array((4, 15), (3, 17), (2, 29)),
    "array-4^1-3^39-2^35": lambda: array((4, 1), (3, 39), (2, 35)),
    "array-2^100": lambda: array((2, 100)),
    "array-10^20": lambda: array((10, 20)),
}


def scores(name, catalog):
    draw = random.Random(zlib.crc32(name.encode()))
    return {component: {str(i): draw.randint(-500, 500) / 1000 for i in range(len(versions))}
            for component, versions in catalog.items()}


def write(directory, name, catalog, roots):
    path = pathlib.Path(directory) / name
    path.mkdir(parents=True, exist_ok=True)
    components = {component: {"kind": "package", "versions": {str(i): {"requires": requires} if requires else {}
                                                              for i, requires in enumerate(versions)}}
                  for component, versions in catalog.items()}
    for file, document in (("catalog.json", {"$schema": "stackx/catalog/1", "components": components}),
                           ("project.json", {"$schema": "stackx/project/1", "name": name, "catalogs": ["catalog.json"],
                                             "requires": roots}),
                           ("score.json", {"$schema": "stackx/score/1", "scores": scores(name, catalog)})):
        (path / file).write_text(json.dumps(document, indent=1) + "\n")
    return path


def generate(directory, *prefixes):
    """Writes the instances whose names begin with one of the prefixes (all, if none is given); their directories."""
    return [write(directory, name, *make()) for name, make in FAMILIES.items()
            if not prefixes or name.startswith(prefixes)]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in generate(*sys.argv[1:]):
        print(path)
