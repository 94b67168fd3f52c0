"""Man pages: all that --help names stands in them, roff's judges find nothing wrong, they read well at 80 columns, and two
builds write the same bytes."""

import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from harness import BlackBox
from help_texts import every_command, long_options, top_commands

ROMAN = dict(os.environ, MANWIDTH="80", MAN_KEEP_FORMATTING="", GROFF_NO_SGR="1", LC_ALL="C.UTF-8")
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"]


@functools.cache
def pages():
    """{name: roff}, as `stackx man --to` writes them."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([os.environ["STACKX"], "man", "--to", f"{directory}/new/man1"], check=True, stderr=subprocess.DEVNULL)
        return {file.name: file.read_text() for file in pathlib.Path(directory, "new", "man1").iterdir()}


@functools.cache
def shown(name):
    """(what `man` shows on a terminal of 80 columns, its warnings)."""
    with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
        file.write(pages()[name])
        file.flush()
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", file.name], capture_output=True, text=True, env=ROMAN, check=True)
    return re.sub(".\b", "", done.stdout), done.stderr


class Man(BlackBox):
    def need(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"no {program} here")

    def test_one_for_each_command(self):
        self.assertEqual(set(pages()), {"stackx.1", *(f"stackx-{name}.1" for name in top_commands())})
        self.assertEqual(self.stackx("man").stdout, pages()["stackx.1"])
        for words in (["hw"], ["hw", "show"]):
            self.assertEqual(self.stackx("man", *words).stdout, pages()["stackx-hw.1"])

    def test_all_of_them_in_a_directory(self):
        said = self.stackx("man", "--to", self.scratch / "man1").stderr
        self.assertEqual(said, f"{self.scratch / 'man1'}: {len(list((self.scratch / 'man1').iterdir()))} pages\n")

    def test_no_such_page(self):
        for words, said in ((["advice"], 'man: no such command: stackx advice; did you mean "advise"?'), (["hw", "shwo"], "stackx hw shwo"),
                            (["hw", "--to", self.scratch], "--to writes all pages"), (["--to", "/dev/null/x"], "/dev/null")):
            self.assertIn(said, self.stackx("man", *words, exit_code=2).stderr)

    def test_all_that_help_names_is_in_its_page(self):
        self.need("man")
        whole = " ".join(shown("stackx.1")[0].split())
        for path, text in every_command().items():
            page = " ".join((shown(f"stackx-{path[0]}.1" if path else "stackx.1")[0]).split())
            for option in long_options(text):
                self.assertRegex(page, rf"(?<![\w-]){option}(?![\w-])", path)
            self.assertIn(" ".join(["stackx", *path]), page)
            if len(path) == 1:
                self.assertIn(f"stackx-{path[0]}(1)", whole)

    def test_sections(self):
        for name, text in pages().items():
            found = re.findall(r"(?m)^\.SH (.*)$", text)
            self.assertEqual(found, [one for one in SECTIONS if one in found], name)
            self.assertGreaterEqual(set(found), set(SECTIONS) - {"COMMANDS"}, name)
            self.assertRegex(text, r"(?m)^stackx[\\a-z-]* \\- \S", name)

    def test_reads_well_at_80_columns(self):
        self.need("man")
        for name in pages():
            text, warnings = shown(name)
            self.assertEqual(warnings, "", name)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, f"{name}: {line}")
            self.assertNotRegex(text, r"\\[a-z(\[]|\\-", name)  # what was not understood
            for sign in "‐−’‘“”":  # what a shell would not understand
                self.assertNotIn(sign, text, name)

    def test_judges(self):
        self.need("groff", "mandoc")
        for name, text in pages().items():
            done = subprocess.run(["groff", "-man", "-ww", "-z"], input=text, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, capture_output=True, text=True)
            # mandoc looks for other pages where it is installed, which these are not
            self.assertEqual([line for line in done.stdout.splitlines() if "STYLE" not in line], [], name)

    def test_two_machines_write_the_same(self):
        """Neither the day, nor the language, nor facts that a user brought, nor his terminal."""
        facts = self.scratch / "share" / "stackx" / "generated"
        facts.mkdir(parents=True)
        (facts / "torch.json").write_text('{"$schema": "stackx/package/1", "name": "torch", "as_of": "2031-01-01", "versions": {}}')
        environment = dict(self.environment, LC_ALL="C", TZ="Asia/Tokyo", COLUMNS="40", SOURCE_DATE_EPOCH="0")
        for command in ("stackx", "stackx-advise"):
            words = command.split("-")[1:]
            done = subprocess.run([os.environ["STACKX"], "man", *words], capture_output=True, text=True, env=environment)
            self.assertEqual(done.stdout, pages()[f"{command}.1"])
        self.assertRegex(pages()["stackx.1"], r'\A\.TH "STACKX" 1 "20\d\d-\d\d-\d\d" "stackx [\d.]+" ')
        self.assertIn("2031-01-01", self.stackx("--version").stdout)

    def test_without_data(self):
        alone = self.scratch / "alone"
        alone.mkdir()
        shutil.copy(os.environ["STACKX"], alone / "stackx")
        done = subprocess.run([alone / "stackx", "man"], capture_output=True, text=True, env={}, cwd=alone)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[1:], pages()["stackx.1"].splitlines()[1:])

    def test_examples_are_true(self):
        """Every command and option of an example exists; --help shows the same ones."""
        commands, seen = every_command(), 0
        everywhere = long_options(commands[()])
        for path, text in commands.items():
            told = text.partition("Examples:")[2].replace("\\\n", "")  # lines that go on
            for example in re.findall(r"(?m)^      (stackx .*|.*\| stackx .*)$", told):
                words = shlex.split(re.search(r"stackx [^|]*?(?= > |\||$)", example)[0], comments=True)[1:]
                used = next(tuple(words[:n]) for n in range(len(words), -1, -1) if tuple(words[:n]) in commands)
                self.assertTrue(used, example)
                for option in (word.split("=")[0] for word in words if word.startswith("--")):
                    self.assertIn(option, long_options(commands[used]) | everywhere, example)
                seen += 1
            if len(path) == 1 and path[0] != "completion":
                self.assertIn("Examples:", text, path)
        self.assertGreater(seen, 30)
