"""`stackx check`: answers, exit codes, all that it reads, catalogs of the user's own, its JSON, and how long it takes.

That the answers are right is judged in tests/facts.
"""

import json
import pathlib
import resource
import subprocess
import sys

from check_base import Check
from harness import ROOT, STACKX, schema_errors

NVML = pathlib.Path(STACKX).resolve().parent / "tests" / "nvml"  # look-alikes, one machine each
SOURCE = {"url": "https://example.org/ours", "read": "2026-11-22"}


class Answers(Check):
    def test_yes_no_unknown(self):
        self.assertEqual(self.first_line("torch==2.4.0", hw="v100"),
                         "Yes: torch==2.4.0 runs on V100 (sm_70) with driver >=525.60.13,<581 on Python 3.8 to 3.12.")
        self.assertEqual(self.first_line("torch==2.11.0", hw="v100", exit_code=1),
                         "No: torch 2.11.0 has no kernels for V100 (sm_70); its build 2.11.0+cu126 has.")
        self.assertRegex(self.first_line("torch==99"), r"^Unknown: no torch 99 is known; the nearest known is ")

    def test_what_is_loaded_of_the_system_has_code_for_the_gpu(self):
        for words, hw, loads in (("cupy-cuda12x", "b200", "CUDA 12.8"), ("cupy-cuda12x", "gb10", "CUDA 12.8"), ("cupy-cuda11x", "h100", "CUDA 11.8"),
                                 ("tensorflow==2.10", "h100", "CUDA 11.8 and cuDNN 8.6"), ("onnxruntime-gpu==1.18.1", "a100", "CUDA 11.8 and cuDNN 8")):
            said = " ".join(self.check(words, hw=hw).stdout.split())
            self.assertIn(f" loads {loads} of the system", said)
            self.assertEqual("older releases have no code for" in said, hw != "a100", said)
        self.assertIn("loads CUDA 11.2 and cuDNN 8.1 of the system.", " ".join(self.check("tensorflow==2.10", hw="rtx 3090").stdout.split()))

    def test_where_tensorflow_for_blackwell_is(self):
        for hw in ("b200", "rtx 5090"):
            self.assertIn("Note: NVIDIA's container nvcr.io/nvidia/tensorflow:25.02-tf2-py3,", " ".join(self.check("tensorflow", hw=hw, exit_code=1).stdout.split()))

    def test_source_alone(self):
        said = " ".join(self.check("cupy").stdout.split())
        self.assertRegex(said, r"^Unknown: cupy is on the index as source alone, .* The nearest that runs: cupy-cuda12x \S+ instead of cupy pip install cupy-cuda12x")

    def test_numpy_beside_torch(self):
        self.assertEqual(self.first_line("torch==2.2.2+cu118", "numpy==2.0", hw="a100", exit_code=1),
                         "No: torch 2.2.2+cu118 needs numpy <2, and numpy ==2.0 is asked for.")
        self.assertIn('torch 2.2.2 works with numpy <2 alone', " ".join(self.check("torch==2.2.2", "torchvision==0.17.2", hw="a100").stdout.split()))

    def test_builds_of_another_index_have_their_pythons(self):
        self.assertEqual(self.first_line("jaxlib==0.1.60+cuda110", "--python", "3.13", hw="a100", exit_code=1),
                         "No: jaxlib 0.1.60+cuda110 has wheels for Python 3.6 to 3.9, not for 3.13.")

    def test_several_kinds_of_hardware(self):
        for several in ("v100,l40s,b200", "v100 l40s b200", "v100 + l40s + b200"):
            said = self.check("torch==2.15.0", hw=several, exit_code=1).stdout
            self.assertEqual(said.splitlines()[0], "No: torch==2.15.0 runs on L40S and B200, not on V100.")
            self.assertEqual(said.count("\nNo: "), 1)
            self.assertEqual(said.count("\nYes: "), 2)
        self.assertEqual(self.first_line("torch==2.15.0", hw="b200,l40s"), "Yes: torch==2.15.0 runs on B200 and L40S.")
        self.assertEqual(self.first_line("torch==2.15.0", hw="v100,p100", exit_code=1), "No: torch==2.15.0 does not run on V100 or P100.")
        self.assertRegex(self.first_line("torch==99", hw="v100,h100"), "^Unknown: whether torch==99 runs is not known of V100 and H100.$")
        self.assertRegex(self.first_line("torch==99", "--strict", hw="v100,h100", exit_code=1), "^Unknown: ")
        self.assertIn('--hw "b2000": no such hardware', self.check("torch", hw="h100,b2000", exit_code=2).stderr)

    def test_a_pipe_is_read_once_for_several(self):
        said = self.check("-", hw="v100,a100", exit_code=1, input="torch==2.15.0\n").stdout
        self.assertEqual(said.splitlines()[0], "No: it runs on A100, not on V100.")

    def test_several_as_json(self):
        document = json.loads(self.check("torch==2.15.0", "--json", hw="v100,h100", exit_code=1).stdout)
        self.assertEqual(schema_errors("checks", [document]), [""])
        self.assertEqual([one["hw"] for one in document["checks"]], ["v100", "h100"])
        self.assertEqual(schema_errors("check", [one["check"] for one in document["checks"]]), ["", ""])
        self.assertEqual((document["answer"], document["text"]), ("no", "torch==2.15.0 runs on H100, not on V100"))

    def test_strict_makes_an_unknown_fail(self):
        self.assertRegex(self.first_line("torch==99", "--strict", exit_code=1), "^Unknown: ")
        self.assertRegex(self.first_line("torch==2.4.0", "--strict"), "^Yes: ")
        said = self.check("torch==99", "--json")
        self.assertEqual(json.loads(said.stdout)["answer"], "unknown")
        self.assertIn("--strict", said.stderr)

    def test_the_nearest_that_runs(self):
        text = self.check("torch==2.11.0", hw="v100", exit_code=1).stdout
        self.assertIn("The nearest that runs: torch 2.11.0+cu126 instead of 2.11.0\n"
                      "  pip install torch==2.11.0+cu126 --extra-index-url https://download.pytorch.org/whl/cu126\n", text)
        self.assertIn("How it comes:\n  you ask for torch ==2.11.0\n   └─ torch 2.11.0 needs compute capability", text)
        nearest = self.document("torch==2.11.0", hw="v100", exit_code=1)["nearest"]
        self.assertEqual(nearest["changes"], [{"name": "torch", "from": "2.11.0", "to": "2.11.0+cu126"}])
        self.assertEqual(self.answer(*nearest["install"], hw="v100"), "yes")

    def test_every_nearest_runs_and_changes_little(self):
        for words, hw in ((["torch==2.4.0", "--driver", "470.256.02"], "v100"), (["torch==2.4.0", "--python", "3.13"], "h100"),
                          (["jax==0.4.35"], "h100"), (["tensorflow-cpu==2.15.0"], "a100"), (["torch==2.8.0"], "gtx 1080 ti"),
                          (["torch==2.4.0", "torchvision==0.18.0"], "a100"), (["torch==2.4.0", "torch==2.3.0"], "a100"),
                          (["tensorflow", "--python", "3.12", "--driver", "470.57.02"], "k80"),
                          (["torch", "tensorflow", "--python", "3.13"], "k80"), (["sglang"], "t4"), (["sglang[srt]==0.4.1"], "t4"),
                          (["jax[tpu]"], "v100"), (["jax[cuda13]==0.11.2"], "v100"), (["jax[cuda12]==0.11.2"], "tpu-v4"),
                          (["torch==2.8.0", "torch_xla[tpu]==2.9.0"], "v5e")):
            document = self.document(*words, hw=hw, exit_code=1)
            for one in [document["nearest"], *document["others"]]:
                machine = {change["name"]: change["to"] for change in one["changes"]}
                asked = one["install"] or [word for word in words if "==" in word]
                if "python" in machine:
                    asked += ["--python", machine["python"]]
                elif "--python" in words:
                    asked += words[words.index("--python"):][:2]
                if "--driver" in words and "driver" not in machine:
                    asked += words[words.index("--driver"):][:2]
                with self.subTest(words=words, hw=hw, nearest=one["text"]):
                    self.assertEqual(self.answer(*asked, hw=hw), "yes", asked)
                    self.assertEqual(len(asked), len(set(asked)), "the same is to be installed twice")

    def test_the_nearest_keeps_the_framework_that_was_asked_for(self):
        """TensorFlow has code for a K80 in releases without wheels for Python 3.12: another Python, not another framework."""
        anywhere = self.document("tensorflow", hw="k80", exit_code=1)["nearest"]
        for driver, machine in ((), ["python"]), (("--driver", "470.57.02"), ["python"]), (("--driver", "535.183.01"), ["python", "driver"]):
            document = self.document("tensorflow", "--python", "3.12", *driver, hw="k80", exit_code=1)
            nearest = document["nearest"]
            self.assertEqual([change["name"] for change in nearest["changes"]], ["tensorflow", *machine])
            self.assertEqual(nearest["install"], anywhere["install"])
            python = nearest["changes"][1]
            self.assertEqual((python["from"], nearest["text"].endswith(f" on Python {python['to']}")), ("3.12", True), nearest)
            self.assertNotIn("what is known to run there", str(document["notes"]))

    def test_the_nearest_has_its_server_in_an_extra(self):
        """sglang's newer kernels are for compute capability 8.0 and newer; its old releases have the server in the extra srt."""
        for words in (("sglang",), ("sglang[srt]",), ("sglang==0.5.23", "--python", "3.12")):
            nearest = self.document(*words, hw="t4", exit_code=1)["nearest"]
            self.assertRegex(nearest["install"][0], r"^sglang\[srt\]==0\.")
            self.assertRegex(nearest["stack"]["vllm"], r"^0\.[56]\.")  # that it works with; an installer takes the newest
            self.assertEqual(self.answer(*nearest["install"], *words[1:], hw="t4"), "yes")

    def test_an_extra_that_a_release_does_not_have(self):
        """pip warns, and installs the package without what makes it use a GPU."""
        told = self.stackx("check", "jax[cuda12]==0.4.20", "--hw", "h100", exit_code=1).stdout
        self.assertIn("No: jax[cuda12] 0.4.20 cannot be used: it has no extra cuda12, which came with 0.4.22; ", told)
        found = self.json("check", "sglang[srt-hip]", "--hw", "mi300x", exit_code=1)
        self.assertNotIn("0.3.4.post2", json.dumps([found["nearest"], found.get("install")]))

    def test_a_python_that_no_release_has(self):
        """The newest says it; which Pythons the first releases were for is no answer."""
        told = self.stackx("check", "tensorflow", "--hw", "a100", "--python", "3.14", exit_code=1).stdout
        self.assertRegex(told.splitlines()[0], r"^No: tensorflow 2\.[0-9.]+ has wheels for Python 3\.[0-9]+ to 3\.13, not for 3\.14, nor has an older release\.$")
        self.assertNotIn("0.12", told)
        self.assertLess(len(told.splitlines()), 16)

    def test_no_nearest_is_a_build_whose_GPUs_nobody_states(self):
        document = self.document("vllm", hw="k80", exit_code=1)
        self.assertIsNone(document["nearest"])
        self.assertIn("no release of vllm that is known has code for K80 (sm_37)", document["notes"])

    def test_the_order_of_names_decides_nothing(self):
        """pip goes back on the newest torch for the vllm that pins another, whichever was named first."""
        for names in (("torch", "vllm"), ("vllm", "torch"), ("torchvision", "vllm", "torch")):
            document = self.document(*names, hw="a100")
            self.assertEqual(document["answer"], "yes", names)
            self.assertEqual(document["stack"], {**document["stack"], **self.document("vllm", hw="a100")["stack"]}, names)

    def test_what_the_newest_needs_where_an_installer_falls_back(self):
        """pip goes back to a vllm, or sglang, that says nothing of torch, rather than refuse the torch that is asked for."""
        for framework, answer in (("vllm", "unknown"), ("sglang", "no")):
            newest = self.document(framework)["stack"]
            for words in ((framework, "torch==2.15.0"), ("torch==2.15.0", framework)):
                document = self.document(*words, exit_code=None)
                self.assertEqual(document["answer"], answer)
                self.assertTrue(document["text"].startswith(f"{framework} {newest[framework]} needs torch =={newest['torch']}, and torch ==2.15.0 is asked for"),
                                document["text"])
                self.assertEqual(sorted(document["nearest"]["install"]), sorted([f"{framework}=={newest[framework]}", f"torch=={newest['torch']}"]))
                self.assertEqual(self.answer(*document["nearest"]["install"]), "yes")

    def test_no_nearest_is_a_build_that_nobody_has_seen(self):
        """advise says of torch 2.15.0+cu126: may exist, unseen."""
        document = self.document("torch==2.15.0", hw="v100", exit_code=1)
        for one in [document["nearest"], *document["others"]]:
            self.assertNotIn("torch==2.15.0+cu126", one["install"])
        self.assertIn("torch==2.14.1+cu126", [word for one in [document["nearest"], *document["others"]] for word in one["install"]])

    def test_the_nearest_leaves_a_framework_that_was_asked_for(self):
        for words, install in ((["torch==2.4.0", "torchvision==0.15.2"], ["torch==2.4.0", "torchvision==0.19.0"]),
                               (["torch==2.8.0", "vllm==0.10.0"], ["torch==2.8.0", "vllm==0.10.2"]),
                               (["torch==2.1.0", "nvidia-cudnn-cu12==9.1.0.70"], ["torch==2.1.0", "nvidia-cudnn-cu12==8.9.2.26"])):
            with self.subTest(words=words):
                self.assertEqual(self.document(*words, hw="a100", exit_code=1)["nearest"]["install"], install)
                self.assertEqual(self.answer(*install, hw="a100"), "yes")

    def test_the_nearest_changes_what_pins_the_package_along(self):
        document = self.document("torch==1.13.1", "torchvision==0.14.1", "numpy<2", exit_code=1)
        self.assertEqual([change["name"] for change in document["nearest"]["changes"]], ["torch", "torchvision"])
        self.assertEqual(document["nearest"]["install"][2], "numpy<2")
        self.assertEqual(self.answer(*document["nearest"]["install"]), "yes")

    def test_lines_are_as_wide_as_asked_for(self):
        words = ("torch==2.15.0", "vllm==0.10.0", "--driver", "535.183.01")
        whole = self.check(*words, exit_code=1).stdout
        document = self.document(*words, exit_code=1)
        self.environment["COLUMNS"] = "70"
        wrapped = self.check(*words, exit_code=1).stdout
        for line in wrapped.splitlines():
            self.assertTrue(len(line) <= 70 or line.startswith("  pip install "), line)
        self.assertEqual(wrapped.split(), whole.split())
        self.assertGreater(max(map(len, whole.splitlines())), 70)  # for programs that read lines
        self.assertEqual(self.document(*words, exit_code=1), document)

    def test_what_advise_calls_have(self):
        for have, options in (("driver=535.183.01", ("--driver", "535.183.01")), ("driver=535.183.01,python=3.11", ("--driver", "535.183.01", "--python", "3.11"))):
            self.assertEqual(self.document("torch==2.4.0", "--have", have), self.document("torch==2.4.0", *options))
        self.assertIn("--driver 525.60.13 and --have driver=535: give one of them",
                      self.refused("torch==2.4.0", "--have", "driver=535", "--driver", "525.60.13"))
        self.assertIn("name a build of it", self.refused("torch==2.4.0", "--have", "cuda=11.8"))
        self.assertIn("--platform", self.refused("torch==2.4.0", "--have", "glibc=2.31"))

    def test_machine_options(self):
        self.assertRegex(self.first_line("torch==2.4.0", "--driver", "535.183.01"), "with driver 535.183.01 on Python 3.8 to 3.12")
        self.assertRegex(self.first_line("torch==2.4.0", "--driver", "470.256.02", hw="v100", exit_code=1),
                         "needs driver 525.60.13 or newer; 470.256.02 is older")
        self.assertRegex(self.first_line("torch==2.4.0", "--driver", "470.256.02", exit_code=1), r"470\.256\.02 is older than the first for H100 \(sm_90\), 520\.56\.06")
        self.assertRegex(self.first_line("torch==2.4.0", "--python", "3.11"), r"on Python 3\.11\.$")
        self.assertRegex(self.first_line("torch==2.4.0", "--python", "3.11.4"), r"on Python 3\.11\.$")
        self.assertRegex(self.first_line("torch==2.4.0", "--python", "3.13", exit_code=1), "wheels for Python 3.8 to 3.12, not for 3.13")
        self.assertRegex(self.first_line("torch==2.15.0", "--platform", "manylinux_2_17_x86_64", exit_code=1), "glibc >=2.28, and here is 2.17")
        self.assertRegex(self.first_line("torch==2.15.0", "--platform", "manylinux_2_28_x86_64"), "^Yes")
        self.assertRegex(self.first_line("torch==2.4.0", "--platform", "linux aarch64", exit_code=1), "aarch64")

    def test_the_machine_as_requirements(self):
        self.assertRegex(self.first_line("torch==2.4.0", "driver==535.183.01", "python==3.11"), r"driver 535\.183\.01 on Python 3\.11\.$")
        self.assertRegex(self.first_line("torch==2.4.0", "driver==470.256.02", exit_code=1), "470.256.02 is older than the first for H100")
        self.assertRegex(self.first_line("torch==2.4.0", "python==3.13", exit_code=1), "not for 3.13")

    def test_aliases(self):
        self.assertRegex(self.first_line("pytorch==2.4.0"), "^Yes: torch==2.4.0 runs")
        self.is_torch_2_4(self.document("torch==2.4.0", "cudnn==9.1.0"))
        self.assertRegex(self.first_line("torch==2.4.0", "cudnn==8.9.2", exit_code=1), "cudnn")
        file = self.write("requirements.txt", "pytorch==2.4.0\ncudnn==9.1.0\n")
        self.is_torch_2_4(self.document(file))

    def test_other_hardware(self):
        self.assertRegex(self.first_line("torch==2.4.0", hw="zen4"), r"^Yes: torch==2\.4\.0 runs on zen4")
        self.assertRegex(self.first_line("torch==2.4.0", hw="Tesla V100-SXM2-16GB"), "^Yes: .*sm_70")
        self.assertRegex(self.first_line("torch==2.4.0", hw="mi250x", exit_code=1), "^No: ")

    def test_names_that_nobody_lists(self):
        """Their ranges are held against each other; they are named."""
        self.is_torch_2_4(self.document("torch==2.4.0", "flask==3.0"), not_judged=["flask"])
        document = self.document("flask==3.0", "--strict", exit_code=1)
        self.assertEqual((document["answer"], document["not_judged"]), ("unknown", ["flask"]))
        self.assertEqual(self.answer("torch==2.4.0", "flask==3.0", "flask<2"), "no")
        self.assertEqual(self.answer("flask==3.0", hw="zen4"), "unknown", "nothing is known of anything that is asked for")


class Host(Check):
    def setUp(self):
        super().setUp()
        if not (NVML / "two_gpus").is_dir():
            self.skipTest("no look-alike of NVML is built")

    def machine(self, variant):
        self.environment["LD_LIBRARY_PATH"] = str(NVML / variant)

    def test_without_a_gpu(self):
        self.machine("no_gpu")
        self.assertRegex(self.first_line("torch==2.4.0", hw=None), r"^Yes: torch==2\.4\.0 runs on this machine")
        self.assertEqual(self.first_line("torch==2.4.0", hw="host"), self.first_line("torch==2.4.0", hw=None))

    def test_its_gpu_and_driver(self):
        self.machine("two_gpus")
        self.assertRegex(self.first_line("torch==2.4.0", hw=None), r"^Yes: .* runs on NVIDIA H200 \(sm_90\) with driver 550\.54\.15")
        self.assertRegex(self.first_line("torch==2.15.0", hw=None, exit_code=1), "needs driver 580 or newer; 550.54.15 is older")
        self.assertRegex(self.first_line("torch==2.15.0", "--driver", "590.44.01", hw=None), "with driver 590.44.01")
        self.assertRegex(self.first_line("torch==2.4.0", "--driver", "550.54.14", hw=None, exit_code=1), "older than the first for NVIDIA H200")

    def test_an_old_driver_that_tells_less(self):
        """NVML does not say the compute capability there; the catalog of GPUs does."""
        self.machine("old")
        self.assertRegex(self.first_line("torch==2.4.0", hw=None, exit_code=None), r"^Yes: .* runs on NVIDIA H200 \(sm_90\)")


class Inputs(Check):
    """Every file that names packages, by the name that its tool gives it."""

    def test_requirements_with_files_of_their_own(self):
        (self.scratch / "more").mkdir()
        file = self.write("requirements.txt", "-r more/base.txt\n-c more/constraints.txt\nnumpy  # any\n")
        self.write("more/base.txt", "torch\n")
        self.write("more/constraints.txt", "torch==2.4.0\nflask==1\n")
        document = self.document(file)
        self.is_torch_2_4(document, not_judged=["numpy"])
        self.assertNotIn("flask", document["not_judged"])

    def test_pipfile(self):
        self.write("Pipfile", '[packages]\ntorch = "==2.4.0"\nnumpy = "*"\n[dev-packages]\ntorchvision = "==0.1.0"\n'
                              '[requires]\npython_version = "3.11"\n')
        self.is_torch_2_4(self.document(self.scratch / "Pipfile"), python="3.11", not_judged=["numpy"])

    def test_pipfile_lock(self):
        file = self.write("Pipfile.lock", {"_meta": {"hash": {"sha256": "0" * 64}, "pipfile-spec": 6, "requires": {"python_version": "3.11"},
                                                     "sources": []},
                                           "default": {"torch": {"hashes": [], "version": "==2.4.0"}}, "develop": {}})
        self.is_torch_2_4(self.document(file), python="3.11")

    def test_pylock(self):
        file = self.write("pylock.toml", 'lock-version = "1.0"\ncreated-by = "test"\nrequires-python = ">=3.9,<3.12"\n'
                                         '[[packages]]\nname = "torch"\nversion = "2.4.0"\n'
                                         '[[packages]]\nname = "torchvision"\nversion = "0.1"\nmarker = "sys_platform == \'win32\'"\n')
        self.is_torch_2_4(self.document(file), python="3.11 3.10 3.9")

    def test_pyproject(self):
        file = self.write("pyproject.toml", '[project]\nname = "mine"\nversion = "1"\nrequires-python = ">=3.9,<3.12"\n'
                                            'dependencies = ["torch==2.4.0"]\n')
        self.is_torch_2_4(self.document(file), python="3.11 3.10 3.9")

    def test_uv_lock(self):
        file = self.write("uv.lock", 'version = 1\nrequires-python = ">=3.10"\n'
                                     '[[package]]\nname = "mine"\nversion = "0.1"\nsource = { virtual = "." }\n'
                                     '[[package]]\nname = "torch"\nversion = "2.4.0"\nsource = { registry = "https://example.org/simple" }\n')
        self.is_torch_2_4(self.document(file), python="3.12 3.11 3.10", not_judged=["mine (not from an index)"])

    def test_what_uv_is_told_of_all_requirements(self):
        """torch 2.4.0 requires cuDNN 9.1.0.70 exactly."""
        project = '[project]\nname = "mine"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["torch==2.4.0", "nvidia-cudnn-cu12==9.5.0.50"]\n'
        file = self.write("pyproject.toml", project)
        self.assertTrue(self.first_line(file, exit_code=1).startswith("No: "))
        for overrides, cudnn in (('"nvidia-cudnn-cu12==9.5.0.50"', "9.5.0.50"), ('"nvidia-cudnn-cu12==9.2.0.82"', "9.2.0.82")):
            file = self.write("pyproject.toml", project + f"[tool.uv]\noverride-dependencies = [{overrides}]\n")
            self.assertEqual(self.document(file)["stack"]["nvidia-cudnn-cu12"], cudnn)
        lock = 'version = 1\nrequires-python = ">=3.10"\n[manifest]\noverrides = [{ name = "nvidia-cudnn-cu12", specifier = "==9.5.0.50" }]\n'
        package = '[[package]]\nname = "{}"\nversion = "{}"\nsource = {{ registry = "https://example.org/simple" }}\n'
        packages = package.format("torch", "2.4.0") + package.format("nvidia-cudnn-cu12", "9.5.0.50")
        self.assertEqual(self.document(self.write("uv.lock", lock + packages))["answer"], "yes")
        self.assertEqual(self.document(self.write("uv.lock", "version = 1\n" + packages), exit_code=1)["answer"], "no")
        file = self.write("pyproject.toml", '[project]\nname = "mine"\nversion = "1"\ndependencies = ["torch"]\n'
                                            '[tool.uv]\nconstraint-dependencies = ["torch<2.5"]\n')
        self.assertEqual(self.document(file)["stack"]["torch"], "2.4.1")
        said = self.stackx("advise", "--hw", "a100", "--workload", "matmul", "--project", file).stdout
        self.assertTrue(said.startswith("Run torch 2.4.1"), said)

    def test_alternatives_of_poetry(self):
        file = self.write("pyproject.toml", '[tool.poetry]\nname = "mine"\n[tool.poetry.dependencies]\npython = ">=3.9,<3.9.1 || >3.9.1,<3.13"\n'
                                            'torch = "~2.2 || ~2.4"\n')
        self.assertEqual(self.document(file)["stack"]["torch"], "2.4.1")
        self.assertRegex(self.first_line(file, "torch==2.3.1", exit_code=1), "^No: ")

    def test_poetry_lock(self):
        file = self.write("poetry.lock", '[[package]]\nname = "torch"\nversion = "2.4.0"\noptional = false\nfiles = []\n'
                                         '[[package]]\nname = "mine"\nversion = "1"\n[package.source]\ntype = "git"\nurl = "x"\n'
                                         '[metadata]\nlock-version = "2.0"\npython-versions = ">=3.10"\n')
        self.is_torch_2_4(self.document(file), python="3.12 3.11 3.10", not_judged=["mine (not from an index)"])

    def test_conda_environment(self):
        file = self.write("environment.yml", "name: mine\nchannels: [conda-forge]\ndependencies:\n  - python=3.11\n  - numpy=1.26\n"
                                             "  - pip:\n    - torch==2.4.0\n")
        self.is_torch_2_4(self.document(file), python="3.11", not_judged=["numpy (from conda)"])

    def test_pip_freeze(self):
        frozen = ("torch==2.4.0\nnumpy==1.26.4\n-e git+https://example.org/mine@0123abc#egg=mine\n"
                  "other @ file:///wheels/other-1.0-py3-none-any.whl\n")
        document = self.document("-", input=frozen)
        self.is_torch_2_4(document, not_judged=["numpy", "other @ file:///wheels/other-1.0-py3-none-any.whl (not from an index)",
                                               "git+https://example.org/mine@0123abc#egg=mine (not from an index)"])

    def test_several_at_once(self):
        file = self.write("requirements.txt", "torch\n")
        self.is_torch_2_4(self.document(file, "torch==2.4.0", "-", input="flask==3\n"), not_judged=["flask"])

    def test_the_machine_in_a_file(self):
        file = self.write("requirements.txt", "torch==2.4.0\npython==3.11\ndriver==535.183.01\n")
        self.assertRegex(self.first_line(file), r"driver 535\.183\.01 on Python 3\.11\.$")


class Environments(Check):
    def make(self):
        environment = self.scratch / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        site = next(environment.glob("lib/python*/site-packages"))
        for name, version in (("torch", "2.4.0"), ("flask", "3.0.0")):
            (site / f"{name}-{version}.dist-info").mkdir()
            (site / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        return environment

    def test_named_active_and_as_a_directory(self):
        environment = self.make()
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        if here not in ("3.8", "3.9", "3.10", "3.11", "3.12"):
            self.skipTest(f"torch 2.4.0 has no wheel for Python {here}, which runs these tests")
        named = self.document("--python-env", environment)
        self.is_torch_2_4(named, python=here, not_judged=["flask"])
        self.assertEqual(self.document(environment), named)
        self.environment["VIRTUAL_ENV"] = str(environment)
        self.assertEqual(self.document(), named)
        self.assertEqual(self.document(cwd=self.scratch), named)
        (environment / "bin/python").unlink()  # as in a system's own, which has python3 alone
        self.assertEqual(self.document("--python-env", environment), named)
        self.assertEqual(self.answer("--python", "3.13"), "no")

    def test_what_is_none(self):
        self.assertRegex(self.refused("--python-env", self.scratch), "no environment of Python")
        self.assertRegex(self.refused(self.scratch), "no environment of Python")
        self.assertRegex(self.refused(), "name requirements or a file, or activate an environment")
        self.environment["VIRTUAL_ENV"] = str(self.scratch / "nowhere")
        self.assertIn(str(self.scratch / "nowhere"), self.refused())


class Overlays(Check):
    def overlay(self, name="own.json", versions=None, aliases=(), facts=()):
        component = {"kind": "package", "versions": versions or {}}
        if aliases:
            component["aliases"] = list(aliases)
        facts = [dict({"of": "torch", "known": "read", "source": SOURCE}, **one) for one in facts]
        return self.write(name, {"$schema": "stackx/catalog/1", "overlay": True, "components": {"torch": component}, "facts": facts})

    def test_a_version_of_ones_own(self):
        own = self.overlay(versions={"9.9.0": {"requires": {"python": ">=3.10,<3.12", "nvidia-cudnn-cu12": "==9.1.0.70"}}}, facts=[
            {"versions": ["9.9.0"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "9.0"], "ptx": []}}])
        self.assertEqual(self.answer("torch==9.9.0"), "unknown")
        document = self.document("torch==9.9.0", "--catalog", own)
        self.assertEqual((document["answer"], document["pythons"], document["facts"]["overlays"]), ("yes", ["3.11", "3.10"], [str(own)]))
        self.assertEqual(document["stack"]["nvidia-cudnn-cu12"], "9.1.0.70")
        self.assertIn("https://example.org/ours", document["facts"]["sources"])
        self.assertIn(f"With your catalog {own}.\n", self.check("torch==9.9.0", "--catalog", own).stdout)
        self.assertRegex(self.first_line("torch==9.9.0", "--catalog", own, hw="a100", exit_code=1), r"no kernels for A100 \(sm_80\)")

    def test_a_fact_of_ones_own(self):
        own = self.overlay(facts=[{"versions": ["2.4.0"], "fails": "it is broken here"}])
        self.assertEqual(self.first_line("torch==2.4.0", "--catalog", own, exit_code=1), "No: torch 2.4.0 cannot be used: it is broken here.")
        mended = self.overlay("mended.json", facts=[{"versions": ["1.12.0"], "built_for": {"cuda": "11.8", "cubins": ["9.0"], "ptx": []}}])
        self.assertEqual((self.answer("torch==1.12.0"), self.answer("torch==1.12.0", "--catalog", mended)), ("no", "yes"))
        self.assertEqual(self.answer("torch==2.4.0", "--catalog", mended, "--catalog", own), "no", "both count")

    def test_an_alias_of_ones_own(self):
        own = self.overlay(aliases=["our-torch"])
        document = self.document("our-torch==2.4.0", "--catalog", own)
        self.is_torch_2_4(document)
        self.assertEqual(document["facts"]["overlays"], [str(own)])

    def test_the_directory_of_overlays(self):
        catalogs = self.scratch / "config" / "stackx" / "catalogs"
        catalogs.mkdir(parents=True)
        self.overlay("config/stackx/catalogs/a.json", facts=[{"versions": ["2.4.0"], "fails": "said by a"}])
        line = self.check("torch==2.4.0", exit_code=1).stdout
        self.assertIn("said by a", line)
        self.assertIn(f"With your catalog {catalogs / 'a.json'}.", line)
        self.overlay("config/stackx/catalogs/b.json", facts=[{"versions": ["2.4.0"], "fails": "said by b"}])
        self.assertIn("said by b", self.first_line("torch==2.4.0", exit_code=1))
        own = self.overlay(facts=[{"versions": ["2.4.0"], "fails": "said on the command line"}])
        self.assertIn("said on the command line", self.first_line("torch==2.4.0", "--catalog", own, exit_code=1))
        (catalogs / "notes.txt").write_text("not a catalog")
        (catalogs / "z.json").write_text("{")
        self.assertIn(str(catalogs / "z.json"), self.refused("torch==2.4.0"))

    def test_an_alias_that_is_a_package(self):
        """Else torch==2.4.0 would be a question about TensorFlow."""
        own = self.write("own.json", {"$schema": "stackx/catalog/1", "overlay": True, "components": {
            "tensorflow": {"kind": "package", "aliases": ["torch"], "versions": {}}}})
        self.assertRegex(self.refused("torch==2.4.0", "--catalog", own), r"own\.json.*torch")

    def test_catalogs_that_are_none(self):
        self.assertEqual(self.refused("torch", "--catalog", "nowhere.json"), "--catalog nowhere.json: there is no such file")
        self.assertRegex(self.refused("torch", "--catalog", self.write("own.json", "torch\n")), r"own\.json:1:\d+: not JSON")
        bad = self.write("own.json", {"$schema": "stackx/catalog/1", "overlay": True,
                                      "components": {"torch": {"kind": "package", "versions": {"x.y": {}}}}})
        self.assertRegex(self.refused("torch", "--catalog", bad), r"own\.json: /components/torch/versions/x\.y: ")
        bad = self.overlay(facts=[{"versions": ["2.4.0"], "built_for": {"cuda": "12.6", "cubin": ["9.0"]}}])
        self.assertRegex(self.refused("torch", "--catalog", bad), r"own\.json: /facts/0/.*cubin")


class BadInput(Check):
    def test_misspelt_words(self):
        self.assertRegex(self.refused("torch==2.4.0", hw="h1oo"), '--hw "h1oo": no such hardware.*`stackx hw list`')
        self.assertRegex(self.refused("torch==2.4.0", hw="h1000"), "the nearest are .*h100")
        self.assertRegex(self.refused("torch==2.4.0", "--driver", "new"), '--driver "new": expected a version such as 535.183.01')
        self.assertRegex(self.refused("torch==2.4.0", "--python", "4.9"), "--python 4.9: newer than any Python that is known here; expected one of 3")
        self.assertRegex(self.refused("torch==2.4.0", "--python", "three"), "--python")
        done = self.check("torch==2.4.0", "--drivr", "535", exit_code=2)
        self.assertIn("--drivr", done.stderr)

    def test_processors_by_name(self):
        self.assertIn("no wheel for aarch64", " ".join(self.stackx("check", "tensorflow==2.8.0", "--hw", "graviton3", exit_code=1).stdout.split()))
        self.stackx("check", "tensorflow==2.8.0", "--hw", "zen3")
        self.assertIn("apple-m1 runs macOS, and on macOS pip takes other builds", " ".join(self.stackx("check", "torch", "--hw", "apple-m1").stdout.split()))
        advised = " ".join(self.stackx("advise", "--hw", "apple-m1", "--workload", "infer_llm").stdout.split())
        self.assertIn("! On Apple's processors this is for Linux;", advised)
        recipe = self.stackx("advise", "--hw", "graviton3", "--workload", "infer_llm", "--format", "uv").stdout
        self.assertIn("platform_machine == 'aarch64'", recipe)

    def test_platforms(self):
        for text in ("windows", "linux ", "manylinux_2_28", "manylinux_2_28_", "manylinux_2_x_x86_64", "manylinux_2__x86_64", "linux x86-64"):
            with self.subTest(text):
                self.assertIn("platform", self.refused("torch==2.4.0", "--platform", text))

    def test_requirements(self):
        self.assertRegex(self.refused("torch=="), 'the command line: "torch==": column 8')
        self.assertRegex(self.refused(""), "the command line")
        self.assertIn("no such file", self.refused("nowhere/requirements.txt"))

    def test_files_that_are_not_there(self):
        for name in ("requirements.txt", "requirements.in", "Pipfile", "Pipfile.lock", "pylock.toml", "pyproject.toml", "uv.lock",
                     "poetry.lock", "environment.yml", "environment.yaml"):
            with self.subTest(name):
                self.assertRegex(self.refused(name, cwd=self.scratch), f"^{name}: there is no such file")

    def test_markers_of_other_platforms(self):
        """What is asked for elsewhere is no question here: not "nothing is known to use a GPU", and not judged as if it were."""
        windows = 'torch==2.4.0; sys_platform == "win32"'
        self.assertEqual(self.refused(windows), f"nothing to check: the marker of {windows} excludes linux x86_64")
        self.assertEqual(self.refused("torch==2.4.0; python_version < '3.10'", "--python", "3.11"),
                         'nothing to check: the marker of torch==2.4.0; python_version < "3.10" excludes Python 3.11 on linux x86_64')
        answer = self.document("torch==2.3.1", windows)
        self.assertEqual(answer["stack"]["torch"], "2.3.1")
        self.assertIn(f"{windows} (not for linux x86_64)", answer["not_judged"])

    def test_files_without_packages(self):
        for name, text in (("requirements.txt", ""), ("requirements.txt", "# nothing\n\n"), ("Pipfile", ""), ("environment.yml", ""),
                           ("pyproject.toml", '[project]\nname = "x"\nversion = "1"\n'), ("uv.lock", "version = 1\n")):
            with self.subTest(name):
                self.assertRegex(self.refused(self.write(name, text)), f"nothing to check|{name}")
        self.assertIn("nothing to check", self.refused("-", input=""))

    def test_mistakes_in_files_are_placed(self):
        for name, text, place in (("requirements.txt", "numpy\ntorch=\n", r"requirements\.txt:2: "),
                                  ("requirements.txt", "-r nowhere.txt\n", r"nowhere\.txt"),
                                  ("Pipfile", "[packages]\ntorch = 3\n", r"Pipfile:2"), ("Pipfile", "[packages\n", r"Pipfile:1"),
                                  ("Pipfile.lock", "{", r"Pipfile\.lock:1:2: not JSON"),
                                  ("pylock.toml", 'lock-version = "1.0"\n[[packages]]\nversion = "1"\n', r"pylock\.toml:\d"),
                                  ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["torch="]\n', r"pyproject\.toml:3"),
                                  ("uv.lock", '[[package]]\nversion = "1"\n', r"uv\.lock:1"),
                                  ("poetry.lock", '[[package]]\nname = "torch"\nversion = "one"\n', r"poetry\.lock:\d"),
                                  ("environment.yml", "dependencies: [\n", r"environment\.yml:\d"),
                                  ("environment.yml", "dependencies:\n  - pip:\n    - numpy\n    - torch=\n", r"environment\.yml:4: "),
                                  ("environment.yml", "dependencies:\n  - 5: 6\n", r"environment\.yml:2: "),
                                  ("setup.cfg", "torch\n", r"setup\.cfg: expected requirements")):
            with self.subTest(name=name, text=text):
                self.assertRegex(self.refused(self.write(name, text)), place)
        self.assertRegex(self.refused("-", input="numpy\ntorch=\n"), "stdin:2: ")

    def test_rubbish_is_refused_and_never_crashes(self):
        for name in ("requirements.txt", "Pipfile", "Pipfile.lock", "pylock.toml", "pyproject.toml", "uv.lock", "poetry.lock", "environment.yml"):
            for content in (b"\0\1\2\xff\xfe", b"[[[[[", b"- - - -", b"{}", b"[]", b"null", b"package = 5\n", b'[[package]]\nname = 5\n',
                            b"dependencies: {a: b}\n", b"dependencies:\n  - null\n  - [a]\n", b"\xef\xbb\xbftorch==2.4.0\n", b"a" * 100000):
                (self.scratch / name).write_bytes(content)
                done = subprocess.run([STACKX, "check", name, "--hw", "h100"], capture_output=True, env=self.environment, cwd=self.scratch)
                with self.subTest(name=name, content=content[:20]):
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                    if done.returncode == 2:
                        self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1), done.stderr)


class Documents(Check):
    def test_what_is_printed_is_what_the_schema_says(self):
        own = self.write("own.json", {"$schema": "stackx/catalog/1", "overlay": True, "components": {
            "torch": {"kind": "package", "versions": {"9.9.0": {}}}}})
        asked = ((["torch==2.4.0"], "v100"), (["torch==2.11.0"], "v100"), (["torch==99"], "v100"), (["torch==9.9.0", "--catalog", own], "h100"),
                 (["torch==2.4.0", "--driver", "470.256.02"], "v100"), (["torch==2.4.0", "--python", "3.13"], "h100"),
                 (["tensorflow==2.4.0"], "v100"), (["tensorflow[and-cuda]==2.18.0"], "h100"), (["jax==0.4.35"], "h100"), (["flask"], "h100"),
                 (["torch==2.4.0", "torchvision==0.18.0"], "a100"), (["torch==2.4.0"], "mi250x"), (["torch==2.4.0"], "zen4"))
        documents = [self.document(*words, hw=hw, exit_code=None) for words, hw in asked]
        self.assertEqual({one["answer"] for one in documents}, {"yes", "no", "unknown"})
        self.assertEqual(dict(zip(map(str, asked), schema_errors("check", documents))), dict.fromkeys(map(str, asked), ""))

    def test_the_schema_refuses_others(self):
        good = self.document("torch==2.11.0", hw="v100", exit_code=1)
        bad = [{**good, "answer": "maybe"}, {**good, "answer": "yes"}, {**good, "more": 1}, {**good, "nearest": {}}, {**good, "pythons": ["3"]},
               {key: value for key, value in good.items() if key != "facts"}]
        self.assertEqual(schema_errors("check", [good])[0], "")
        self.assertNotIn("", schema_errors("check", bad))

    def test_packages_as_they_are_kept(self):
        files = sorted((ROOT / "specs/data/generated").rglob("*.json"))
        self.assertGreater(len(files), 50)
        documents = [json.loads(file.read_text()) for file in files]
        self.assertEqual([(file.name, error) for file, error in zip(files, schema_errors("package", documents)) if error], [])
        self.assertEqual([file.name for file, one in zip(files, documents) if file.stem != one["name"]], [])
        good = {"$schema": "stackx/package/1", "name": "x", "as_of": "2026-11-22", "source": "y", "versions": {"1.0": {}}}
        bad = [{**good, "name": "X_y"}, {**good, "as_of": "now"}, {**good, "versions": {"1.0rc1": {}}}, {**good, "versions": {"1.0": {"wheels": {"win_amd64": "py3-none"}}}},
               {**good, "versions": {"1.0": {"size": 1}}}, {**good, "versions": []}]
        self.assertEqual(schema_errors("package", [good])[0], "")
        self.assertNotIn("", schema_errors("package", bad))


class Speed(Check):
    def test_a_warm_answer_takes_a_tenth_of_a_second(self):
        seconds = []
        self.check("torch==2.4.0", hw="v100")
        for _ in range(9):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.check("torch==2.4.0", hw="v100")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        print(f"check torch==2.4.0 --hw v100: {min(seconds) * 1000:.0f} to {max(seconds) * 1000:.0f} ms of CPU, n = 9; wanted are 100")
        self.assertLess(min(seconds), 0.3)  # of stackx, and the least: others load the machine


class LongLists(Check):
    """Files of some kilobytes that took minutes: what every package was held against all others for."""

    def answer_in_time(self, text, exit_code=0):
        file = self.write("requirements.txt", text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime  # of stackx: others load the machine
        done = self.check(file, hw="v100", exit_code=exit_code)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 20, text[:100])
        return done

    def test_ten_thousand_packages_that_no_catalog_holds(self):
        packages = "".join(f"p{i}==1\n" for i in range(10000))
        self.assertRegex(self.answer_in_time(packages).stdout, "^Unknown: nothing is known of p0==1, p1==1 and 9998 more")
        self.assertRegex(self.answer_in_time("torch==2.4.0\n" + packages).stdout,
                         r"^Yes: torch==2\.4\.0 runs on V100 (.*\n)+Not judged: p0, p1, ")

    def test_ten_thousand_versions_that_are_left_out(self):
        versions = [f"!=1.{i}" for i in range(10000)]
        self.assertRegex(self.answer_in_time(f"numpy>=1,{','.join(versions)}\n").stdout,
                         "^Unknown: nothing is known of numpy>=1,!=1.0,")
        lines = "".join(f"numpy{one},>=1\n" for one in versions)
        self.assertRegex(self.answer_in_time(lines).stdout,
                         "^Unknown: nothing is known of numpy!=1.0,>=1, numpy!=1.1,>=1 and 9998 more")

    def test_thousands_of_packages_of_which_no_version_is_left(self):
        packages = "".join(f"p{i}==1\np{i}==2\n" for i in range(3000))
        self.assertRegex(self.answer_in_time(packages, exit_code=1).stdout, "^No: ")

    def test_what_cannot_be_judged_is_refused_at_its_place(self):
        lines = "".join(f"numpy!=1.{i}\n" for i in range(10000)) + "numpy==3\nnumpy==4\n"
        self.answer_in_time("".join(f"numpy==1.{i}\n" for i in range(10000)), exit_code=2)
        self.assertIn("requirements.txt:1: numpy: 10002 requirements on it that no version meets are more than can be judged;",
                      self.answer_in_time(lines, exit_code=2).stderr)
        lines = "".join(f"torch[e{i}]\n" for i in range(2000))
        self.assertIn("requirements.txt:201: 201 extras of torch are named up to here, and more than 200 are not judged;",
                      self.answer_in_time(lines, exit_code=2).stderr)
