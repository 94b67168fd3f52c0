"""What advise answers: golden texts at three widths, what holds for all of them, and the same as JSON.

Rewrite the texts with STACKX_GOLDEN=write and read what changed. The answers are those of ADVISE.md's cases and of their
neighbours; numbers and dates come from the facts and the evidence that the source tree holds.
"""

import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess

from advise_base import GOLDEN, AdviseCase
from harness import EXAMPLE, ROOT, STACKX, schema_errors
from made_up_store import MadeUpStore

MOST_LINES = 24  # at 100 columns
MOST_BYTES = 20_000
LOCK = "torch==2.4.0\nnvidia-cudnn-cu12==9.1.0.70\nnvidia-nccl-cu12==2.20.5\n"

# name of the golden text -> (columns, exit code, file that --lock or --project names and its content, arguments)
TEXTS = {
    "v100-matmul": ((80, 100, 160), 0, None, "--hw v100 --workload matmul"),
    "a100-conv2d": ((80, 100, 160), 0, None, "--hw a100 --workload conv2d"),
    "a100-train_resnet50": ((100,), 0, None, "--hw a100 --workload train_resnet50"),
    "v100-train_resnet50": ((100,), 0, None, "--hw v100 --workload train_resnet50"),
    "v100-torch": ((100,), 0, ("r.txt", "torch\n"), "--hw v100 --workload matmul --project r.txt"),
    "h100-matmul": ((100,), 0, None, "--hw h100 --workload matmul"),
    "h200-matmul": ((80, 100), 0, None, "--hw h200 --workload matmul"),
    "b200-llm": ((80, 100), 0, None, "--hw b200 --workload llm"),
    "b200-torch27": ((100,), 0, ("r.txt", "torch==2.7.*\n"), "--hw b200 --workload matmul --project r.txt"),
    "l4-conv2d": ((100,), 0, None, "--hw l4 --workload conv2d"),
    "l4-infer_resnet18": ((100,), 0, ("r.txt", "torch==2.2.0\n"), "--hw l4 --workload infer_resnet18 --project r.txt"),
    "a100-driver535": ((80, 100, 160), 0, None, "--hw a100 --workload matmul --have driver=535.183.01"),
    "a100-cuda118": ((100,), 0, None, "--hw a100 --workload matmul --have cuda=11.8"),
    "a100-lock": ((80, 100), 0, ("lock.txt", LOCK), "--hw a100 --workload matmul --lock lock.txt"),
    "h100-lock": ((100,), 1, ("lock.txt", "tensorflow-gpu==1.12.0\n"), "--hw h100 --workload matmul --lock lock.txt --python 3.6"),
    "a100-python39": ((100,), 0, None, "--hw a100 --workload matmul --python 3.9"),
    "t4-matmul": ((100,), 0, None, "--hw t4 --workload matmul"),
    "k80-matmul": ((100,), 0, None, "--hw k80 --workload matmul"),
    "mi300x-matmul": ((100,), 0, None, "--hw mi300x --workload matmul"),
    "mi300x-llm": ((80,), 0, None, "--hw mi300x --workload llm"),
    "tpu-v3": ((100,), 0, None, "--hw tpu-v3 --workload matmul"),
    "v100-stream": ((100,), 1, None, "--hw v100 --workload stream"),
    "zen4-stream": ((80,), 1, None, "--hw zen4 --workload stream"),
    "zen4-launch_latency": ((80,), 1, None, "--hw zen4 --workload launch_latency"),
    "h200-memory_bandwidth": ((80, 100), 0, None, "--hw h200 --workload memory_bandwidth"),
    "v100-launch_latency": ((80,), 0, None, "--hw v100 --workload launch_latency --have driver=535"),
    "h200-transformer": ((100,), 0, None, "--hw h200 --workload transformer:phase=decode"),
    "v100-attention": ((100,), 0, None, "--hw v100 --workload attention"),
    "h100-unknown-release": ((100,), 0, ("r.txt", "torch==2.99\n"), "--hw h100 --workload matmul --project r.txt"),
    "impossible": ((100,), 1, ("requirements.txt", "tensorflow-gpu==1.14\nflask\n"), "--hw h100 --workload matmul --project requirements.txt"),
    "v100-markdown": ((100,), 0, None, "--hw v100 --workload matmul --format markdown"),
}
FIRST = re.compile(r"(\*\*)?(Run |Yes: |No: |No stack to run |Unknown what runs )")


class Advise(AdviseCase):
    # ---- texts

    def test_texts(self):
        for name, (widths, exit_code, file, arguments) in TEXTS.items():
            if file:
                self.write(*file)
            for columns in widths:
                with self.subTest(name=name, columns=columns):
                    self.environment["COLUMNS"] = str(columns)
                    text = self.advise(*arguments.split(), exit_code=exit_code).stdout
                    self.golden(name if columns == 100 else f"{name}-{columns}", text)
                    self.is_well_made(text, columns, "markdown" in name)

    def is_well_made(self, text, columns, markdown=False):
        lines = text.splitlines()
        self.assertRegex(lines[0], FIRST)  # the answer
        self.assertNotIn("\033", text)
        self.assertFalse(text.endswith("\n\n"))
        self.assertNotIn("\n\n\n", text)
        if markdown:
            return
        for line in lines:
            command = re.match(r"  (pip install|stackx) ", line)
            self.assertTrue(command or len(line) <= columns, line)
        if columns >= 100:
            self.assertLessEqual(len(lines), MOST_LINES)

    def test_host_where_nothing_is_measured(self):
        """The numbers and the name of the processor are this machine's."""
        text = self.advise("--hw", "host", "--workload", "matmul").stdout
        self.is_well_made(text, 100)
        name = re.search(r" on ([\w-]+)\.\n", text).group(1)
        text = re.sub(r"\s+", " ", re.sub(rf"\b{re.escape(name)}\b", "HOST", text))
        self.golden("host", re.sub(r"(?<![a-z])\d[\d,.]*", "N", text) + "\n")

    def test_no_escape_codes_with_NO_COLOR_on_a_terminal(self):
        def on_a_terminal(**variables):
            ours, theirs = pty.openpty()
            environment = dict(self.environment, TERM="xterm-256color", **variables)
            process = subprocess.Popen([STACKX, "advise", "--hw", "v100", "--workload", "matmul"], stdout=theirs, stderr=subprocess.DEVNULL,
                                       stdin=subprocess.DEVNULL, env=environment)
            os.close(theirs)
            output = b""
            try:
                while part := os.read(ours, 65536):
                    output += part
            except OSError:  # the other end is closed
                pass
            os.close(ours)
            self.assertEqual(process.wait(timeout=240), 0)
            return output.decode()

        self.environment.pop("NO_COLOR", None)
        self.assertIn("\033[1mRun torch ", on_a_terminal())
        self.assertNotIn("\033", on_a_terminal(NO_COLOR="1"))

    def test_the_pages_show_these_answers(self):
        """What README.md and docs/advise.md print of the answer for a V100 is what is compared here, all of it."""
        golden = (GOLDEN / "v100-matmul.txt").read_text()
        for page in ("README.md", "docs/advise.md"):
            screen = (ROOT / page).read_text().split("$ stackx advise --hw v100 --workload matmul\n", 1)[1].split("```")[0]
            self.assertEqual(screen, golden, page)
        self.assertIn((GOLDEN / "impossible.txt").read_text().splitlines()[0], (ROOT / "docs" / "advise.md").read_text())

    def test_what_is_published_keeps_to_what_was_asked(self):
        asked = ("--hw", "a100", "--workload", "matmul")
        self.assertRegex(str(self.answer(*asked)["evidence"]), r"torch 2\.6\.0, cuda 12\.6")
        for options, out in ((("--have", "cuda=11.8"), r"cuda 1[023]"), (("--project", self.write("r.txt", "torch<2.6\n")), r"torch 2\.6")):
            answer = self.answer(*asked, *options)
            self.assertNotRegex(str(answer["evidence"]), out)
            self.assertRegex(" ".join(answer["remarks"]), r"\d published results? outside what was asked for (is|are) left out\.")

    # ---- what is valid, and what runs

    def test_what_is_printed_to_install_passes_check(self):
        for hw in ("v100", "a100", "h100", "b200", "l4", "t4", "k80", "p100", "rtx4090", "a10g", "mi300x"):
            for workload in ("matmul", "train_resnet50", "llm"):
                with self.subTest(hw=hw, workload=workload):
                    answer = self.answer("--hw", hw, "--workload", workload, exit_code=None)
                    if not answer["found"]:
                        continue
                    words = shlex.split(answer["install"]["line"])
                    self.assertEqual(words[:2], ["pip", "install"])
                    if "--extra-index-url" in words:
                        at = words.index("--extra-index-url")
                        self.assertRegex(words[at + 1], r"^https://(download\.pytorch\.org/whl/(cu\d+|rocm[\d.]+)|wheels\.vllm\.ai/rocm/[\d.]+/rocm\d+)$")
                        del words[at:at + 2]
                    self.assertEqual(self.stackx("check", *words[2:], "--hw", hw).stdout.split(":")[0], "Yes")

    def test_evidence_of_one_source_displaces_the_newest(self):
        """pytorch#119458: torch 2.2.0 of CUDA 12.1 was slower on an L4 than that of CUDA 11.8."""
        project = self.write("r.txt", "torch==2.2.0\n")
        answer = self.answer("--hw", "l4", "--workload", "infer_resnet18", "--project", project)
        self.assertEqual((answer["grade"], answer["package"]["version"]), ("PUBLISHED", "2.2.0+cu118"))
        self.assertIn("slower", answer["why"])
        newest = self.answer("--hw", "l4", "--workload", "infer_resnet18", "--project", project, "--type", "latest")
        self.assertEqual(newest["package"]["version"], "2.2.0")

    def test_require(self):
        asked = ("--hw", "v100", "--workload", "matmul", "--require")
        done = self.advise(*asked, "measured", exit_code=1)
        self.assertEqual(done.stderr, "stackx: --require measured: the answer is PREDICTED\n")
        self.assertTrue(done.stdout.startswith("Run torch "))
        self.advise(*asked, "published", exit_code=1)
        self.assertEqual(self.advise(*asked, "predicted").stderr, "")
        self.advise("--hw", "a100", "--workload", "conv2d", "--require", "predicted", exit_code=1)
        self.assertIn("measured, published, predicted", self.advise(*asked, "newest", exit_code=2).stderr)

    def test_have(self):
        answer = self.answer("--hw", "a100", "--workload", "conv2d", "--have", "driver=525.60.13,python=3.10")
        self.assertEqual(answer["package"]["pythons"], ["3.10"])
        self.assertTrue(answer["package"]["version"].endswith("+cu126"))
        self.assertIn("driver 525.60.13, python 3.10", answer["why"])
        self.assertEqual(self.answer("--hw", "a100", "--have", "python=3.9")["package"], self.answer("--hw", "a100", "--python", "3.9")["package"])
        cautions = self.answer("--hw", "a100", "--have", "glibc=2.17")["cautions"]
        self.assertRegex(cautions[-1], r"^Staying with glibc 2\.17 keeps you from torch .*, which needs glibc 2\.\d+ and driver >=")
        line = self.answer("--hw", "v100", "--have", "driver=595", exit_code=1)["line"]
        self.assertTrue(line.endswith("drivers after R580 do not drive V100 (sm_70); 595 is one of them."))
        for have, said in (("cuda", "cuda=VERSION"), ("drvier=535", "expected driver, python, cuda or glibc"), ("cuda=11.8,cuda=12", "given twice"),
                           ("python=3.10,driver=x", "driver=VERSION")):
            self.assertIn(said, self.advise("--hw", "a100", "--have", have, exit_code=2).stderr)
        self.assertIn("give one of them", self.advise("--hw", "a100", "--have", "python=3.9", "--python", "3.10", exit_code=2).stderr)
        told = self.advise("--hw", "a100", "--python", "3.99", exit_code=2).stderr
        self.assertIn("--python 3.99: newer than any Python that is known here; expected one of", " ".join(told.split()))
        self.assertIn("on MI300X with python 2.7: torch", self.answer("--hw", "mi300x", "--have", "python=2.7", exit_code=1)["line"])
        self.assertIn("Python 2.7 is not judged", self.answer("--hw", "zen4", "--have", "python=2.7")["cautions"][-1])

    def test_a_cuda_for_a_driver(self):
        told = " ".join(self.advise("--hw", "a100", "--driver", "12.4", exit_code=2).stderr.split())
        self.assertIn("--driver 12.4: looks like a release of CUDA, which `nvidia-smi` shows beside the driver's own version; "
                      "CUDA 12.4 came with driver 550.54.14. `advise --have cuda=12.4` keeps CUDA 12.4", told)
        told = " ".join(self.advise("--hw", "a100", "--driver", "45", exit_code=2).stderr.split())
        self.assertIn("--driver 45: no driver of these GPUs is that old; expected the driver's own version", told)

    def test_a_driver_that_no_release_runs_with_gets_those_that_do(self):
        done = self.stackx("advise", "--hw", "h100", "--workload", "matmul", "--have", "driver=470", exit_code=1)
        self.assertTrue(done.stdout.startswith("No stack to run matmul on H100: driver 470 is older than the first for H100 (sm_90), 520.56.06"), done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  your driver +run\n  >=580 +torch .*\n(.*\n)*  >=520\.56\.06 +torch 2\.7\.1\+cu118 ")
        self.assertNotIn("The nearest that runs", done.stdout)

    def test_impossible_project(self):
        project = self.write("requirements.txt", "tensorflow-gpu==1.14\nflask\n")
        arguments = ("--hw", "h100", "--workload", "matmul", "--project", project)
        document = self.json("advise", *arguments, "--explain", exit_code=1)
        self.assertFalse(document["answer"]["found"])
        self.assertIn("No stack to run matmul on H100: ", document["answer"]["line"])
        self.assertEqual(document["valid"]["stacks"], "0")
        self.assertEqual(document["recommendations"], [])
        self.assertTrue(any("tensorflow 2.12.0" in line for line in document["nearest_that_works"]))
        # What it names as nearest works, and with that exactly as many stacks.
        self.write("requirements.txt", "tensorflow==2.12.0\n")
        self.assertEqual(self.json("advise", *arguments, "--explain", exit_code=None)["valid"]["stacks"], "1936")
        self.assertIn("there is no stack to write down", self.advise("--hw", "v100", "--workload", "stream", "--format", "uv", exit_code=2).stderr)

    def test_a_framework_beside_what_pins_it(self):
        """torch and vllm, nothing pinned: the release of torch that a vllm for this GPU and driver takes."""
        project = self.write("requirements.txt", "torch\nvllm\n")
        for have in ((), ("--have", "driver=550.54.14")):
            done = self.advise("--hw", "a100", "--workload", "transformer", "--project", project, *have)
            line = re.search(r"^  pip install (.*)$", done.stdout, re.M).group(1).split()
            self.assertRegex(" ".join(line), r"^torch==\S+ vllm==\S+$")
            driver = ["--driver", have[1].partition("=")[2]] if have else []
            self.assertRegex(self.stackx("check", *line, "--hw", "a100", *driver).stdout, "^Yes: ")

    def test_a_project_narrows_the_space(self):
        project = self.write("requirements.txt", "torch>=2.4,<2.6\n")
        arguments = ("--hw", "v100", "--workload", "matmul", "--project", project)
        found = self.json("advise", *arguments, "--explain")
        self.assertLess(int(found["valid"]["stacks"]), 39185635)
        self.assertRegex(found["answer"]["package"]["version"], r"^2\.5\.")

    def test_a_project_of_stackx_is_the_space(self):
        counted = self.json("resolve", EXAMPLE, "--count")["valid_stacks"]
        found = json.loads(self.stackx("advise", "--hw", "host", "--project", EXAMPLE, "--json", "--explain", exit_code=None).stdout)
        self.assertEqual(found["valid"]["stacks"], counted)
        self.assertIn("know no gpu", self.advise("--hw", "v100", "--project", EXAMPLE, exit_code=2).stderr)

    # ---- what it rests on

    def test_every_number_leads_to_a_document(self):
        document = self.json("advise", "--hw", "v100", "--workload", "matmul", "--explain")
        self.assertEqual([row["rank"] for row in document["recommendations"]],
                         sorted(row["rank"] for row in document["recommendations"]))
        self.assertEqual(document["valid"]["stacks"], "39185635")
        for row in document["recommendations"]:
            self.assertIn(row["evidence"], ("published", "predicted"))
            self.assertIsNone(row["rate"]["ci95"])
            if row["evidence"] == "published":
                self.assertTrue(row["documents"])
                self.assertTrue(all(source["url"].startswith("https://") for source in row["sources"]))
            else:
                self.assertTrue(row["prediction"]["basis"])
                low, high = row["rate"]["interval80"]
                self.assertTrue(low < row["rate"]["median"] < high)
        text = self.advise("--hw", "v100", "--workload", "matmul", "--explain").stdout
        self.assertTrue(text.startswith((GOLDEN / "v100-matmul.txt").read_text()))  # then what it rests on
        for row in document["recommendations"]:
            for source in row.get("sources", []):
                self.assertIn(source["url"], text)
        for shown in document["recommendations"][0]["shown"]:
            self.assertIn(shown["document"][:12], text)
        self.assertIn("What is valid rests on", text)
        for row in document["answer"]["evidence"]:
            self.assertTrue(row["url"].startswith("https://"))

    def test_a_lock_is_judged_first(self):
        lock = self.write("requirements.txt", LOCK)
        answer = self.answer("--hw", "a100", "--workload", "matmul", "--lock", lock)
        self.assertTrue(answer["line"].startswith("Yes: requirements.txt runs on A100: torch 2.4.0 (CUDA 12.1"))
        self.assertEqual(answer["stack"]["nvidia-nccl-cu12"], "2.20.5")
        self.assertTrue(any(text.startswith("The newest valid on A100 is torch ") for text in answer["cautions"]))
        self.write("requirements.txt", "torch==2.4.0\nnvidia-cudnn-cu12==9.10.2.21\n")
        self.assertTrue(self.answer("--hw", "a100", "--lock", lock, exit_code=1)["line"].startswith("No: requirements.txt does not run"))

    def test_a_lock_of_uv_or_poetry(self):
        for name in ("uv.lock", "poetry.lock"):
            lock = self.write(name, '[[package]]\nname = "torch"\nversion = "2.4.0"\nsource = { registry = "https://pypi.org/simple" }\n')
            with self.subTest(name):
                self.assertRegex(self.answer("--hw", "a100", "--workload", "matmul", "--lock", lock)["line"],
                                 rf"^Yes: {name} runs on A100: torch 2\.4\.0 ")
                self.assertRegex(self.answer("--hw", "b200", "--workload", "matmul", "--lock", lock, exit_code=1)["line"],
                                 rf"^No: {name} does not run on B200: torch 2\.4\.0 has no kernels")

    def test_an_extra_says_which_of_several_is_locked(self):
        package = '[[package]]\nname = "torch"\nversion = "{}"\nsource = {{ registry = "https://pypi.org/simple" }}\n'
        own = ('[[package]]\nname = "shop"\nversion = "1"\nsource = { virtual = "." }\n[package.optional-dependencies]\n'
               'old = [{ name = "torch", version = "2.4.0" }]\nnew = [{ name = "torch", version = "2.7.1" }]\n')
        lock = self.write("uv.lock", "version = 1\n" + package.format("2.4.0") + package.format("2.7.1") + own)
        for extra, version in (("old", "2.4.0"), ("new", "2.7.1")):
            document = self.json("advise", "--hw", "a100", "--workload", "matmul", "--lock", lock, "--extra", extra, "--explain")
            self.assertIn(f"runs on A100: torch {version} ", document["answer"]["line"])
            self.assertTrue(document["own"]["components"]["torch"].startswith(version), document["own"]["components"])

    def test_what_comes_from_no_index_is_left_out_of_a_project(self):
        for name, text in (("requirements.txt", "torch==2.4.0\ngit+https://example.org/a/b.git\n"),
                           ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["torch==2.4.0", "b @ git+https://example.org/a/b.git"]\n'),
                           ("Pipfile", '[packages]\ntorch = "==2.4.0"\nb = {git = "https://example.org/a/b.git"}\n')):
            answer = self.answer("--hw", "a100", "--workload", "matmul", "--project", self.write(name, text))
            self.assertEqual((answer["package"]["package"], answer["package"]["version"]), ("torch", "2.4.0"), name)
            self.assertRegex(" ".join(answer["remarks"]), r"Left out, and not judged: .*(git|b).*\(not from an index\)\.", name)

    def test_the_own_stack_beside_what_is_published(self):
        lock = self.write("requirements.txt", "tensorflow-gpu==1.14.0\nnumpy==1.16.4\n")
        arguments = ("--hw", "v100", "--workload", "matmul", "--explain", "--lock", lock, "--python", "3.7")
        document = self.json("advise", *arguments)
        self.assertEqual(document["own"]["components"], {"tensorflow": "1.14.0", "python": "3.7"})
        self.assertEqual(document["own"]["nearest_valid"]["differs"], {})
        self.assertEqual(document["own"]["nearest_valid"]["stack"]["components"]["cuda"], "10.0.130")
        self.assertTrue(document["own"]["stay"])  # what is published for CUDA 10.0 ties with the best
        self.assertIn("stay", document["answer"]["why"])
        text = self.advise(*arguments).stdout
        self.assertLess(text.index("Your stack"), text.index("Published results"))
        self.assertIn("numpy", text)
        # CUDA 9.0 was slower on most shapes.
        self.write("requirements.txt", "tensorflow-gpu==1.12.0\n")
        document = self.json("advise", *arguments[:-1], "3.6")
        self.assertFalse(document["own"]["stay"])
        self.assertIn("brought x", " ".join(document["own"]["advice"]))
        self.assertIn("changing cuda 9.0.103 -> ", document["answer"]["why"])
        # No wheel of it was made for that Python.
        self.write("requirements.txt", "tensorflow-gpu==1.14.0\n")
        document = self.json("advise", *arguments[:-1], "3.11", exit_code=1)
        self.assertIn("tensorflow", document["own"]["nearest_valid"]["differs"])
        # What does not run there cannot stay.
        document = self.json("advise", "--hw", "h100", *arguments[2:-1], "3.7", exit_code=1)
        self.assertFalse(document["own"]["stay"])
        self.assertIn("cannot stay", " ".join(document["own"]["advice"]))

    def test_settling_resolves_to_the_candidates(self):
        file = self.scratch / "settle.json"
        found = self.json("advise", "--hw", "v100", "--workload", "matmul", "--settle", file, "--explain")
        candidates = {c["id"]: c["components"] for c in found["not_known"]["candidates"]}
        self.assertEqual(json.loads(file.read_text())["hardware"], {"gpu": "v100", "driver": "host"})  # any of them
        drivers = {components["driver"] for components in candidates.values()}
        file.write_text(file.read_text().replace('"host"', json.dumps(max(drivers))))  # as a machine would have it
        plan = self.json("inspect", file, "--dry-run")
        listed = {json.dumps(arm["stack"], sort_keys=True) for arm in plan["arms"]}
        self.assertEqual(len(listed), len(candidates))
        self.assertEqual(len(plan["arms"]), len(candidates) + 1)  # and a sentinel
        self.assertEqual(plan["campaign"]["rounds"], found["not_known"]["rounds"])
        self.assertRegex(self.stackx("inspect", file, exit_code=2).stderr,
                         "asks for v100-sxm2-16gb, but this machine has none")

    def test_all_frameworks_that_were_asked_for_are_named(self):
        project = self.write("r.txt", "torch\nvllm\n")
        for workload, first, second in (("matmul", "torch", "vllm"), ("serve_llm", "vllm", "torch")):
            answer = self.answer("--hw", "h100", "--workload", workload, "--project", project)
            stack = answer["stack"]
            self.assertTrue(answer["line"].startswith(f"Run {first} {stack[first]} with {second} {stack[second]} "), answer["line"])
        text = self.advise("--hw", "h100", "--workload", "matmul", "--project", project).stdout
        self.assertRegex(text, r"\n  >=525\S+ +torch \S+ +vllm \S+, CUDA 12")

    def test_the_framework_that_the_workload_names_is_the_answers(self):
        for hardware in ("rtx5090", "zen4"):
            with self.subTest(hardware=hardware):
                said = self.advise("--hw", hardware, "--workload", "matmul:framework=jax").stdout
                self.assertRegex(said, r"^Run jax \d")
                self.assertRegex(said, r"\n  pip install .*jax")
        self.assertRegex(self.advise("--hw", "a100", "--workload", "matmul:framework=onnx").stdout, r"^Run onnxruntime-gpu \d")
        torch = self.write("requirements.txt", "torch\n")
        said = self.advise("--hw", "a100", "--workload", "matmul:framework=jax", "--project", torch, exit_code=2).stderr
        self.assertIn(f"--workload: framework=jax, but {torch} asks for torch; leave one of them out", " ".join(said.split()))
        said = self.advise("--hw", "zen4", "--workload", "matmul:framework=numpy", exit_code=None).stdout
        self.assertIn("the catalogs know no numpy; there `stackx inspect requirements.txt --workload matmul:framework=numpy` measures",
                      " ".join(said.split()))
        self.assertNotIn("pip install", said)

    def test_what_a_framework_writes_otherwise_is_not_expected_of_it(self):
        """torch writes products of bfloat16 as bfloat16: what it reached so says nothing of float32."""
        def answer(workload):
            return self.answer("--hw", "h200", "--workload", workload)

        sizes = "m=8192,n=8192,k=8192"
        for workload in ("matmul:dtype=bfloat16,result=float32", f"matmul:dtype=bfloat16,result=float32,{sizes}"):
            self.assertEqual(answer(workload)["expected"], [])
            self.assertIn("torch writes products of bfloat16 as bfloat16, not as float32", answer(workload)["expect"])
            self.assertTrue(all("torch" not in row["stack"].split(" (")[0] for row in answer(workload)["measured_elsewhere"]))
        asked = answer("matmul:dtype=bfloat16")["expected"]
        self.assertTrue(asked)
        for result in ("bfloat16", "same", "usual"):  # as it does
            self.assertEqual(answer(f"matmul:dtype=bfloat16,result={result}")["expected"], asked)
        self.assertEqual([one["of"] for one in answer("matmul:result=float32")["expected"]], ["float32"])

    def test_the_cuDNN_of_another_CUDA_is_not_what_pytorch_uses(self):
        """A build for CUDA 11.8 carries its own; that of the package index would take 8.9.2.26."""
        file = self.write("r.txt", "torch==2.1.0\nnvidia-cudnn-cu12==9.1.0.70\n")
        answer = self.answer("--hw", "h100", "--workload", "matmul", "--project", file)
        self.assertEqual((answer["package"]["version"], answer["package"]["cudnn"]), ("2.1.0+cu118", None))
        self.assertIn("torch 2.1.0+cu118 is built for CUDA 11.8 and loads the libraries that come with it: "
                      "nvidia-cudnn-cu12 9.1.0.70 would lie beside, unused.", answer["cautions"])
        file.write_text("torch==2.4.0\nnvidia-cudnn-cu12==9.1.0.70\nnvidia-cublas-cu12==12.1.3.1\n")
        answer = self.answer("--hw", "h100", "--workload", "matmul", "--project", file)
        self.assertEqual(answer["package"]["cudnn"], "9.1.0")
        self.assertFalse([one for one in answer["cautions"] if "unused" in one])

    def test_a_no_has_a_way_out(self):
        project = self.write("r.txt", "tensorflow\n")
        no = self.answer("--hw", "rtx5090", "--workload", "train_resnet50", "--project", project, exit_code=1)
        self.assertRegex(no["cautions"][-1], r"^What is known to run there: torch [\d.]+, jax\[cuda12\] [\d.]+\.$")
        no = self.answer("--hw", "h100", "--workload", "matmul", "--python", "2.7", exit_code=1)
        self.assertRegex(no["cautions"][0], r"^The nearest that runs: Python 3\.\d+ instead of 2\.7, torch [\d.]+\. To install it: pip install torch==[\d.]+$")

    def test_what_check_calls_driver(self):
        asked = ("--hw", "h100", "--workload", "matmul")
        self.assertEqual(self.answer(*asked, "--driver", "535.183.01"), self.answer(*asked, "--have", "driver=535.183.01"))
        self.assertIn("python 3.11", self.advise(*asked, "--driver", "535.183.01", "--have", "python=3.11").stdout)
        self.assertIn("driver is given twice", self.advise(*asked, "--driver", "535", "--have", "driver=525", exit_code=2).stderr)

    def test_one_date_of_the_facts(self):
        self.assertEqual(self.advise("--hw", "v100", "--workload", "matmul", "--explain").stdout.count("Facts as of"), 1)

    def test_an_environment_of_conda_is_a_project(self):
        file = self.write("environment.yml", "dependencies:\n  - python=3.10\n  - pytorch::pytorch=2.4\n  - numpy\n  - pip:\n    - transformers\n")
        asked = ("--hw", "h100", "--workload", "matmul")
        answer = self.answer(*asked, "--project", file)
        self.assertEqual((answer["package"]["package"], answer["package"]["version"], answer["package"]["pythons"]), ("torch", "2.4.1", ["3.10"]))
        self.assertIn("transformers", answer["install"]["line"])
        self.assertIn("What environment.yml has of conda is taken for what the package index calls so.", answer["remarks"])
        self.assertIn("--project takes it", self.advise(*asked, "--lock", file, exit_code=2).stderr)
        self.assertRegex(self.stackx("check", self.write("e.yml", "dependencies: [pytorch]"), "--hw", "h100").stdout, "^Unknown: .*e.yml has conda's own packages")

    def test_settling_measures_what_is_advised(self):
        """The command that is printed works as it is, or there is none."""
        text = " ".join(self.advise("--hw", "h100", "--workload", "train_bert_large").stdout.split())
        self.assertIn("with a program of yours (docs/own-pi.md): 1 stack", text)
        self.assertIn("stackx inspect s.json --pi PROGRAM", text)
        for hw, workload, package in (("h100", "infer_llm", "vllm"), ("zen4", "conv2d", "torch")):
            self.assertNotIn("--settle", self.advise("--hw", hw, "--workload", workload).stdout)
            said = self.advise("--hw", hw, "--workload", workload, "--settle", self.scratch / "none.json", exit_code=2).stderr
            self.assertIn(f"do not say how to install {package}", said)
            self.assertIn(f"`stackx inspect {package} --", " ".join(said.split()))
        for workload in ("matmul", "transformer", "memory_bandwidth"):
            file = self.scratch / f"{workload}.json"
            answer = self.json("advise", "--hw", "h100", "--workload", workload, "--settle", file)["answer"]
            self.assertIn("stackx inspect s.json", answer["next"][1])
            self.assertNotIn("--pi", answer["next"][1])
            for python in {stack["python"] for stack in json.loads(file.read_text())["campaign"]["stacks"] if "python" in stack}:
                self.assertTrue(shutil.which(f"python{python}") or list(pathlib.Path.home().glob(f".pyenv/versions/{python}.*")), python)
            if answer["package"]:
                self.assertTrue(all(answer["package"]["package"] in stack for stack in json.loads(file.read_text())["campaign"]["stacks"]))

    def test_types(self):
        latest = self.answer("--hw", "v100", "--workload", "matmul", "--type", "latest")
        self.assertEqual(latest["package"], self.answer("--hw", "v100", "--workload", "matmul")["package"])  # nothing displaces it
        advisories = self.write("osv.json", {"id": "MADE-UP-1", "modified": "2026-01-01T00:00:00Z", "affected": [
            {"package": {"ecosystem": "PyPI", "name": "torch"},
             "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "2.5.0"}]}]}]})
        arguments = ("--hw", "v100", "--workload", "matmul", "--type", "security")
        self.assertIn("--advisories", self.advise(*arguments, exit_code=2).stderr)
        safe = self.json("advise", *arguments, "--advisories", advisories, "--explain")
        self.assertRegex(safe["answer"]["package"]["version"], r"^2\.4\.")
        self.assertLess(int(safe["valid"]["stacks"]), 39185635)
        self.assertTrue(safe["excluded"])
        for row in safe["excluded"]:
            self.assertEqual((row["component"], row["advisories"]), ("torch", ["MADE-UP-1"]))
        self.assertIn("MADE-UP-1", self.advise(*arguments, "--advisories", advisories, "--explain").stdout)

    def test_cost_follows_the_price(self):
        self.assertIn("--price", self.advise("--hw", "v100", "--objective", "cost", exit_code=2).stderr)
        rows = self.json("advise", "--hw", "v100", "--workload", "matmul", "--objective", "cost", "--price", "3.6", "--explain")
        row = rows["recommendations"][0]
        # 3.6 an hour is 0.001 a second; 10^15 flop take 10^6 / (GFLOP/s) seconds.
        self.assertAlmostEqual(row["cost"]["amount"], 0.001 * 1e6 / row["rate"]["median"], places=9)

    def test_nothing_asked_is_left_out_silently(self):
        lock = self.write("requirements.txt", "tensorflow-gpu==1.14.0\n")
        for options in (("--lock", lock), ("--project", lock), ("--settle", "x.json"), ("--price", "2"), ("--explain",),
                        ("--type", "latest"), ("--format", "pod")):
            self.assertIn(options[0], self.advise("--pareto", *options, exit_code=2).stderr)
        for name in ("", " "):
            self.assertIn("--hw", self.advise("--hw", name, exit_code=2).stderr)
        file = self.scratch / "settle.json"
        recipe = self.advise("--hw", "v100", "--workload", "matmul", "--format", "containerfile", "--settle", file).stdout
        self.assertIn("FROM ", recipe)
        self.assertEqual(json.loads(file.read_text())["hardware"]["gpu"], "v100")
        # The command that is named asks the same again.
        self.write("requirements.txt", LOCK)
        text = self.advise("--hw", "a100", "--workload", "matmul", "--delta", "5", "--lock", lock, "--python", "3.10").stdout
        self.assertIn(f"--lock {lock} --python 3.10 --delta 5 --settle", text)


class Json(AdviseCase):
    def test_the_answer_comes_first_and_little_else(self):
        self.write("lock.txt", LOCK)
        self.write("r.txt", "tensorflow-gpu==1.14\nflask\n")
        asked = [f"--hw {hw} --workload {workload}" for hw in ("v100", "a100", "k80") for workload in ("matmul", "conv2d", "train_resnet50")]
        asked += ["--hw b200 --workload llm", "--hw mi300x", "--hw tpu-v3", "--hw v100 --workload stream", "--hw host", "--hw zen3",
                  "--hw a100 --lock lock.txt", "--hw h100 --project r.txt", "--hw a100 --have driver=535.183.01"]
        documents = []
        for arguments in asked:
            with self.subTest(arguments):
                text = self.stackx("advise", *arguments.split(), "--json", exit_code=None, cwd=self.scratch).stdout
                self.assertTrue(text.startswith('{"answer":{'))
                self.assertLessEqual(len(text.encode()), MOST_BYTES)
                documents.append(json.loads(text))
                self.assertEqual(list(documents[-1])[:2], ["answer", "$schema"])
        self.assertEqual(schema_errors("advice", documents), [""] * len(documents))

    def test_the_explanation_keeps_to_the_schema(self):
        self.write("lock.txt", LOCK)
        self.write("r.txt", "tensorflow-gpu==1.14\nflask\n")
        asked = ("--hw v100", "--hw a100 --lock lock.txt", "--hw h100 --project r.txt", "--hw host", "--hw tpu-v3", "--hw v100 --workload stream")
        documents = [json.loads(self.stackx("advise", *one.split(), "--json", "--explain", exit_code=None, cwd=self.scratch).stdout)
                     for one in asked]
        self.assertEqual(schema_errors("advice", documents), [""] * len(documents))
        for document, spoil in zip(documents, (lambda d: d.update(extra=1), lambda d: d["answer"].update(grade="GUESSED"),
                                               lambda d: d["answer"].pop("why"))):
            spoil(document)
        self.assertTrue(all(schema_errors("advice", documents[:3])))

    def test_format_json_is_json(self):
        one, other = (self.stackx("advise", "--hw", "a100", *options).stdout for options in (("--json",), ("--format", "json")))
        self.assertEqual(one, other)


class Measured(MadeUpStore):
    def advise(self, *arguments, exit_code=0):
        return self.stackx("advise", "--hw", "host", "--workload", "matmul", *arguments, exit_code=exit_code)

    def test_what_was_measured_is_the_answer(self):
        self.rounds([({"mkl": "2026.2.0"}, 200)] + [({"scipy-openblas64": f"0.3.{n}"}, 100 + n) for n in range(20, 30)])
        self.store()
        lines = self.advise().stdout.splitlines()
        self.assertRegex(lines[0], r"^MKL 2026\.2\.0 is FASTEST: ")
        self.assertLessEqual(len(lines), MOST_LINES)
        text = "\n".join(lines)
        self.assertRegex(text, r"\n +1 +\d+ +best +[\d.]+% +[0-9a-f]{12} +MKL 2026\.2\.0\n")
        self.assertRegex(text, r"\n +=?\d +\d+ +SLOWER x0\.\d+ +[\d.]+% +[0-9a-f]{12} +OpenBLAS 0\.3\.29\n")
        self.assertIn("... 4 more, down to ", text)
        self.assertIn("stackx verify advice.json", text)
        document = json.loads(self.advise("--json").stdout)
        self.assertEqual(document["answer"]["grade"], "MEASURED")
        self.assertEqual(len(document["recommendations"]), 8)
        self.assertEqual(len(json.loads(self.advise("--json", "--explain").stdout)["recommendations"]), 11)
        self.assertEqual(schema_errors("advice", [document, json.loads(self.advise("--json", "--explain").stdout)]), ["", ""])
        self.advise("--require", "measured")

    def test_under_load_other_stacks_may_be_best(self):
        openblas, mkl = {"scipy-openblas64": "0.3.34.481.3"}, {"mkl": "2026.2.0"}
        queried = {"pi": "matmul", "params": {"m": "512", "n": "512", "k": "512", "scenario": "single_stream"}}
        for number in range(8):
            for stack, gflops, milliseconds in ((mkl, 200, 3.0), (openblas, 100, 1.0)):
                self.inspection(stack, gflops * (1 + 0.001 * number), number)
                latency = milliseconds * 1e6 * (1 + 0.001 * number)
                self.inspection(stack, 1e6 / latency, number, workload=queried, campaign="load", work={"flop": 0.0, "bytes": 0.0, "items": 1.0},
                                scenario={"name": "single_stream", "metric": "latency_ms", "unit": "ms", "value": latency / 1e6, "queries": 500,
                                          "latency_ns": {"50": latency / 2, "90": latency, "99": 2 * latency}})
        self.store()
        asked = ("advise", "--hw", "host", "--workload", "matmul:scenario=single_stream", "--metric", "latency")
        found = self.json(*asked)
        self.assertEqual([row["stack"]["components"] for row in found["recommendations"]], [openblas, mkl])
        self.assertAlmostEqual(found["recommendations"][0]["amount"]["median"], 1.0035, delta=1e-4)
        self.assertEqual(found["workload"], "matmul:k=512,m=512,n=512,scenario=single_stream")
        done = self.stackx(*[word.replace("single_stream", "SingleStream") for word in asked])
        self.assertRegex(done.stdout, r"^OpenBLAS 0\.3\.34\S* has the LEAST latency: 1\.00 ms ")
        self.assertIn("scenario=SingleStream is taken for scenario=single_stream", done.stderr)
        recipe = self.stackx(*asked, "--format", "containerfile").stdout
        self.assertIn("scenario=single_stream", recipe.split("stackx-pi", 1)[1])
        self.assertNotIn("Left out", recipe)
        self.assertEqual(self.json("advise", "--hw", "host", "--workload", "matmul:m=512,scenario=none", exit_code=None)["recommendations"], [])
        refused = self.stackx("advise", "--hw", "host", "--workload", "softmax:scenario=server", exit_code=2).stderr
        self.assertIn('softmax has no parameter "scenario"; it has rows, columns, dtype, threads; of other workloads matmul, ', refused)

    def test_the_steadiest_is_said_and_installed(self):
        for number in range(12):
            self.inspection({"mkl": "2026.2.0"}, 200 * (1.3 if number % 2 else 0.8), number)
            self.inspection({"scipy-openblas64": "0.3.33.201.0"}, 100 + number % 3, number)
        self.store()
        self.assertIn("MKL 2026.2.0", self.advise().stdout.splitlines()[0])
        answer = json.loads(self.advise("--type", "stable", "--json").stdout)["answer"]
        self.assertRegex(answer["line"], r"^OpenBLAS 0\.3\.33\S* is the STEADIEST: CV 0\.\d% over 12 inspections; 101 GFLOP/s \[.*\] MEASURED, x0\.\d\d of the fastest\.$")
        self.assertEqual([round(one["value"]) for one in answer["expected"]], [101])
        self.assertIn("scipy-openblas64==0.3.33.201.0", answer["install"]["line"])

    def test_what_the_catalogs_do_not_know_is_in_no_recipe(self):
        self.rounds([({"numpy": "1.1", "blas": "3"}, 100), ({"numpy": "1.2", "blas": "3"}, 90)])
        self.store()
        text = self.advise("--explain").stdout
        self.assertIn("  ! The catalogs do not know blas 3, numpy 1.1: ", text)
        text = text.replace("--format can write no recipe of it", "")
        self.assertNotIn("--format", text)
        self.assertIn("Nothing that another campaign would settle.", text)
        for name in ("containerfile", "sbatch", "pod", "requirements"):
            self.assertIn("do not know blas 3, numpy 1.1", self.advise("--format", name, exit_code=2).stderr)

    def test_a_project_holds_for_what_was_measured(self):
        self.rounds([({"mkl": "2026.2.0"}, 200), ({"scipy-openblas64": "0.3.34.481.3"}, 100)])
        self.store()
        chosen = lambda *arguments: json.loads(self.advise("--json", *arguments).stdout)["answer"]["stack"]
        self.assertEqual(chosen(), {"mkl": "2026.2.0"})
        project = self.write("requirements.txt", "scipy-openblas64\n")
        self.assertEqual(chosen("--project", project), {"scipy-openblas64": "0.3.34.481.3"})
