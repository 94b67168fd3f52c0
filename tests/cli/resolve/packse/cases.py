"""Situations of an index (cases.txt): read, laid out as an index of wheels, and solved by trying everything.

Trying everything shares nothing with the resolver but the definition (specs/catalog/by_name.hpp): every choice of versions
that the roots lead to, in which each requirement holds, and each pre-release or yanked version is named by a requirement.
"""

import dataclasses
import html
import io
import pathlib
import re
import zipfile

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import compatible_tags, cpython_tags, parse_tag
from packaging.utils import canonicalize_name
from packaging.version import Version

PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(40, 4, -1)] + ["manylinux2014_x86_64", "linux_x86_64"]


@dataclasses.dataclass
class Release:
    version: str
    requires: list
    extras: dict
    tags: list
    python: str = ""
    yanked: bool = False
    wheel: bool = True


@dataclasses.dataclass
class Case:
    name: str
    python: str = "3.12"
    pre: bool = False
    options: list = dataclasses.field(default_factory=list)
    roots: list = dataclasses.field(default_factory=list)
    uv: bool = True
    projects: dict = dataclasses.field(default_factory=dict)  # name: [Release]

    def environment(self):
        return {"python_version": self.python, "python_full_version": f"{self.python}.0", "sys_platform": "linux", "os_name": "posix",
                "platform_system": "Linux", "platform_machine": "x86_64", "implementation_name": "cpython",
                "platform_python_implementation": "CPython", "implementation_version": f"{self.python}.0", "extra": ""}

    def holding_roots(self):
        return [root for root in map(Requirement, self.roots) if not root.marker or root.marker.evaluate(self.environment())]


def split(text):
    return [part.strip() for part in text.split(" & ") if part.strip()]


def release_of(text, requires):
    version, _, flags = text.partition(" (")
    release = Release(version, split(requires), {}, ["py3-none-any"])
    for flag in filter(None, flags.rstrip(")").split("; ")):
        word, _, rest = flag.partition(" ")
        if word == "python":
            release.python = "" if rest == "any" else rest
        elif word == "tags":
            release.tags = [tag if tag.count("-") == 2 else "" for tag in rest.split()]
        elif flag == "yanked":
            release.yanked = True
        elif flag == "no wheel":
            release.wheel = False
        elif flag != "no sdist":
            raise ValueError(f"unknown flag {flag!r}")
    return release


def read(file):
    case, release = None, None
    for line in file.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            if case:
                yield case
            case = Case(line.strip())
            continue
        word, _, rest = line.strip().partition(" ")
        if word == "with":
            case.options += rest.split("; ")
            for option in rest.split("; "):
                case.pre = case.pre or option == "pre"
                if re.fullmatch(r"python [\d.]+", option):
                    case.python = ".".join(option.split()[1].split(".")[:2])
        elif word == "need":
            case.roots = split(rest)
        elif word == "uv":
            case.uv = rest == "yes"
        elif word.startswith("["):
            extra, _, requires = line.strip().partition(": ")
            release.extras[extra.strip("[]:")] = split(requires)
        else:
            head, _, requires = re.fullmatch(r"(.*?\)|[^:(]*)(:|$)\s*(.*)", rest).group(1, 2, 3)
            release = release_of(head, requires)
            case.projects.setdefault(canonicalize_name(word), []).append(release)
    yield case


def wheel_of(name, release):
    stem = f"{name.replace('-', '_')}-{release.version}"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {release.version}"]
    lines += [f"Requires-Dist: {one}" for one in release.requires]
    if release.python:
        lines.append(f"Requires-Python: {release.python}")
    for extra, requires in release.extras.items():
        lines.append(f"Provides-Extra: {extra}")
        for one in requires:
            requirement = Requirement(one)
            marker = f"({requirement.marker}) and " if requirement.marker else ""
            requirement.marker = None
            lines.append(f"Requires-Dist: {requirement} ; {marker}extra == '{extra}'")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = f"{stem}.dist-info"
        archive.writestr(f"{info}/METADATA", "\n".join(lines) + "\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return stem, buffer.getvalue()


def lay_out(case, folder):
    """The wheels as FOLDER/simple/PROJECT/index.html (PEP 503) with their files beside it."""
    for name, releases in case.projects.items():
        page = pathlib.Path(folder, "simple", name)
        page.mkdir(parents=True)
        links = []
        for release in releases:
            stem, content = wheel_of(name, release)
            for tag in filter(None, release.tags if release.wheel else []):
                (page / f"{stem}-{tag}.whl").write_bytes(content)
                attributes = {"href": f"{stem}-{tag}.whl"}
                if release.python:
                    attributes["data-requires-python"] = release.python
                if release.yanked:
                    attributes["data-yanked"] = "broken"
                text = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
                links.append(f"<a {text}>{stem}-{tag}.whl</a>")
        (page / "index.html").write_text("<!DOCTYPE html><html><body>" + "\n".join(links))


class Everything:
    """All choices of versions for one case, with wheels alone, as frozen sets of (project, version)."""

    def __init__(self, case):
        self.case, self.environment = case, case.environment()
        python = tuple(map(int, case.python.split(".")))
        self.tags = {str(tag) for tag in (*cpython_tags(python, platforms=PLATFORMS), *compatible_tags(python, f"cp{python[0]}{python[1]}", PLATFORMS))}
        self.roots = case.holding_roots()
        self.there = {name: [one for one in releases if self.fits(name, one)] for name, releases in case.projects.items()}
        self.shy = {name: {one.version: self.is_shy(name, one) for one in releases} for name, releases in self.there.items()}

    def ranges(self, name):
        return [root.specifier for root in self.roots if canonicalize_name(root.name) == name]

    def fits(self, name, release):
        if not (release.wheel and any(str(one) in self.tags for tag in filter(None, release.tags) for one in parse_tag(tag))):
            return False
        if release.python and not SpecifierSet(release.python).contains(self.case.python):
            return False
        ranges = self.ranges(name)
        return not ranges or any(one.contains(release.version, prereleases=True) for one in ranges)

    def is_shy(self, name, release):
        """Comes only where it is named: yanked, or a pre-release beside others, and no root names it."""
        version, ranges = Version(release.version), self.ranges(name)
        if release.yanked and not any(pins(one) for one in ranges):
            return "yanked"
        others = [one for one in self.there[name] if not Version(one.version).is_prerelease or mentions(ranges, one.version)]
        if version.is_prerelease and not self.case.pre and others and not mentions(ranges, release.version):
            return "pre-release"
        return ""

    def requirements(self, name, version, extras):
        release = next(one for one in self.there[name] if one.version == version)
        lists = [release.requires] + [release.extras.get(extra, []) for extra in sorted(extras)]
        for requirement in map(Requirement, [one for some in lists for one in some]):
            if not requirement.marker or requirement.marker.evaluate(self.environment):
                yield requirement

    def wanted(self, chosen):
        """{project: [(who, range, extras)]} of all that the roots lead to in this choice."""
        result, extras, seen = {}, {}, set()
        waiting = [("", root) for root in self.roots]
        while waiting:
            who, requirement = waiting.pop()
            name = canonicalize_name(requirement.name)
            result.setdefault(name, []).append((who, requirement.specifier))
            extras.setdefault(name, set()).update(requirement.extras)
            key = (name, frozenset(extras[name]))
            if name in chosen and key not in seen:
                seen.add(key)
                waiting += [(name, one) for one in self.requirements(name, chosen[name], extras[name])]
        return result

    def solutions(self, chosen=None):
        chosen = chosen or {}
        wanted = self.wanted(chosen)
        for name, demands in wanted.items():
            if name in chosen and not all(one.contains(chosen[name], prereleases=True) for _, one in demands):
                return
        open_ones = [name for name in wanted if name not in chosen]
        if not open_ones:
            if self.all_named(chosen):
                yield frozenset(chosen.items())
            return
        for release in self.there.get(open_ones[0], []):
            yield from self.solutions({**chosen, open_ones[0]: release.version})

    def all_named(self, chosen):
        """Reached from the roots along requirements that bring what they ask for."""
        reached, news = {""}, True
        wanted = self.wanted(chosen)
        while news:
            news = False
            for name, version in chosen.items():
                if name not in reached and any(self.brings(name, version, [one for who2, one in wanted[name] if who2 == who])
                                               for who in reached & {who for who, _ in wanted[name]}):
                    reached.add(name)
                    news = True
        return reached == {"", *chosen}

    def brings(self, name, version, ranges):
        """What one version (or the project) asks of another, taken together."""
        shy = self.shy[name][version]
        if not shy:
            return True
        if shy == "yanked":
            return any(map(pins, ranges))
        common = [one for one, why in self.shy[name].items() if not why and all(r.contains(one, prereleases=True) for r in ranges)]
        return not common or mentions(ranges, version)


def pins(specifiers):
    return any(one.operator == "===" or (one.operator == "==" and not one.version.endswith(".*")) for one in specifiers)


def mentions(ranges, version):
    """Some range holds for the version, and a clause of it (but !=) is about a pre-release."""
    return any(one.contains(version, prereleases=True) and
               any(clause.operator != "!=" and Version(clause.version.removesuffix(".*")).is_prerelease for clause in one if clause.operator != "===")
               for one in ranges)
