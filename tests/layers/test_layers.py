"""The house as docs/architecture.md draws it: which library may include which, no cycles, one door for output, and CMake agrees.

    python -m unittest test_layers              on the sources of this checkout
    STACKX_SOURCES=DIR python -m unittest ...   on those of another folder (the tests of this test plant faults there)
"""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What a library may include, beside itself. Arrows run down.
ALLOWED = {
    "specs": set(),
    "kernels": set(),
    "resolver": {"specs"},
    "pypi": {"specs"},
    "importers": {"specs"},
    "store": {"specs"},
    "inspector": {"specs"},
    "analysis": {"specs", "store"},
    "workspace": {"specs", "resolver", "pypi", "store", "inspector", "analysis"},
    "advisor": {"specs", "resolver", "pypi", "store", "inspector", "analysis", "workspace"},
    "campaigns": {"specs", "resolver", "pypi", "store", "inspector", "analysis", "workspace"},
    "blame": {"specs", "resolver", "pypi", "store", "inspector", "analysis", "workspace", "campaigns"},
    "watch": {"specs", "resolver", "pypi", "store", "inspector", "analysis", "workspace", "advisor", "campaigns", "blame"},
    "serve": {"specs", "store", "analysis", "workspace"},
    "cli": {"specs", "resolver", "pypi", "importers", "store", "inspector", "analysis", "workspace", "advisor", "campaigns", "blame", "watch", "serve"},
}
# A header that only these may include, by how it is written: what stands behind one door.
DOORS = {"SQLiteCpp/": {"store"}, "sqlite3.h": {"store"}, "boost/graph/": {"resolver"}, "CLI/": {"cli"}, "toml++/": {"specs"}, "yaml-cpp/": {"specs"},
         "Eigen/": {"analysis"}, "curl/": {"pypi"}, "hwloc": {"inspector"}, "cryptominisat5/": {"resolver"},
         "boost/beast/": {"serve"}, "boost/asio/": {"serve"}, "prometheus/": {"serve"}}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def sources(root):
    """{path relative to root: its text}, of all libraries."""
    found = {}
    for library in ALLOWED:
        for path in sorted((root / library).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".inc", ".in"):
                found[path.relative_to(root).as_posix()] = path.read_text(errors="replace")
    return found


def library_of(path):
    return path.split("/")[0]


def wrong_arrows(files):
    """Includes that run up or across, with the line to change."""
    wrong = []
    for path, text in files.items():
        library = library_of(path)
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            if match[1] == '"':
                other = library_of(match[2])
                if other in ALLOWED and other != library and other not in ALLOWED[library]:
                    wrong.append(f'{path}:{line}: {library} includes "{match[2]}", but {library} stands on '
                                 f"{', '.join(sorted(ALLOWED[library])) or 'nothing'} alone")
            for door, rooms in DOORS.items():
                if match[2].startswith(door) and library not in rooms:
                    wrong.append(f"{path}:{line}: <{match[2]}> is included in {', '.join(sorted(rooms))}/ alone")
    return wrong


def missing(files):
    """Includes of files that are not there: a moved header, or a path that is not from the root."""
    return [f'{path}: "{match[2]}" is no file; paths are written from the root' for path, text in files.items()
            for match in INCLUDE.finditer(text) if match[1] == '"' and match[2] not in files]


PRINTING = re.compile(r"fmt::print|std::print|std::c(?:out|err|log)\b|\b(?:f?puts|f?putc|putchar|fwrite|fprintf|perror)\s*\(|"
                      r"(?<!SELECT )\bv?printf\s*\(|\bwrite\(\s*STD(?:OUT|ERR)_FILENO")
# Programs of their own, and the one door.
PRINTERS = ("kernels/", "inspector/supervise/", "workspace/output.cpp")


def printed_elsewhere(files):
    """Lines that write to stdout or stderr by another way than workspace/output.hpp."""
    wrong = []
    for path, text in files.items():
        if path.startswith(PRINTERS):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if PRINTING.search(line.split("//")[0]):
                wrong.append(f"{path}:{number}: what is said goes through workspace/output.hpp: {line.strip()}")
    return wrong


def cycles(files):
    """Groups of files that include each other, each as a path that ends where it began (Tarjan 1972)."""
    graph = {path: [m[2] for m in INCLUDE.finditer(text) if m[1] == '"' and m[2] in files] for path, text in files.items()}
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1 or node in graph[node]:
                found.append(" -> ".join(reversed(group)) + f" -> {group[-1]}")

    for node in graph:
        if node not in index:
            visit(node)
    return found


def linked(root):
    """{library: libraries that its CMake target links, directly or through those}."""
    direct = {}
    for library in ALLOWED:
        text = (root / library / "CMakeLists.txt").read_text()
        text = re.sub(r"#.*", "", text)
        direct[library] = set()
        for call in re.findall(rf"target_link_libraries\(\s*stackx_{library}\b([^)]*)\)", text):
            direct[library] |= {name for name in re.findall(r"\bstackx_(\w+)", call) if name in ALLOWED}

    def reach(library, seen):
        for other in direct[library] - seen:
            seen.add(other)
            reach(other, seen)
        return seen

    return {library: reach(library, set()) for library in direct}


def not_linked(root, files):
    links = linked(root)
    wrong = set()
    for path, text in files.items():
        library = library_of(path)
        for match in INCLUDE.finditer(text):
            other = library_of(match[2])
            if match[1] == '"' and other in ALLOWED and other != library and other not in links[library]:
                wrong.add(f"{library}/CMakeLists.txt: stackx_{library} does not link stackx_{other}, of which {path} "
                          f'includes "{match[2]}"')
    return sorted(wrong)


class House(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(os.environ.get("STACKX_SOURCES", ROOT))
        self.files = sources(self.root)

    def nothing(self, faults):
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_there_is_a_house(self):
        for library in ALLOWED:
            self.assertTrue(any(path.startswith(f"{library}/") for path in self.files), library)
        self.assertGreater(sum(text.count("#include") for text in self.files.values()), 1000)

    def test_no_arrow_runs_up(self):
        self.nothing(wrong_arrows(self.files))

    def test_nothing_below_includes_the_command_line(self):
        self.nothing([path for path, text in self.files.items() if library_of(path) != "cli" and '#include "cli/' in text])

    def test_no_file_includes_itself_by_a_detour(self):
        self.nothing(cycles(self.files))

    def test_all_that_is_said_goes_through_one_door(self):
        self.nothing(printed_elsewhere(self.files))

    def test_what_is_included_is_there(self):
        self.nothing(missing(self.files))

    def test_what_is_included_is_linked(self):
        self.nothing(not_linked(self.root, self.files))

    def test_every_library_of_the_house_is_known_here(self):
        named = set(re.findall(r"^add_subdirectory\((\w+)\)", (self.root / "CMakeLists.txt").read_text(), re.M))
        self.assertEqual(named - {"packaging"}, set(ALLOWED))  # which has no sources


class Planted(unittest.TestCase):
    """The tests above fail on what they are for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stackx-house-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for library in ALLOWED:
            (self.root / library).mkdir()
            shutil.copy(ROOT / library / "CMakeLists.txt", self.root / library)
        self.write("specs/low.hpp", "#pragma once\n")

    def write(self, name, text):
        (self.root / name).write_text(text)

    def test_an_arrow_up(self):
        self.write("cli/top.hpp", "#pragma once\n")
        self.write("specs/up.cpp", '#include "specs/low.hpp"\n#include "cli/top.hpp"\n')
        (fault,) = wrong_arrows(sources(self.root))
        self.assertIn("specs/up.cpp:2", fault)

    def test_an_arrow_across(self):
        self.write("store/there.hpp", "#pragma once\n")
        self.write("inspector/here.cpp", '#include "store/there.hpp"\n')
        (fault,) = wrong_arrows(sources(self.root))
        self.assertIn("inspector/here.cpp:1", fault)

    def test_a_library_behind_a_door(self):
        self.write("advisor/options.cpp", "#include <CLI/CLI.hpp>\n")
        (fault,) = wrong_arrows(sources(self.root))
        self.assertIn("advisor/options.cpp:1", fault)

    def test_a_print_of_its_own(self):
        self.write("cli/loud.cpp", 'int main() {\n  // fmt::print("no")\n  fmt::print(stderr, "{}", 1);\n}\n')
        self.write("workspace/output.cpp", 'void put() { std::fwrite("", 1, 1, stdout); }\n')
        (fault,) = printed_elsewhere(sources(self.root))
        self.assertIn("cli/loud.cpp:3", fault)

    def test_a_cycle(self):
        self.write("specs/a.hpp", '#include "specs/b.hpp"\n')
        self.write("specs/b.hpp", '#include "specs/c.hpp"\n')
        self.write("specs/c.hpp", '#include "specs/a.hpp"\n')
        (fault,) = cycles(sources(self.root))
        for name in ("a", "b", "c"):
            self.assertIn(f"specs/{name}.hpp", fault)

    def test_a_moved_header(self):
        self.write("specs/user.cpp", '#include "specs/gone.hpp"\n')
        self.assertEqual(len(missing(sources(self.root))), 1)

    def test_a_library_that_is_not_linked(self):
        self.write("store/CMakeLists.txt", "stackx_library(stackx_store)\n# target_link_libraries(stackx_store PUBLIC stackx_specs)\n")
        self.write("store/user.cpp", '#include "specs/low.hpp"\n')
        (fault,) = not_linked(self.root, sources(self.root))
        self.assertIn("stackx_specs", fault)


if __name__ == "__main__":
    unittest.main()
