"""Answers of `stackx check` that strangers found wrong: each by what was asked, and what is right.

Yes, no and unknown alone are judged in tests/facts.
"""

from check_base import Check


class Answers(Check):
    def said(self, *arguments, **options):
        """The whole answer on one line."""
        return " ".join(self.check(*arguments, **{"exit_code": 1, **options}).stdout.split())

    def nearest(self, *arguments, **options):
        """What to install instead."""
        return (self.document(*arguments, **{"exit_code": 1, **options})["nearest"] or {"install": []})["install"]


class BuildsOfAnotherIndex(Answers):
    def test_their_wheels_pin_nvidias_libraries(self):
        for build, hw, pins in (("2.9.1+cu130", "h100", {"nvidia-cublas": "13.0.0.19", "nvidia-nccl-cu13": "2.27.7"}),
                                ("2.10.0+cu130", "h100", {"nvidia-cublas": "13.1.0.3", "nvidia-nvshmem-cu13": "3.4.5"}),
                                ("2.7.1+cu128", "b200", {"nvidia-cublas-cu12": "12.8.3.14", "nvidia-cudnn-cu12": "9.7.1.26"}),
                                ("2.7.1+cu118", "v100", {"nvidia-cublas-cu11": "11.11.3.6", "nvidia-nccl-cu11": "2.21.5"}),
                                ("2.11.0+cu126", "v100", {"nvidia-cublas-cu12": "12.6.4.1", "nvidia-cudnn-cu12": "9.10.2.21"}),
                                ("2.8.0+cu128", "h100", {"nvidia-cublas-cu12": "12.8.4.1"})):
            stack = self.document(f"torch=={build}", hw=hw)["stack"]
            self.assertEqual({name: stack.get(name) for name in pins}, pins, build)

    def test_what_is_not_known_of_them_is_not_named(self):
        for build, cudnn in (("2.15.0+cu130", "nvidia-cudnn-cu13"), ("2.14.1+cu132", "nvidia-cudnn-cu13"), ("2.14.1+cu126", "nvidia-cudnn-cu12")):
            stack = self.document(f"torch=={build}")["stack"]
            self.assertEqual([name for name in stack if name.startswith("nvidia-")], [cudnn], build)

    def test_an_unknown_one_names_those_of_its_release(self):
        self.assertEqual(self.first_line("torch==2.9.0+cu129", hw="v100"),
                         "Unknown: no torch 2.9.0+cu129 is known; known are 2.9.0+cu126 and 2.9.0+cu128 and 2.9.0+cu130.")


class DriversOlderThanTheProduct(Answers):
    def test_it_knows_the_chip_and_not_the_card(self):
        for hw, driver, first in (("l40s", "525.60.13", "535.104.05"), ("h200", "535.161.08", "550.90.07"), ("h100-nvl-94gb", "525.105.17", "535.104.05")):
            said = self.said("torch==2.4.0", "--driver", driver, hw=hw)
            self.assertRegex(said, rf"^No: driver {driver} is older than the first for .*, {first}\. ")
            self.assertIn(f"The nearest that runs: driver >={first} instead of {driver}", said)
        self.assertIn("550.90.07; of branch 555 it is 555.42.06.", self.said("torch==2.4.0", "--driver", "555.42.02", hw="h200"))

    def test_what_is_as_new_or_may_be_an_older_product_is_no_matter(self):
        for hw, driver in (("l40s", "535.104.05"), ("h200", "535.183.06"), ("h100", "525.60.13"), ("a100", "525.60.13"), ("h200-nvl-141gb", "550.144.03")):
            self.check("torch==2.4.0", "--driver", driver, hw=hw)

    def test_without_a_driver_the_least_is_named(self):
        self.assertIn("with driver >=550.90.07", self.first_line("torch==2.4.0", hw="h200"))
        self.assertIn("driver >=550.90.07", " ".join(self.stackx("advise", "--hw", "h200", "--workload", "matmul", "--have", "cuda=12.6").stdout.split()))


class Nearest(Answers):
    def test_the_least_change_first_then_the_newest(self):
        self.assertEqual(self.nearest("tensorflow[and-cuda]==2.15.0", hw="a100"), ["tensorflow[and-cuda]==2.15.1"])
        self.assertEqual(self.nearest("torch==1.13.1"), ["torch==2.0.1+cu118"])
        self.assertEqual(self.nearest("torch==2.15.0", "--driver", "535.183.01", hw="l40s"), ["torch==2.14.1+cu126"])
        said = self.said("torch==1.13.1")
        self.assertRegex(said, r"The nearest that runs: torch 2\.0\.1\+cu118 .* Or: torch 2\.\d+\.\d+ instead of 1\.13\.1 ")

    def test_before_tensorflow_had_the_extra(self):
        for version, libraries in (("2.12.0", "CUDA 11.8 and cuDNN 8.6"), ("2.9.1", "CUDA 11.2 and cuDNN 8.1"),
                                   ("2.4.1", "CUDA 11.0 and cuDNN 8.0")):
            said = self.said(f"tensorflow[and-cuda]=={version}", hw="a100")
            self.assertIn(f"has no extra and-cuda, which came with 2.14.0; without, it loads {libraries} of the system.", said)
            self.assertIn(f"The nearest that runs: tensorflow {version} instead of tensorflow[and-cuda] "
                          f"pip install tensorflow=={version} ", said)
            self.assertRegex(said, r'Or: .* pip install "tensorflow\[and-cuda\]==2\.1[45]\.1" ')

    def test_another_cuda_of_the_same_jax(self):
        said = self.said("jax[cuda13]==0.8.0", "--driver", "575.57.08", hw="t4")
        self.assertIn('The nearest that runs: jax[cuda12] 0.8.0 instead of jax[cuda13] pip install "jax[cuda12]==0.8.0" '
                      "Or: driver >=580", said)


class Extras(Answers):
    def test_what_it_is_called_now(self):
        self.assertIn(": it has no extra rocm, which is called rocm7-local now.", self.first_line("jax[rocm]", hw="mi300x", exit_code=1))
        self.assertEqual(self.nearest("jax[rocm]", hw="mi300x"), ["jax[rocm7-local]"])
        self.assertEqual(self.nearest("jax[rocm]==0.12.0", hw="mi300x"), ["jax[rocm7-local]==0.12.0"])
        self.assertEqual(self.nearest("jax[cuda12_pip]", hw="a100"), ["jax[cuda12]"])

    def test_what_came_of_google_s_own_index(self):
        for words in ("jax[cuda12]==0.4.13", "jax[cuda11]"):
            self.assertIn("on Google's own index", self.said(words, hw="a100"))
        for extra, version, jaxlib in (("cuda11_pip", "0.4.13", "0.4.13+cuda11.cudnn86"), ("cuda12_pip", "0.4.13", "0.4.13+cuda12.cudnn89"),
                                       ("cuda11_pip", "0.4.24", "0.4.24+cuda11.cudnn86")):
            said = self.said(f"jax[{extra}]=={version}", f"nvidia-cudnn-cu{extra[4:6]}<9", "--python", "3.11", hw="a100", exit_code=0)
            self.assertRegex(said, "^Yes: ")
            self.assertIn(f"jaxlib {jaxlib} is not on the package index: pip finds it with -f https://storage.googleapis.com/jax-releases/", said)
        self.assertIn("has no extra cuda12, which came with 0.4.22", self.first_line("jax[cuda12]==0.4.13", hw="a100", exit_code=1))
        self.assertEqual(self.nearest("jax[cuda12]==0.4.13", hw="a100"), ["jax[cuda12]==0.4.38"])


class WithWhatItWorks(Answers):
    """What no metadata says: an installer takes more than a release works with."""

    def test_jax_for_cudnn_8(self):
        for extra, cuda in (("cuda12_pip", "12"), ("cuda11_pip", "11")):
            said = self.said(f"jax[{extra}]==0.4.13", hw="a100", exit_code=1)
            self.assertRegex(said, rf"^No: jaxlib 0\.4\.13\+\S+ cannot be used: it works with nvidia-cudnn-cu{cuda} <9 alone, and an installer takes a newer one")
            self.assertNotIn(" use it works", said)
            self.assertRegex(self.nearest(f"jax[{extra}]==0.4.13", hw="a100")[-1], rf"^nvidia-cudnn-cu{cuda}==8\.")
            # A range beside it: the Pythons that jaxlib has wheels for are tried, as they are for a version.
            self.assertEqual(self.answer(f"jax[{extra}]==0.4.13", f"nvidia-cudnn-cu{cuda}<9", hw="a100"), "yes")

    def test_a_bound_stands_once(self):
        """Both torch 2.2 and this onnxruntime work with NumPy 1 alone."""
        self.assertEqual([one for one in self.nearest("torch==2.2.0", "torchvision==0.16.0", "onnxruntime-gpu==1.16.3", "numpy", hw="a100")
                          if one.startswith("numpy")], ["numpy<2"])

    def test_tensorflow_and_onnxruntime(self):
        for words, note in (((("tensorflow-gpu==1.15", "--python", "3.7")), 'ask for "protobuf<4"'), (("tensorflow==2.10", "--python", "3.10"), 'ask for "numpy<2"'),
                            (("onnxruntime-gpu==1.16.3", "--python", "3.10"), 'ask for "numpy<2"')):
            self.assertIn(note, self.said(*words, hw="t4", exit_code=0))
        self.assertNotIn("numpy<2", self.said("tensorflow==2.10", "--python", "3.8", hw="t4", exit_code=0))  # whose newest NumPy is 1
        self.assertNotIn("protobuf<4", self.said("tensorflow==2.10", hw="t4", exit_code=0))  # its metadata says it
        for words, needs in ((("tensorflow-gpu==1.15", "protobuf==4.24.4", "--python", "3.7"), "tensorflow-gpu 1.15.0 needs protobuf <4"),
                             (("tensorflow==2.10", "numpy==2.2.0", "--python", "3.10"), "tensorflow 2.10.0 needs numpy <2"),
                             (("onnxruntime-gpu==1.16.3", "numpy==2.0.0"), "onnxruntime-gpu 1.16.3 needs numpy <2")):
            self.assertIn(f"No: {needs}", self.said(*words, hw="t4", exit_code=1))

    def test_keras_of_its_own(self):
        self.assertIn("No: keras 2.3.1 needs tensorflow <2.3", self.said("tensorflow==2.4.1", "keras==2.3.1", hw="a100", exit_code=1))

    def test_xformers_for_the_cuda_of_torch(self):
        self.assertIn("takes that of torch, which is built for another", self.said("torch==2.1.2+cu118", "xformers==0.0.23.post1", hw="a6000", exit_code=1))
        self.assertEqual(self.nearest("torch==2.1.2+cu118", "xformers==0.0.23.post1", hw="a6000")[:2], ["torch==2.1.2+cu118", "xformers==0.0.23.post1+cu118"])
        index = ("--extra-index-url", "https://download.pytorch.org/whl/cu118")
        self.assertIn("xformers 0.0.23.post1+cu118 has code", self.said("torch==2.1.2", "xformers==0.0.23.post1", *index, "--driver", "470.82.01", hw="a6000", exit_code=0))

    def test_pythons(self):
        self.assertRegex(self.first_line("mxnet-cu101", hw="v100"), r"^Yes: .* on Python 3\.\d to 3\.11\.$")
        self.assertEqual(self.first_line("torch==2.3.0", "numpy==2.1.0", "--python", "3.8", hw="a6000", exit_code=1),
                         "No: numpy 2.1.0 has wheels for Python 3.10 to 3.13, not for 3.8.")
        self.assertRegex(self.first_line("flash-attn==1.0.9", hw="t4"), r"on Python 3\.1\d to")  # for which the torch that is told has wheels


class Toolkit(Answers):
    def test_which_gpus_cuda_itself_knows(self):
        self.assertEqual(self.first_line("cuda==12.4", hw="b200", exit_code=1),
                         "No: CUDA 12.4.0 has no compiler and no libraries for B200 (sm_100).")
        self.assertRegex(self.nearest("cuda==12.4", hw="b200")[0], r"^cuda-toolkit==12\.8\.")
        self.assertEqual(self.first_line("cuda-toolkit==13.0", hw="v100", exit_code=1),
                         "No: CUDA 13.0.0 has no compiler and no libraries for V100 (sm_70).")
        self.assertRegex(self.first_line("cuda==12.4", hw="h100"), "^Yes: ")
        self.assertEqual(self.first_line("nvidia-nccl-cu12==2.18.3", hw="b200"),
                         "Unknown: for which GPUs nvidia-nccl-cu12==2.18.3 has code is not known.")

    def test_cuda_compat_for_the_usual_build(self):
        for driver, branch in (("535.183.01", "R535"), ("550.54.14", "R550")):
            said = self.said("torch==2.15.0", "--driver", driver, hw="a100")
            self.assertIn(f"with the package cuda-compat-13-1 driver {branch} runs it on data-center GPUs", said)
            self.assertRegex(self.first_line("torch==2.15.0", "cuda-compat-13-1==1", "--driver", driver, hw="a100"), "^Yes: ")
        self.assertNotIn("cuda-compat", self.said("torch==2.15.0", "--driver", "535.183.01", hw="rtx 3090"))
        self.assertRegex(self.first_line("torch==2.15.0", "cuda-compat-13-1==1", "--driver", "525.60.13", hw="a100", exit_code=1),
                         "^No: .* needs driver 580 or newer; 525.60.13 is older.")


class Otherwise(Answers):
    def test_what_is_proposed_runs(self):
        said = self.said("flash-attn==2.7.4.post1", "torch==2.6.0", hw="v100")
        self.assertIn("Note: torch==2.6.0 runs there without flash-attn.", said)
        self.assertNotIn("known to run there", said)
        said = self.said("flash-attn==2.7.4.post1", hw="v100")
        self.assertIn("jax[cuda12] ", said)
        self.assertIn(" with nvidia-cudnn-cu12==9.10.2.21", said)
        self.assertRegex(self.first_line("jax[cuda12]", "nvidia-cudnn-cu12==9.10.2.21", hw="v100"), "^Yes: ")

    def test_where_builds_for_jetson_are(self):
        said = self.said("torch", hw="orin", exit_code=0)
        self.assertRegex(said, r"^Unknown: torch \S+ is built for GPUs of PCs and servers, .* images nvcr\.io/nvidia/pytorch with a tag")
        self.assertEqual(self.nearest("jax", hw="orin"), [])

    def test_all_pythons_on_which_it_runs(self):
        self.assertEqual(self.document("tensorflow[and-cuda]==2.14.0", hw="a100")["pythons"], ["3.10", "3.9"])


class Advised(Answers):
    """What `advise` says of the same."""

    def advised(self, *arguments, exit_code=0):
        return " ".join(self.stackx("advise", *arguments, exit_code=exit_code).stdout.split())

    def test_a_pin_holds_not_the_driver(self):
        said = self.advised("torch==2.9.1", "--hw", "h100", "--have", "driver=535.183.01")
        self.assertRegex(said, r"torch==2\.9\.1 is what is asked for: that, not driver 535\.183\.01, keeps you from torch \d")
        self.assertNotIn("loses nothing", said)
        self.assertNotIn("A plain `pip install torch`", said)

    def test_what_check_calls_the_nearest_is_an_answer(self):
        """vllm's torch has a build for CUDA 12.9 on PyTorch's index alone, for aarch64."""
        kept = ("--hw", "gh200", "--have", "driver=550.54.15", "--workload", "serve_llm")
        self.assertRegex(self.advised(*kept), r"^Run vllm [\d.]+ with torch [\d.]+\+cu129 .*pip install vllm==[\d.]+ torch==[\d.]+\+cu129 --extra-index-url ")
        document = self.json("advise", *kept)
        self.assertTrue(document["answer"]["found"])
        words = document["answer"]["install"]["line"].split()[2:]
        self.stackx("check", *words, "--hw", "gh200", "--driver", "550.54.15")

    def test_a_lock_changes_with_its_framework(self):
        def package(name, version):
            return f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = {{ registry = "https://pypi.org/simple" }}\n\n'
        locked = [("numpy", "2.2.6"), ("nvidia-cublas-cu12", "12.4.5.8"), ("nvidia-cudnn-cu12", "9.1.0.70"), ("torch", "2.6.0"), ("triton", "3.2.0"),
                  ("xformers", "0.0.29.post3")]
        lock = self.write("uv.lock", 'version = 1\nrequires-python = ">=3.10, <3.13"\n\n' + "".join(package(*one) for one in locked))
        out = " ".join(self.stackx("check", lock, "--hw", "rtx5090", exit_code=1).stdout.split())
        self.assertIn("The nearest that runs: torch 2.7.1+cu128 instead of 2.6.0, xformers 0.0.31.post1 instead of 0.0.29.post3", out)
        self.assertRegex(self.advised("--hw", "rtx5090", "--workload", "matmul", "--lock", str(lock), exit_code=1),
                         r"To take it: pip install (numpy==2\.2\.6 )?torch==[\d.]+(\+cu\d+)? xformers==[\w.]+")

    def test_a_line_about_a_driver_is_about_the_driver(self):
        kept = ("--have", "driver=535.183.01")
        self.assertRegex(self.advised("torch", "--hw", "l40s", *kept),
                         r"Driver 535\.183\.01, of what torch allows: CUDA up to 12\.\d+\.\d+, cuDNN up to ")
        said = self.advised("--hw", "l40s", "--workload", "matmul", *kept)
        self.assertRegex(said, r"Driver 535\.183\.01: CUDA up to 12\.")
        old = self.advised("--hw", "p100", "--workload", "matmul", "--have", "driver=470.199.02,python=3.6")
        self.assertRegex(old, r"Driver 470\.199\.02 with Python 3\.6: CUDA up to 11\.")
        self.assertRegex(said, r"With NVIDIA's package cuda-compat-13-1 driver R535 runs torch [\d.]+, too\.")

    def test_unknown_is_not_called_no(self):
        self.assertRegex(self.advised("torch", "--hw", "jetson agx orin"), "^Unknown what runs matmul on JETSON AGX ORIN: torch .* -igpu; ")
        self.assertNotIn("jax[cuda12]", self.advised("jax", "--hw", "jetson agx orin", exit_code=1))


class Reported(Answers):
    def test_versions_that_got_slower(self):
        """PyTorch issue 166122: 3D convolutions of 2.9; what mends it is cuDNN 9.15."""
        said = self.said("torch==2.9.1", hw="h100", exit_code=0)
        self.assertIn("Reported by others, torch 2.9.1: 3D convolutions in float16 and bfloat16", said)
        self.assertIn("issues/166122", said)
        self.assertEqual(len(self.document("torch==2.9.1", hw="h100")["reported"]), 1)
        for other, hw in (("torch==2.8.0", "h100"), ("torch==2.9.1", "zen4")):
            self.assertEqual(self.document(other, hw=hw, exit_code=None)["reported"], [])

    def test_a_processor_beside_its_gpu(self):
        self.assertEqual(self.document("torch==2.15.0", hw="EPYC 7763 + V100", exit_code=1)["answer"], "no")


class PythonReleases(Answers):
    def test_a_series_is_any_of_its_releases(self):
        """torch 1.6 to 1.10.2 ask for >=3.6.1 or >=3.6.2."""
        for python in ("3.6", "3.6.2", "3.6.8"):
            self.assertEqual(self.answer("torch==1.10.2", "--python", python, hw="k80"), "yes", python)
        self.assertEqual(self.first_line("torch==1.10.2", "--python", "3.6.0", hw="k80", exit_code=1),
                         "No: torch 1.10.2 has wheels for Python 3.7 to 3.9, not for 3.6.0.")
        self.assertEqual(self.document("torch", "--python", "3.6", hw="p100")["stack"]["torch"], "1.10.2")

    def test_what_is_required_says_more_than_the_wheels(self):
        """mxnet takes NumPy before 1.24, which has no wheels for 3.12."""
        self.assertRegex(self.first_line("mxnet-cu102==1.7.0", hw="v100"), " on Python 2.7 to 3.11\\.$")
        self.assertRegex(self.first_line("mxnet-cu102==1.7.0", "--python", "3.12", hw="v100", exit_code=1),
                         "^No: mxnet-cu102 1.7.0 cannot be used: what it requires is for Python 2.7 to 3.11")
        self.assertIn("on which Pythons is not known here", self.said("tensorrt==10.4.0", hw="v100", exit_code=0))


class SourceArchives(Answers):
    def test_a_ready_wheel_in_place_of_compiling(self):
        said = self.said("flash-attn==2.8.3", "torch==2.5.1", "--python", "3.12", exit_code=0)
        self.assertIn("flash-attn 2.8.3 is a source archive whose build downloads a ready wheel, of its releases on GitHub, for torch 2.5, CUDA 12 "
                      "and Python 3.12: install torch, ", said)
        said = self.said("flash-attn", "torch==2.5.1", "--python", "3.12", exit_code=0)
        self.assertRegex(said, r"the newest flash-attn known to have a ready wheel for torch 2\.5, CUDA 12 and Python 3\.12 is 2\.8\.3\.post1")
        said = self.said("flash-attn==2.8.3", "torch==2.9.1", "--python", "3.12", exit_code=0)
        self.assertIn("is built here from its source archive: install torch, ", said)
        self.assertIn("its build downloads a ready wheel only for torch 2.4 to 2.8, CUDA 12 and Python 3.9 to 3.13", said)

    def test_torch_that_it_needs_counts(self):
        document = self.document("flash-attn==2.8.3", hw="rtx 5090")
        self.assertIn("torch", document["stack"])
        self.assertRegex(document["driver"], r"^>=5[0-9]{2}")

    def test_a_variable_that_amd_s_other_gpus_need(self):
        said = self.said("flash-attn==2.8.3", "torch==2.14.1+rocm7.2", hw="rx 7900 xtx", exit_code=0)
        self.assertIn("FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE", said)

    def test_what_it_requires_decides(self):
        self.assertRegex(self.first_line("tensorrt-llm", "torch==2.15.0"), "^Unknown: tensorrt-llm 1.2.1 needs torch ==2.9.1, and torch ==2.15.0 is ")
        self.assertEqual(self.document("tensorrt-llm==1.2.1")["stack"]["torch"], "2.9.1")
        self.assertEqual(self.answer("tensorrt-llm==0.20.0", hw="b200"), "no")  # torch 2.7.0 of the usual index
        self.assertEqual(self.answer("tensorrt-llm==0.18.0"), "unknown")


class ThroughAFramework(Answers):
    def test_what_has_no_code_of_its_own(self):
        for name in ("transformers", "accelerate"):
            self.assertRegex(self.first_line(name), f"^Yes: {name} has no code for GPUs of its own and takes that of torch: ")
        self.assertRegex(self.said("transformers", hw="mi300x"), "^No: transformers has no code for GPUs of its own ")
        self.assertIn("for Windows alone", self.said("onnxruntime-directml", exit_code=0))
        self.assertIn("-DGGML_CUDA=on", self.said("llama-cpp-python", exit_code=0))
        self.assertEqual(self.answer("cupy-cuda102", hw="v100"), "yes")


class Reports(Answers):
    def test_vllm_on_volta(self):
        self.assertIn("issues/27729", self.said("vllm==0.19.1", hw="v100", exit_code=0))
        self.assertNotIn("issues/27729", self.said("vllm==0.19.1", hw="t4", exit_code=0))
