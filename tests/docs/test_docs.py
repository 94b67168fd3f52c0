"""Runs the commands that README.md and docs/ print and compares what they print; looks up the options of those that cannot
run here; follows the links. pages.py says how a page is written, expectation.py how its screens are compared.

    STACKX=build/stackx python3 tests/docs/test_docs.py --show docs/resolve.md   # the page's commands with what they print now
"""

import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import expectation  # noqa: E402
import pages  # noqa: E402
from pages import ROOT  # noqa: E402

STACKX = pathlib.Path(os.environ["STACKX"]).resolve()
README_LINES = 200
# What a page may name beside our own programs, where it is not run.
OTHERS = {"apt", "cat", "cd", "cp", "curl", "echo", "export", "git", "ls", "mkdir", "pip", "podman", "sbatch", "scp", "sha256sum", "sudo", "tail",
          "tar", "uvx"}


def usage(*arguments):
    return _usage(tuple(map(str, arguments)))


@functools.lru_cache(maxsize=None)
def _usage(arguments):
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=240, cwd=ROOT,
                              env=dict(os.environ, STACKX_DB=f"{empty}/stackx.db", XDG_CACHE_HOME=empty))
    return done.stdout + done.stderr


def subcommands(path):
    listed = re.search(r"(?ms)^Subcommands:\n(.*?)(?:^\S|\Z)", usage(STACKX, *path, "--help"))
    return re.findall(r"(?m)^  ([a-z-]+)", listed[1]) if listed else []


@functools.lru_cache(maxsize=None)
def every_usage():
    """The help of stackx and of all its subcommands, of stackx-pi and of ./run."""
    texts, todo = [usage("bash", ROOT / "run", "--help"), usage(STACKX.with_name("stackx-pi"), "--help")], [()]
    while todo:
        path = todo.pop()
        texts.append(usage(STACKX, *path, "--help"))
        todo += [(*path, name) for name in subcommands(path)]
    return "\n".join(texts)


def mentions(text, word):
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


@functools.lru_cache(maxsize=None)
def hardware_names():
    """The processors and accelerators that stackx knows, and its name for this one."""
    listed = re.findall(r"(?m)^([a-z][\w.+-]*) ", usage(STACKX, "hw", "list"))
    return tuple(name for name in listed if name != "name")


@functools.lru_cache(maxsize=None)
def new_store():
    """A store that has taken in the published results already: the first command that needs them says so, once."""
    directory = tempfile.TemporaryDirectory(prefix="stackx-docs-")
    store = pathlib.Path(directory.name) / "stackx.db"
    subprocess.run([STACKX, "query", "sources", "--limit", "1", "--db", store], check=True, capture_output=True)
    return directory, store


class Scratch:
    """A directory that looks like a checkout, with its own store and cache, in which a page's commands run in order."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="stackx-docs-")
        self.path = pathlib.Path(self.directory.name)
        for entry in ("bench", "examples", "kernels", "specs", "store", "tests", "run"):
            (self.path / entry).symlink_to(ROOT / entry)
        (self.path / "build").symlink_to(STACKX.parent)
        home = self.path / ".home"
        home.mkdir()
        shutil.copy(new_store()[1], home)
        self.environment = dict(
            os.environ, PATH=f"{STACKX.parent}:{os.environ['PATH']}", COLUMNS="100", NO_COLOR="1", LC_ALL="C.UTF-8",
            STACKX_DB=str(home / "stackx.db"), XDG_DATA_HOME=str(home / "data"), XDG_CACHE_HOME=str(home / "cache"))

    def run(self, command):
        return subprocess.run(["bash", "-c", command.text], capture_output=True, text=True, timeout=600, cwd=self.path,
                              env=self.environment, stdin=subprocess.DEVNULL)


def simple_commands(text):
    """The words of each simple command of a shell line: its pipes, lists and redirections taken apart."""
    words, found = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars=True), [[]]
    words.whitespace_split, words.commenters = True, "#"
    for word in words:
        if re.fullmatch(r"[|&;()]+", word):
            found.append([])
        else:
            found[-1].append(word)
    return [command for command in found if command]


class Pages(unittest.TestCase):
    def check_words(self, words, folder=ROOT):
        """Do the programs, subcommands and options exist that a command in `folder` names?"""
        while words and re.match(r"[A-Z_]+=", words[0]):  # variables of the environment
            words = words[1:]
        program, arguments = words[0], words[1:]
        options = [word.split("=")[0] for word in arguments if re.match(r"--[a-z]", word)]
        if program == "stackx":
            path = []
            for word in arguments:
                if word.startswith("-") or word not in subcommands(path):
                    break
                path.append(word)
            if arguments and not arguments[0].startswith("-"):
                self.assertTrue(path, f"{arguments[0]!r} is no subcommand of stackx")
            text = usage(STACKX, *path, "--help") + usage(STACKX, "--help")
        elif program == "stackx-pi":
            text = usage(STACKX.with_name("stackx-pi"), "--help")
            for word in arguments:
                if re.fullmatch(r"\w+=.*", word):
                    self.assertTrue(mentions(text, word.split("=")[0]), f"stackx-pi has no parameter {word}")
            if arguments and re.fullmatch(r"[a-z]\w*", arguments[0]):
                self.assertTrue(mentions(text, arguments[0]), f"stackx-pi has no indicator {arguments[0]}")
        elif program == "./run":
            text = usage("bash", ROOT / "run", "--help")
            for word in arguments[:2 if arguments[:1] == ["bench"] else 1]:
                self.assertTrue(mentions(text, word), f"./run does not name {word!r} in its usage")
        elif program == "python3":
            self.assertTrue(arguments[0] == "-m" or (ROOT / arguments[0]).is_file(), f"{arguments[0]} is not there")
            return
        elif "/" in program:
            self.assertTrue(os.access(folder / program, os.X_OK), f"{program} is no program of this project")
            return
        else:
            self.assertIn(program, OTHERS, f"{program}: what is it?")
            return
        for option in options:
            self.assertTrue(mentions(text, option), f"{option} stands in no help of {program} {' '.join(arguments)}")

    def check_run(self, scratch, command):
        done = scratch.run(command)
        printed = f"\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}"
        self.assertEqual(done.returncode, command.exit_code, f"{command}: exit code{printed}")
        hardware = hardware_names() if command.loose else ()
        if not expectation.holds(command.expected, done.stdout, done.stderr, command.loose, hardware):
            self.fail(f"{command}: the page shows\n" + "\n".join(command.expected) + f"\n\nand it prints{printed}")

    def page(self, page):
        scratch = Scratch()
        self.addCleanup(scratch.directory.cleanup)
        for command in pages.commands(page):
            with self.subTest(str(command)):
                if command.not_run:
                    folder = ROOT
                    for words in simple_commands(command.text):
                        self.check_words(words, folder)
                        folder = folder / words[1] if words[0] == "cd" else folder
                else:
                    self.check_run(scratch, command)

    def test_what_the_text_names_exists(self):
        for page in pages.PAGES:
            for span in pages.code_spans(page):
                with self.subTest(f"{page.relative_to(ROOT)}: {span}"):
                    if re.match(r"(stackx|stackx-pi|\./run) ", span):
                        for words in simple_commands(span.replace("...", "")):
                            self.check_words(words)
                    elif re.match(r"--[a-z]", span):
                        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", span):
                            self.assertTrue(mentions(every_usage(), option), f"{option} stands in no help")

    def test_links_lead_somewhere(self):
        for page in pages.PAGES:
            for target, anchor in pages.links(page):
                with self.subTest(f"{page.relative_to(ROOT)}: {os.path.relpath(target, ROOT)}#{anchor}"):
                    self.assertTrue(target.exists(), "no such file")
                    if anchor:
                        self.assertIn(anchor, pages.anchors(target))

    def test_every_page_is_linked(self):
        reached, todo = set(), [ROOT / "README.md"]
        while todo:
            page = todo.pop()
            reached.add(page)
            todo += [target for target, _ in pages.links(page) if target in pages.PAGES and target not in reached]
        self.assertEqual([page.name for page in pages.PAGES if page not in reached], [])

    def test_readme_is_short_and_complete(self):
        text = (ROOT / "README.md").read_text()
        self.assertLessEqual(len(text.splitlines()), README_LINES)
        self.assertFalse("@@" in text, "a placeholder was not filled in")

    def test_a_command_that_is_neither_run_nor_marked_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory) / "page.md"
            for text in ("```\n$ stackx hw\n```", "```sh\nstackx resolve x\n```", "```\n./run demo\n```", "    $ stackx hw",
                         "```console\nno command\n```", "<!-- not run -->\n```console\n$ stackx hw\n```"):
                page.write_text(text)
                with self.subTest(text), self.assertRaises(pages.Malformed):
                    pages.commands(page)

    def test_the_comparison_can_fail(self):
        shown = ["rank  GFLOP/s  stack", "  =1    168.0  1c68229c0945  threads 1", "...", "Notes:", "- took 3.2 s"]
        printed = "rank  GFLOP/s  stack\n   1     9.24  ffffffffffff  threads 2\n   2  1.5  0\n\nmore\nNotes:\n- took 17 ms\n"
        self.assertTrue(expectation.holds(shown, printed, "", loose=True))
        self.assertFalse(expectation.holds(shown, printed, ""))
        self.assertFalse(expectation.holds(shown, printed.replace("Notes", "Remarks"), "", loose=True))
        self.assertFalse(expectation.holds(shown, printed.replace("GFLOP/s  stack", "stack  GFLOP/s"), "", loose=True))
        self.assertFalse(expectation.holds(shown, printed + "and more\n", "", loose=True))
        for other in ("x3.519 float32 m=512", "x4.57 float32 m=96"):
            self.assertTrue(expectation.holds(["x3.519 float32 m=512"], other, "", loose=True))
        self.assertFalse(expectation.holds(["x3.519 float32 m=512"], "x3.519 float64 m=512", "", loose=True))
        self.assertTrue(expectation.holds(["a 1", "...", "b 2 (9.8 ms)"], "a 1\nb 2 (10 ms)\n", ""))
        self.assertFalse(expectation.holds(["a 1", "...", "b 2"], "a 1\nb 3\n", ""))
        self.assertTrue(expectation.holds(["stacks (3.4 ms, facts as", "of today)"], "stacks (22.8 ms, facts\nas of today)\n", ""))
        self.assertFalse(expectation.holds(["stacks (3.4 ms, facts as", "of today)"], "stacks (22.8 ms, facts\nas of old)\n", ""))
        self.assertFalse(expectation.holds(["stacks, facts as", "of today"], "stacks, facts\nas of today\n", ""))


def _add_tests():
    for page in pages.PAGES:
        name = re.sub(r"\W", "_", page.stem.lower())
        setattr(Pages, f"test_commands_of_{name}", lambda self, page=page: self.page(page))


_add_tests()


def show(path):
    scratch = Scratch()
    for command in pages.commands(pathlib.Path(path).resolve()):
        print(f"$ {command.text}")
        if not command.not_run:
            done = scratch.run(command)
            print(done.stdout + "".join(f"[stderr] {line}\n" for line in done.stderr.splitlines()) + f"[exit {done.returncode}]")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        show(sys.argv[2])
    else:
        unittest.main()
