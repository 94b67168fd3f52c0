"""Completions, in real shells: bash, zsh and fish (shells.py). What they offer where, and that they know all that --help names."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import time

import shells
from harness import ROOT, STACKX, BlackBox
from help_texts import every_command, long_options

HARDWARE = ["v100", "v100s", "v100-sxm2-16gb"]
# What is typed: what must be offered, and how each offer begins.
LINES = {
    "stackx ad": (["advise"], "ad"),
    "stackx ": (["advise", "hw", "man", "completion"], ""),
    "stackx hw s": (["show"], "s"),
    "stackx hw show v1": (HARDWARE, "v1"),
    "stackx catalog import p": (["pypi"], "p"),
    "stackx catalog import pypi --fi": (["--files"], "--fi"),
    "stackx catalog import pypi --files ": (["wheels", "sdists", "any"], ""),
    "stackx catalog show bl": (["blas.json"], "bl"),
    "stackx advise --ob": (["--objective"], "--ob"),
    "stackx advise --objective ": (["rate", "stability", "balanced", "cost"], ""),
    "stackx advise --objective=st": (["stability"], "st"),
    "stackx advise --hw v1": (HARDWARE, "v1"),
    "stackx advise --hw=v1": (HARDWARE, "v1"),
    "stackx advise --hw=": (["host", "h100", "zen4", "spr"], ""),
    "stackx check --hw h": (["host", "h100", "haswell"], "h"),
    "stackx advise --workload mat": (["matmul"], "mat"),
    "stackx advise --workload=mat": (["matmul"], "mat"),
    "stackx workload show conv": (["conv2d"], "conv"),
    "stackx workload show transformer_o": (["transformer_ops"], "transformer_o"),
    "stackx advise --workload transformer_ops:phase=": (["transformer_ops:phase=prefill", "transformer_ops:phase=decode"], "transformer_ops:phase="),
    "stackx advise --workload matmul:": (["matmul:m=", "matmul:dtype="], "matmul:"),
    "stackx advise --workload=matmul:m=64,dt": (["matmul:m=64,dtype="], "matmul:m=64,dt"),
    "stackx advise --workload matmul:dtype=fl": (["matmul:dtype=float16", "matmul:dtype=float32"], "matmul:dtype=fl"),
    "stackx resolve READ": (["README.md"], "READ"),
    "stackx resolve --lock READ": (["README.md"], "READ"),
    "stackx catalog refresh -o exam": (["examples/"], "exam"),
    "stackx --db x.db adv": (["advise"], "adv"),
    "stackx hw --json l": (["list"], "l"),
    "stackx advise --db READ": (["README.md"], "READ"),
    "stackx hw list --": (["--help", "--db", "--json"], "--"),
    "stackx query wo": (["worst-variance"], "wo"),
    "stackx inspect --runner ": (["local", "container"], ""),
    "stackx completion ": (["bash", "zsh", "fish"], ""),
    "stackx man": (["man"], "man"),
}
# Nothing of ours belongs there.
NOTHING = {"stackx check -- --": "--", "stackx --no-such --nons": "--", "stackx nonsense x": "x", "stackx advise --workload nonsense:": "",
           "stackx advise --hw zzz": "", "stackx env list adv": "adv", "stackx completion n": "n"}


class Completion(BlackBox):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{pathlib.Path(STACKX).resolve().parent}:{os.environ['PATH']}"
        self.environment["LC_ALL"] = "C.UTF-8"
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)  # whose files are completed

    def script(self, shell):
        return self.write({"zsh": "_stackx"}.get(shell, f"stackx.{shell}"), script(shell))

    def need(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"no {shell} here")

    def judge(self, offered, whole):
        """`whole`(line, offer): the word as it would stand there, without "--option=" before it."""
        for line, (expected, begins) in LINES.items():
            words = [whole(line, word) for word in offered[line]]
            for word in expected:
                self.assertIn(word.rstrip("/"), [one.rstrip("/") for one in words], line)
            for word in words:
                self.assertTrue(word.startswith(begins), f"{line}: {word}")
            self.assertNotIn("names", words)
        for line, word in NOTHING.items():
            self.assertEqual([one for one in offered[line] if one.startswith(word or "-")], [], line)

    def test_bash(self):
        self.need("bash")
        script = self.script("bash")

        def whole(line, word):
            """What readline replaces is the part behind the last sign of COMP_WORDBREAKS."""
            begun = line.split(" ")[-1]
            kept = re.sub(r"[^=:]*$", "", begun)
            return re.sub(r"^--[a-z-]+=", "", kept) + word

        lines = [*LINES, *NOTHING]
        self.judge(shells.bash(script, lines, self.environment), whole)
        unbroken = shells.bash(script, lines, self.environment, breaks=" \t\n")  # nothing is taken apart
        self.judge(unbroken, lambda line, word: re.sub(r"^--[a-z-]+=", "", word) if "=" in line.split(" ")[-1] else word)

    def test_bash_with_readline(self):
        """Typed into a terminal: the word is completed where bash puts it."""
        self.need("bash")
        lines = {"stackx adv": "stackx advise", "stackx hw sho": "stackx hw show", "stackx advise --hw=v100s-": "stackx advise --hw=v100s-pcie-32gb",
                 "stackx advise --workload matmul:dty": "stackx advise --workload matmul:dtype=",
                 "stackx advise --workload matmul:dtype=bf": "stackx advise --workload matmul:dtype=bfloat16",
                 "stackx resolve examples/blas-cpu/pr": "stackx resolve examples/blas-cpu/project.json"}
        self.assertEqual(shells.bash_typed(self.scratch, self.script("bash"), lines, self.environment), lines)

    def test_zsh(self):
        self.need("zsh")
        script = self.script("zsh")
        lines = [*LINES, *NOTHING]
        self.judge(shells.zsh(self.scratch, f"source {script}", lines, self.environment), lambda line, word: word)

    def test_zsh_finds_it_in_fpath(self):
        self.need("zsh")
        self.script("zsh")
        found = shells.zsh(self.scratch, f"fpath=({self.scratch} $fpath); compinit -u -D", ["stackx hw s"], self.environment)
        self.assertEqual(found, {"stackx hw s": ["show"]})

    def test_fish(self):
        self.need("fish")
        lines = [*LINES, *NOTHING]
        found = shells.fish(self.script("fish"), lines, self.environment)
        self.judge(found, lambda line, word: re.sub(r"^--[a-z-]+=", "", word) if "=" in line.split(" ")[-1] else word)

    def test_all_that_help_names_is_in_every_script(self):
        for shell in ("bash", "zsh", "fish"):
            text = script(shell)
            for path, help_text in every_command().items():
                for word in path:
                    self.assertRegex(text, rf"(?<![\w-]){word}(?![\w-])", shell)
                for option in long_options(help_text):
                    name = rf"-l {option[2:]}" if shell == "fish" else option
                    self.assertRegex(text, rf"(?<![\w-]){name}(?![\w-])", shell)
            self.assertIn("stackx completion " + shell, text)

    def test_every_command_offers_its_own_options(self):
        """In the shell, not in the text: each of --help, and no option of another command."""
        self.need("bash")
        commands = every_command()
        everywhere = {"--db", "--json"}
        asked = {" ".join(["stackx", *path, "--"]): long_options(text) | everywhere for path, text in commands.items()}
        offered = shells.bash(self.script("bash"), list(asked), self.environment)
        self.assertEqual({line: set(words) for line, words in offered.items()}, asked)
        if shutil.which("fish"):
            offered = shells.fish(self.script("fish"), list(asked), self.environment)
            self.assertEqual({line: set(words) for line, words in offered.items()}, asked)
        if shutil.which("zsh"):
            offered = shells.zsh(self.scratch, f"source {self.script('zsh')}", list(asked), self.environment)
            self.assertEqual({line: set(words) for line, words in offered.items()}, asked)

    def test_names_come_from_the_program(self):
        """A model and a family of the user's data are offered without a new script, quickly, and no store is made."""
        data = self.scratch / "data-directory"
        shutil.copytree(ROOT / "specs" / "data", data, ignore=shutil.ignore_patterns("evidence", "generated", "facts"))
        text = (data / "gpus.json").read_text().replace('"v100-sxm2-16gb"', '"q900-sxm2-16gb"')
        (data / "gpus.json").write_text(text)
        self.environment["STACKX_DATA"] = str(data)
        names = [line.split("\t") for line in self.stackx("completion", "names", "hardware").stdout.splitlines()]
        self.assertIn("q900", [name for name, *_ in names])
        self.assertTrue(all(re.fullmatch(r"[a-z0-9._+-]+", name) for name, *_ in names))
        self.assertFalse(self.db.exists())
        took = {("completion", "names", "hardware"): [], ("hw", "list"): []}
        for _ in range(9):  # by turns: what else the machine does meets both
            for words, times in took.items():
                begin = time.perf_counter()
                self.stackx(*words)
                times.append(time.perf_counter() - begin)
        names, listing = (min(times) for times in took.values())
        self.assertLess(names, 5 * listing)

    def test_a_broken_program_says_nothing(self):
        """What a key asks must not write between the words."""
        self.need("bash")
        self.environment["STACKX_DATA"] = "/no/such/directory"
        self.assertEqual(shells.bash(self.script("bash"), ["stackx advise --hw v", "stackx hw sh"], self.environment),
                         {"stackx advise --hw v": [], "stackx hw sh": ["show"]})

    def test_judges(self):
        """Without a mistake that a shell finds by reading, shellcheck's included."""
        for program, *words in (["bash", "-n"], ["zsh", "-n"], ["fish", "-n"], ["shellcheck", "-s", "bash"]):
            if shutil.which(program):
                script = self.script({"shellcheck": "bash"}.get(program, program))
                done = subprocess.run([program, *words, script], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), program)

    def test_a_mistyped_shell(self):
        self.assertIn("did you mean completion fish?", self.stackx("completion", "fihs", exit_code=2).stderr)
        self.assertIn("there are bash, zsh, fish\n", self.stackx("completion", "xyzzy", exit_code=2).stderr)


@functools.cache
def script(shell):
    return subprocess.run([STACKX, "completion", shell], capture_output=True, text=True, check=True).stdout
