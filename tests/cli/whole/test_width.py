"""Every page in a terminal of 80 columns: no line is wider but for what a person pastes, which is never broken."""

import pathlib
import re
import subprocess

from harness import EXAMPLE, STACKX
from made_up_store import MadeUpStore, stack_id

COLUMNS = 80
LABEL = 16  # what may stand before a long word: "  workload    matmul:..."
COMMAND = re.compile(r" *`?(stackx|pip) ")

# Of what comes with stackx, and of what was measured.
KNOWN = (
    "hw", "hw list", "hw noise", "hw noise --threads 0", "hw show v100", "hw show h100", "hw show p3.2xlarge", "hw show zen3",
    "hw show epyc-7742", "workload list", "workload show matmul", "workload show conv2d", "workload show train_resnet50",
    "query best --hw v100 --limit 5", "query best --limit 0 --workload train_resnet50", "query hardware --limit 0",
    "query sources --limit 0", "query upgrades --limit 0", "query upgrades --component torch", "query regressions", "query --views",
    "advise --hw v100 --workload matmul --explain", "advise --hw h100 --workload matmul --explain --rows 0",
    "advise --hw h100 --workload matmul --have driver=535.183.01 --explain", "advise --hw a100 --workload conv2d --explain",
    "advise --hw k80 --workload matmul --explain --price 2", "advise --hw zen4 --workload train_resnet50 --explain",
    "advise --hw mi300x --workload matmul --explain", "advise --hw tpu-v3 --workload train_resnet50 --explain",
    "advise --hw h100 --workload matmul --metric rate,memory", "effects --hw v100 --workload matmul",
    "compare --hw v100 --source mlperf-v0.6:0.6-9 --source mlperf-v0.6:0.6-18",
    "compare --source convnet-benchmarks --source deepbench", "check torch==2.15.0 vllm --hw h100", "doctor --offline", "env list",
    "db info", "db check --quick",
    f"resolve {EXAMPLE}", f"resolve {EXAMPLE} --list 20", f"resolve {EXAMPLE} --top 5", f"resolve {EXAMPLE} --share",
    f"resolve {EXAMPLE} --approximate", "catalog show blas", "catalog show frameworks", "catalog show blas mkl", "catalog show cuda cuda")
MEASURED = (
    "advise --hw host --workload matmul", "advise --hw host --workload matmul --explain", "advise --hw host --workload matmul --pareto",
    "advise --hw host --workload matmul --metric rate,memory", "effects --hw host --workload matmul",
    "compare openblas=0.3.23 openblas=0.3.24", "compare openblas=0.3.23 openblas=0.3.24 --rows 0 --no-plots",
    "query best", "query worst-variance", "query regressions", "query coverage", "query failures", "query hardware",
    f"query history --stack {stack_id({'cpu': 'host', 'numpy': '1.26.4', 'openblas': '0.3.23'})}",
    f"query coverage --project {EXAMPLE}", f"inspect {EXAMPLE} --dry-run")
SQL = ("SELECT * FROM published LIMIT 5", "SELECT * FROM stacks LIMIT 5", "SELECT * FROM inspections LIMIT 5", "SELECT * FROM hosts",
       "SELECT * FROM campaigns")


def too_wide(text, columns=COLUMNS):
    """Lines that neither fit nor are a command or one long word."""
    return [line for line in text.splitlines()
            if len(line) > columns and not COMMAND.match(line) and not re.fullmatch(rf"( *|.{{,{LABEL - 1}}} )\S+", line)]


def stack(openblas, numpy="1.26.4"):
    return {"cpu": "host", "numpy": numpy, "openblas": openblas}


class Width(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.environment["COLUMNS"] = str(COLUMNS)

    def fits(self, *arguments):
        with self.subTest(page=" ".join(map(str, arguments))):
            text = self.stackx(*arguments, exit_code=None, cwd=self.scratch).stdout  # 1: the answer is no
            self.assertTrue(text)
            self.assertEqual(too_wide(text), [])

    def all_fit(self, pages):
        for page in pages:
            self.fits(*page.split())
        for sql in SQL:
            self.fits("query", "--sql", sql)

    def test_pages_of_what_is_known(self):
        self.begin_with_what_is_published()
        self.all_fit(KNOWN)

    def test_pages_of_what_was_measured(self):
        wide = {f"component-{i}": f"{i}.{i}.{i}+build{i}" for i in range(12)}
        self.rounds([(stack("0.3.23"), 100.0), (stack("0.3.24"), 90.0), (stack("0.3.25"), 99.9), (stack("0.3.23", "2.0.1"), 100.0),
                     ({**stack("0.3.26"), **wide}, 80.0)], count=24, noise=0.004)
        for number in range(24):
            self.inspection(stack("0.3.27"), 50, number, outcome="crashed", samples_ns=[], exit_code=None,
                            reason="signal 11 after a message that is as long as those of dynamic linkers that miss a symbol are")
        self.store()
        self.all_fit(MEASURED)

    def test_a_campaign_and_its_end(self):
        """Sentinels, drift and the load are told in sentences."""
        self.fake_catalog({"fast": ("9.9.1", self.fake_blas("9.9.1")), "slow": ("9.9.2", self.fake_blas("9.9.2", slow=2))})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 8, "sentinels": 1,
                                         "limits": {"seconds": 30, "memory_gib": 2}})
        self.fits("inspect", project)
        said = self.stackx("inspect", project, "--seed", "7").stderr
        self.assertIn("noise: ", said)
        self.assertEqual(too_wide(said), [])
        self.environment["COLUMNS"] = "60"
        self.assertEqual(too_wide(self.stackx("inspect", project, "--seed", "8").stderr, 60), [])
        del self.environment["COLUMNS"]  # a line stays a line
        said = self.stackx("inspect", project, "--seed", "9").stderr
        self.assertEqual([line for line in said.splitlines() if line.startswith(" ")], [])

    def test_help_of_the_pis(self):
        help_text = lambda: subprocess.run([pathlib.Path(STACKX).parent / "stackx-pi", "--help"], env=self.environment, capture_output=True,
                                           text=True, check=True).stdout
        folded = help_text()
        self.assertEqual(too_wide(folded), [])
        del self.environment["COLUMNS"]
        whole = help_text()
        self.assertGreater(max(map(len, whole.splitlines())), COLUMNS)
        self.assertEqual(folded.split(), whole.split())

    def test_what_is_pasted_stays_whole(self):
        self.begin_with_what_is_published()
        text = self.stackx("advise", "--hw", "v100", "--workload", "matmul", "--explain", cwd=self.scratch).stdout
        self.assertIn("`stackx advise --hw v100 --workload matmul --settle settle.json`", text)
        self.assertIn("\n    https://github.com/baidu-research/DeepBench/blob/30c51150869ee217f150ef5f31dc69241ed23b49/results/train/"
                      "DeepBench_NV_V100.xlsx\n", text)
        sources = self.lines("hw", "show", "spr")[0]["sources"]
        shown = self.stackx("hw", "show", "spr").stdout
        for source in sources:
            self.assertIn(source.split()[0], shown)

    def test_a_pipe_without_columns_gets_a_line_a_row(self):
        del self.environment["COLUMNS"]
        rows = [line for line in self.stackx("hw", "list").stdout.splitlines() if line and not line.startswith("FP32 and")]
        known = self.lines("hw", "list")
        self.assertEqual(len(rows), len(known) + 3)  # titles
        names = {row.split()[0] for row in rows}
        self.assertTrue(all(one["id"] in names for one in known))

    def test_the_rule_can_fail(self):
        self.assertEqual(too_wide("https://" + "a" * 100), [])
        self.assertEqual(too_wide("Source          https://" + "a" * 100), [])
        self.assertEqual(too_wide("  pip install " + "a " * 100), [])
        for line in ("a " * 50, "Source          https://" + "a" * 100 + " (read)", "what these all came from https://" + "a" * 100):
            self.assertEqual(too_wide(line), [line])
