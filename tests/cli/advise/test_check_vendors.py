"""`stackx check` on AMD's and Intel's GPUs, TPUs, Trainium, Inferentia and Gaudi, and of what is built for another vendor's accelerators."""

from check_base import Check


class Vendors(Check):
    def test_the_nearest_takes_the_extra_that_does(self):
        """Another vendor's, or another CUDA's, is not what was meant; an old release that brings no plugin does not compute there."""
        for words, hw, to in (("jax[tpu]", "v100", "jax[cuda12]"), ("jax[cuda12]", "tpu-v5e", "jax[tpu]"), ("jax[cuda13]", "v100", "jax[cuda12]"),
                              ("jax[cuda12]", "mi300x", "jax[rocm7-local]"), ("jax", "tpu7x", "jax[tpu]")):
            change = self.document(words, hw=hw, exit_code=1)["nearest"]["changes"][0]
            self.assertEqual((change["name"], change["from"]), (to, words))

    def test_pytorch_on_a_tpu_has_torch_xla_beside_it(self):
        self.assertRegex(self.first_line("torch==2.9.0", hw="v5e", exit_code=1), "^No: torch 2.9.0 is built for NVIDIA's CUDA")
        self.assertIn("torch-xla[tpu]", self.first_line("torch==2.9.0", "torch_xla", hw="v5e", exit_code=1))
        alone = self.check("torch_xla[tpu]==2.9.0", hw="v5e").stdout
        self.assertRegex(" ".join(alone.split()), r"^Yes: .* torch-xla needs torch beside it, which no installer brings: install torch==2\.9\.\d, too")
        for torch in ("torch==2.9.0", "torch==2.9.0+cpu"):
            self.assertEqual(self.answer(torch, "torch_xla[tpu]", hw="v5e"), "yes")
        self.assertEqual(self.answer("vllm", "torch_xla[tpu]", hw="v5e"), "no")

    def test_an_amd_gpu_that_pytorch_has_no_code_for(self):
        document = self.document("torch", hw="RX 6700 XT", exit_code=1)
        self.assertIsNone(document["nearest"])
        self.assertIn("no release of torch that is known has code for RX 6700 XT (gfx1031)", document["notes"])
        self.assertEqual(self.document("torch", hw="RX 6800 XT", exit_code=1)["nearest"]["changes"][0]["name"], "torch")

    def test_where_the_builds_are_that_no_index_here_lists(self):
        for package, hw, where in (("vllm", "RX 6700 XT", "newer ROCm builds of vLLM than are known here may be on its own index"),
                                   ("vllm", "tpu-v2", "the package vllm-tpu"), ("vllm", "trn2", "public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:0."),
                                   ("vllm", "trn1", "version 0.16 with NxD Inference"), ("vllm", "gaudi3", "the plugin vllm-gaudi, the newest known 0."),
                                   ("torch", "gaudi2", "1.24.1/ubuntu24.04/habanalabs/pytorch-installer-2.11.0:latest"),
                                   ("torch", "dl1.24xlarge", "1.21.0 with PyTorch 2.6 is the last"), ("torch", "inf1", "torch-neuron, the last 1.13.1.2.11.13.0"),
                                   ("tensorflow", "gaudi2", "SynapseAI 1.14.0"), ("tensorflow", "inf2.xlarge", "tensorflow-neuronx 2.10.1.2.1.0")):
            self.assertIn(where, str(self.document(package, hw=hw, exit_code=1)["notes"]))
        self.assertIn("jax from the index runs on CPUs; JAX for Trainium and Inferentia2 is jax-neuronx", " ".join(self.check("jax", hw="trn1", exit_code=1).stdout.split()))
        self.assertNotIn("ROCm", str(self.document("vllm", hw="k80", exit_code=1)["notes"]))

    def test_vllm_for_rocm_has_a_torch_of_its_own(self):
        """The plain release's torch 2.13.0 is not the one; nor is PyTorch's own ROCm build."""
        wheel, torch = "0.30.0+rocm723", "2.12.0+git6bbd260"
        index = "--extra-index-url https://wheels.vllm.ai/rocm/0.30.0/rocm723"
        said = " ".join(self.check("vllm==" + wheel, hw="mi300x").stdout.split())
        self.assertRegex(said, r"^Yes: .* on Python 3\.12\. .*Note: vllm 0\.30\.0\+rocm723 loads Open MPI 4 and ROCm 7\.2\.3 of the system\.")
        self.assertIn(f"vllm {wheel} needs torch =={torch}, and torch ==2.14.1+rocm7.2 is asked for",
                      self.first_line("vllm==" + wheel, "torch==2.14.1+rocm7.2", hw="mi300x", exit_code=1))
        nearest = self.document("vllm==0.30.0", "torch==2.14.1+rocm7.2", hw="mi355x", exit_code=1)["nearest"]
        self.assertEqual([one["to"] for one in nearest["changes"]], [wheel, torch])
        self.assertIn(index, self.check("vllm==0.30.0", hw="mi300x", exit_code=1).stdout)
        self.assertEqual(self.document("vllm==" + wheel, hw="h100", exit_code=1)["nearest"]["changes"][0]["to"], "0.30.0")

    def test_a_server_and_its_framework_change_together(self):
        for words in (("vllm", "torch"), ("torch", "vllm", "transformers")):
            changes = self.document(*words, hw="mi300x", exit_code=1)["nearest"]["changes"]
            self.assertRegex(" ".join(one["name"] + " " + one["to"] for one in changes), r"^vllm \S+\+rocm\d+$")

    def test_python_and_glibc_of_a_build_that_no_index_lists(self):
        self.assertEqual(self.document("vllm==0.30.0+rocm723", "--python", "3.11", hw="mi300x", exit_code=1)["answer"], "no")
        for glibc, answer in (("39", "yes"), ("35", "no")):
            self.assertEqual(self.answer("vllm==0.30.0+rocm723", "--platform", f"manylinux_2_{glibc}_x86_64", hw="mi300x"), answer)

    def test_intels_gpus_have_a_build_of_torch(self):
        for hw in ("Arc B580", "Intel(R) Arc(TM) A770 Graphics", "Intel Data Center GPU Max 1550"):
            nearest = self.document("torch==2.14.1", hw=hw, exit_code=1)["nearest"]
            self.assertEqual(nearest["changes"][0]["to"], "2.14.1+xpu")
            self.assertEqual(self.answer("torch==2.14.1+xpu", hw=hw), "yes")
        said = " ".join(self.check("torch==2.14.1+xpu", hw="arc-b580").stdout.split())
        self.assertRegex(said, r"^Yes: .*ARC-B580 \(bmg\).* Note: torch 2\.14\.1\+xpu loads Level Zero 1 of the system\.")
        self.assertRegex(self.first_line("torch==2.14.1+xpu", hw="h100", exit_code=1), "^No: .* is built for Intel's GPUs, and H100 ")
        self.assertIn("jax from the index runs on CPUs; JAX's plugin for Intel's GPUs is the package jax-oneapi-plugin", " ".join(self.check("jax", hw="arc-b580", exit_code=1).stdout.split()))
        self.assertIn("docs.vllm.ai, Installation, Intel XPU", str(self.document("vllm", hw="arc-b580", exit_code=1)["notes"]))

    def test_pytorch_for_trainium_is_on_the_index_of_aws(self):
        """On the package index an empty package has its name, so no line may leave the index out."""
        newest, index = "2.9.0.2.15.32035", "--extra-index-url https://pip.repos.neuron.amazonaws.com"
        for hw in ("trainium2", "trn1.32xlarge", "inf2.xlarge", "Trainium3"):
            said = " ".join(self.check("torch", hw=hw, exit_code=1).stdout.split())
            self.assertRegex(said, "^No: torch [\\d.]+ is built for NVIDIA's CUDA, and ")
            self.assertRegex(said, rf"The nearest that runs: torch-neuronx {newest} instead of torch pip install torch-neuronx neuronx-cc==2\.\S+ {index}")
            self.assertEqual(self.answer("torch-neuronx", hw=hw), "yes")
        said = " ".join(self.check("torch-neuronx==" + newest, hw="trn2").stdout.split())
        self.assertRegex(said, r"^Yes: .* runs on TRN2 \(neuroncore-v3\) on Python 3\.11 to 3\.13\. .*Note: torch-neuronx 2\S+ loads Neuron's driver "
                               r"\(aws-neuronx-dkms\) 2\.29 of the system\. Note: torch-neuronx needs neuronx-cc beside it")
        self.assertRegex(self.first_line("torch-neuronx==2.1.2.2.3.2", hw="trn2", exit_code=1), r"^No: .* has no code for TRN2 .*; it has it for neuroncore-v2\.")
        self.assertRegex(self.first_line("torch-neuronx", hw="h100", exit_code=1), "^No: .* is built for AWS Neuron, and H100 ")
        self.assertEqual(self.answer("torch-neuronx==" + newest, "torch==2.15.0", hw="trn2"), "no")

    def test_vllm_for_tpus_is_a_package_of_its_own(self):
        nearest = self.document("vllm", hw="tpu-v6e", exit_code=1)["nearest"]
        self.assertEqual([one["name"] for one in nearest["changes"]], ["vllm-tpu"])
        self.assertIn("libtpu 0.0.48 has code for it", self.check("vllm-tpu==0.32.0", hw="tpu-v6e").stdout)
        self.assertRegex(self.first_line("vllm-tpu", hw="h100", exit_code=1), "^No: .* is built for Google's TPUs, and H100 ")

    def test_libraries_that_hold_code_for_several_vendors(self):
        """bitsandbytes has a library for each CUDA and, since 0.49, for ROCm; flash-attn is compiled for what is there."""
        for torch, hw in (("torch==2.14.1+rocm7.2", "mi300x"), ("torch==2.14.1+xpu", "arc-b580"), ("torch==2.14.1", "h100")):
            self.assertEqual(self.answer("bitsandbytes==0.50.2", torch, hw=hw), "yes")
        self.assertIn("bitsandbytes 0.42.0 is built for NVIDIA's CUDA", self.first_line("bitsandbytes==0.42.0", hw="mi300x", exit_code=1))
        self.assertEqual(self.answer("flash-attn==2.8.3", "torch==2.14.1+rocm7.2", hw="mi300x"), "yes")
        self.assertEqual(self.answer("flash-attn==2.7.0.post2", "torch==2.14.1+rocm7.2", hw="rx 7900 xtx"), "no")

    def test_the_framework_that_is_taken_along_has_a_build_too(self):
        for package, hw, torch in (("bitsandbytes", "mi300x", "2.14.1+rocm7.2"), ("torchvision", "arc-b580", "2.14.1+xpu")):
            changes = self.document(package, hw=hw, exit_code=1)["nearest"]["changes"]
            self.assertEqual([(one["name"], one["to"]) for one in changes], [("torch", torch)])
