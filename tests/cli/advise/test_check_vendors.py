"""`stackx check` on AMD's GPUs and on TPUs, and of what is built for another vendor's accelerators."""

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
        for hw, where in (("RX 7900 XTX", "the ROCm builds of vLLM, for Python 3.12, are on its own index"), ("v5e", "the package vllm-tpu")):
            self.assertIn(where, str(self.document("vllm", hw=hw, exit_code=1)["notes"]))
        self.assertNotIn("ROCm", str(self.document("vllm", hw="k80", exit_code=1)["notes"]))
