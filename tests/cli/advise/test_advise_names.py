"""How people call hardware, workloads and packages, and what advise takes it for."""

import json
import re

from advise_base import AdviseCase


class AdviseNames(AdviseCase):
    def test_unknown_gpu(self):
        for asked, nearest in (("v10", "v100"), ("h1000", "h100"), ("v1000", "v100")):
            done = self.advise("--hw", asked, "--workload", "matmul", exit_code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(nearest, done.stderr)
        self.golden("unknown", self.advise("--hw", "v10", exit_code=2).stderr.split("\n")[-2] + "\n")
        self.assertIn("matmul", self.advise("--hw", "v100", "--workload", "matmol", exit_code=2).stderr)

    def test_names_of_several_gpus_are_no_name(self):
        for several in ("v100,l40s,b200", "v100 l40s b200", "v100 and l40s and b200"):
            said = self.advise("--hw", several, "--workload", "matmul", exit_code=2)
            self.assertEqual(said.stdout, "")
            self.assertIn("3 kinds of hardware, v100, l40s and b200; ask for one at a time (`stackx check REQUIREMENT --hw v100,l40s,b200`", said.stderr)
        self.assertIn("2 kinds of hardware", self.stackx("hw", "show", "v100,b200", exit_code=2).stderr)

    def test_figures_in_one_line_say_of_how_many_and_when(self):
        said = " ".join(self.advise("--hw", "a10", "--workload", "matmul").stdout.split())
        self.assertIn("Nearest evidence: infer_bert_large on A10: 8792 samples/s on 8 NVIDIA A10 with cuda 11.3, cudnn 8.2.1 (bert-99 Offline, 2021);", said)

    def test_a_product_without_a_size_is_a_usual_one(self):
        for hw in ("v100", "a100", "h100", "h200", "b200", "l40s", "rtx4090", "t4"):
            said = " ".join(self.advise("--hw", hw, "--workload", "matmul").stdout.split())
            sizes = re.search(r"at (m=n=k=\d+|m=\d+, n=\d+, k=\d+)", said).group(1)
            numbers = [int(one) for one in re.findall(r"\d+", sizes)]
            self.assertLessEqual(max(numbers), 4 * min(numbers), (hw, sizes))

    def test_a_geforce_adds_in_float32_at_half_the_printed_rate(self):
        said = self.advise("--hw", "rtx4090", "--workload", "matmul:dtype=float16").stdout
        self.assertLessEqual(float(re.search(r"float16 \[[\d.]+, ([\d.]+)\]", said).group(1)), 165.2, said)

    def test_hardware_and_workload_as_people_type_them(self):
        done = self.advise("--hw", "rtx4090", "--workload", "gemm:dtype=fp16")
        self.assertIn("RTX4090", done.stdout)
        self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("--workload")],
                         ["--workload: gemm is taken for matmul", "--workload: dtype=fp16 is taken for dtype=float16"])
        for typed, model in (("H100PCIe", "h100-pcie-80gb"), ("a100-80g", "a100-sxm4-80gb"), ("g5.xlarge", "a10g")):
            self.assertEqual(self.json("advise", "--hw", typed, "--workload", "matmul", exit_code=None)["accelerator"], model)

    def test_parameters_are_checked(self):
        for typed, said in (("matmul:m=foo", 'm of matmul is a whole number from 1 on, not "foo"'),
                            ("matmul:dtype=flaot32", 'did you mean "float32"?'),
                            ("matmul:dtyp=float32", 'matmul has no parameter "dtyp"; did you mean "dtype"; it has m, n, k')):
            done = self.advise("--hw", "v100", "--workload", typed, exit_code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(said, done.stderr)

    def test_a_misspelt_package_gets_the_nearest(self):
        project = self.write("requirements.txt", "torhc==2.4\ntensorflow==2.15.0\n")
        cautions = self.answer("--hw", "h100", "--project", project)["cautions"]
        self.assertIn("torhc is not known and not judged; did you mean torch?", cautions)

    def test_a_package_that_nobody_knows_stands_in_the_install_line_as_it_is(self):
        project = self.write("requirements.txt", "torch\nsome-package-of-ours\n")
        install = self.answer("--hw", "v100", "--project", project)["install"]
        self.assertIn(" some-package-of-ours ", install["line"] + " ")
        self.assertNotRegex(install["line"], r"==(\s|$)")

    def test_a_gpu_is_called_as_it_was_typed(self):
        """A word of small letters in capitals, and "8x" is no part of it."""
        for typed, called in (("h100", "H100"), ("8xh100", "8xH100"), ("GeForce RTX 3080", "GeForce RTX 3080"), ("Tesla V100", "Tesla V100")):
            self.assertIn(f"valid on {called}", " ".join(self.answer("--hw", typed, "--workload", "attention")["why"].split()))

    def test_a_tpu_has_jax(self):
        for typed in ("tpu-v3", "TPUv5e", "TPU7x"):
            answer = self.answer("--hw", typed, "--workload", "train_resnet50")
            self.assertRegex(answer["run"], r"^jax [\d.]+ \(libtpu [\d.]+\)$")
            self.assertRegex(answer["install"]["line"], r'^pip install "jax\[tpu\]==[\d.]+"$')
        old = self.answer("--hw", "v5litepod-8", "--workload", "matmul", "--have", "glibc=2.27")  # libtpu's wheels were for 2.27 once
        self.assertRegex(old["run"], r"^jax 0\.5\.\d \(libtpu 0\.0\.\d")
        project = self.write("requirements.txt", "jax\n")
        self.assertEqual(self.answer("--hw", "v5litepod-8", "--workload", "matmul", "--have", "glibc=2.27", "--project", project)["run"], old["run"])
        remarks = self.answer("--hw", "tpu-v3", "--workload", "train_resnet50")["remarks"]
        self.assertIn("Published there is tensorflow 1.14.1: another framework, so no reason to leave jax.", remarks)
        self.assertRegex(self.answer("--hw", "v5e", "--workload", "serve_llm")["run"], r"^vllm-tpu [\d.]+ \(libtpu [\d.]+\)$")

    def test_trainium_has_torch_neuronx_and_gaudi_its_images(self):
        answer = self.answer("--hw", "trn1", "--workload", "train_resnet50")
        self.assertRegex(answer["run"], r"^torch-neuronx 2\.9\.0\.\S+$")
        self.assertRegex(answer["install"]["line"], r"^pip install torch-neuronx==\S+ neuronx-cc==2\.\S+ --extra-index-url https://pip\.repos\.neuron\.amazonaws\.com$")
        self.assertIn("the newest Neuron SDK known, 2.32.0 of 2026-08-17, has no torch-neuronx", str(answer["remarks"]))
        for hw, workload, said in (("gaudi3", "train_resnet50", "pytorch-installer-2.11.0"), ("trn1", "serve_llm", "version 0.16 with NxD Inference"),
                                   ("gaudi3", "serve_llm", "vllm-gaudi"), ("inf1", "infer_resnet50", "torch-neuron, the last")):
            self.assertIn(said, "".join(self.advise("--hw", hw, "--workload", workload, exit_code=1).stdout.split("\n    ")).replace("\n", " "))

    def test_names_of_one_gpu_give_one_answer(self):
        answers = {json.dumps(self.json("advise", "--hw", name, "--workload", "matmul", "--explain")["valid"])
                   for name in ("t4", "Tesla T4", "g4dn.xlarge", "NVIDIA T4")}
        self.assertEqual(len(answers), 1)

    def test_a_processor_by_the_name_that_shops_and_lscpu_give_it(self):
        for typed, known in (("EPYC 7763", "zen3"), ("AMD EPYC 9654 96-Core Processor", "zen4"), ("xeon-platinum-8480c", "sapphire-rapids"),
                             ("Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz", "broadwell"), ("i9-13900k", "raptor-lake"), ("graviton3", "neoverse-v1")):
            with self.subTest(typed=typed):
                document = self.json("advise", "--hw", typed, "--workload", "softmax", exit_code=None)
                self.assertEqual(document["hw"], known)
                self.assertIn(f"{typed} is taken for {known}.", document["answer"]["remarks"])
        every = [json.loads(line) for line in self.stackx("hw", "list", "--json").stdout.splitlines()]
        processors = [one["id"] for one in every if one["kind"] == "processor"]
        self.assertGreater(len(processors), 15)
        for listed in processors:  # what hw list shows is what --hw takes
            self.assertNotEqual(self.advise("--hw", listed, "--workload", "softmax", exit_code=None).returncode, 2, listed)
        shown = self.stackx("hw", "show", "AMD EPYC 7763 64-Core Processor").stdout
        self.assertRegex(shown, r"^Processor +AMD EPYC 7763 64-Core Processor\nName +zen3 \(Zen 3, amd\)\n")
        self.assertIn("EPYC 7?#3*", self.json("hw", "show", "epyc 7763")["processors"])
        self.assertIn("runs on EPYC 9654", self.stackx("check", "torch", "--hw", "EPYC 9654", exit_code=None).stdout)

    def test_what_is_published_about_a_processor_is_found_by_its_name(self):
        """MLPerf v0.5 has "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"; its neighbour of the same generation is another."""
        for typed in ("Xeon Gold 6248", "gold-6248", "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"):
            said = self.advise("--hw", typed, "--workload", "infer_ssd_mobilenet").stdout
            self.assertIn("Published for infer_ssd_mobilenet on " + typed, " ".join(said.split()))
            self.assertIn("OpenVINO", said)
        self.assertNotIn("Published", self.advise("--hw", "Xeon Gold 6252", "--workload", "infer_ssd_mobilenet").stdout)
        self.assertNotIn("Published", self.advise("--hw", "grace", "--workload", "infer_llama2_70b").stdout)  # GH200's are GPUs'

    def test_a_framework_or_several_words_in_the_workloads_place(self):
        for typed, taken, first in (("pytorch", "pytorch, a framework, is taken for matmul:framework=torch", "Run torch "),
                                    ("jax training", "jax-training is taken for train_resnet50:framework=jax", "Run jax "),
                                    ("fine-tune bert", "fine-tune-bert is taken for train_bert_large_squad", "Run torch "),
                                    ("inference", "inference is taken for infer_llm; there is also serve_llm", "Run vllm ")):
            with self.subTest(typed=typed):
                done = self.advise("--hw", "h100", "--workload", typed)
                self.assertIn("--workload: " + taken, " ".join(done.stderr.split()))
                self.assertTrue(done.stdout.startswith(first), done.stdout)
        said = self.advise("--hw", "h100", "--workload", "numpy", exit_code=1).stdout
        self.assertTrue(said.startswith("No stack to run matmul:framework=numpy on H100: the catalogs know no numpy for GPUs."), said)

    def test_instances_of_clouds_are_processors_or_asked_back(self):
        answer = self.answer("--hw", "c7i.4xlarge", "--workload", "matmul")
        self.assertIn("c7i.4xlarge is taken for sapphire-rapids.", answer["remarks"])
        for typed, meant in (("m5.xlarge", "skylake-sp or cascade-lake"), ("AMD EPYC Processor", "zen, zen2, zen3, zen4 or zen5"), ("Xeon", "granite-rapids or sierra-forest")):
            self.assertIn(f"{meant}; ask for one of these, or for what lscpu calls the processor",
                          self.advise("--hw", typed, "--workload", "matmul", exit_code=2).stderr)
        for words in (("check", "torch", "--hw", "EPYC"), ("hw", "show", "EPYC")):
            self.assertIn("may be zen, zen2, zen3, zen4 or zen5", self.stackx(*words, exit_code=2).stderr)

    def test_a_model_by_its_name(self):
        done = self.advise("--hw", "a100-80g", "--workload", "meta-llama/Llama-3.3-70B-Instruct")
        self.assertIn("--workload: meta-llama/Llama-3.3-70B-Instruct is taken for infer_llm", done.stderr)
        told = " ".join(done.stdout.split())
        self.assertIn("! The parameters of such a model take 140 GB at 16 bits and 35 GB at 4; one A100 SXM4 80GB has 80 GB: 2 of them at least at 16 bits, or fewer bits.", told)
        self.assertIn("The parameters of such a model take 14 GB at 16 bits and 3.5 GB at 4, of 80 GB.", self.answer("--hw", "a100-80g", "--workload", "qwen2.5-7b")["remarks"])

    def test_a_model_against_several_gpus(self):
        for hw, model, told in (
                ("8xh100", "Llama-3.3-70B", "take 140 GB at 16 bits and 35 GB at 4; each of 8 H100 SXM5 80GB has 80 GB: 2 of them at least at 16 bits "
                                            "(vllm serve --tensor-parallel-size 2)."),
                ("g5.12xlarge", "qwen2.5-72b", "take 144 GB at 16 bits and 36 GB at 4; each of 4 A10G 24GB has 24 GB: 7 of them at least at 16 bits, 2 at 4."),
                ("H100:8", "llama-3.1-405b-instruct-fp8", "take 405 GB at 8 bits and 202.5 GB at 4; each of 8 H100 SXM5 80GB has 80 GB: 6 of them at least "
                                                          "at 8 bits (vllm serve --tensor-parallel-size 8)."),
                ("8xh100", "deepseek-r1", "take 671 GB at 8 bits and 335.5 GB at 4; each of 8 H100 SXM5 80GB has 80 GB: 9 of them at least at 8 bits, 5 at 4."),
                ("a10g", "Qwen2.5-72B-Instruct-AWQ", "take 36 GB at 4 bits; one A10G 24GB has 24 GB: 2 of them at least at 4 bits.")):
            with self.subTest(hw=hw, model=model):
                self.assertIn("The parameters of such a model " + told, self.answer("--hw", hw, "--workload", model)["cautions"])

        self.assertIn("The parameters of such a model take 58.5 GB at 4 bits, of 80 GB.", self.answer("--hw", "h100", "--workload", "gpt-oss-120b")["remarks"])

    def test_published_numbers_are_of_the_model_that_was_named(self):
        of_it = self.answer("--hw", "t4", "--workload", "qwen2.5-3b-instruct")
        self.assertEqual({one["kind"].split()[0] for one in of_it["evidence"]}, {"Qwen-2.5-3B-Instruct"})
        alike = [one["remark"].split("; ")[0] for one in of_it["evidence"] if one["kind"] == "Qwen-2.5-3B-Instruct INT8"]
        self.assertEqual(alike[:2], ["bitsandbytes 0.45.0.dev", "bitsandbytes 0.44.1"])
        self.assertTrue(all("batch " in one["remark"] for one in of_it["evidence"]))
        others = self.advise("--hw", "t4", "--workload", "qwen2.5-7b").stdout
        self.assertIn("Published for infer_llm on T4, of other models (others'", " ".join(others.split()))
        self.assertNotIn("Fastest published", others)

    def test_a_language_model_is_rather_run_than_trained(self):
        said = " ".join(self.advise("--hw", "h100", "--workload", "meta-llama/Llama-3.1-8B").stderr.split())
        self.assertIn("is taken for infer_llama3_1_8b; there is also train_llama3_1_8b", said)

    def test_packages_as_words(self):
        answer = self.answer("torch<2.9", "--hw", "v100")
        self.assertEqual(answer["install"]["line"], "pip install torch==2.8.0")
        self.assertIn("that torch<2.9 allows", answer["why"])
        self.assertEqual(self.answer("--project", "torch<2.9", "--hw", "v100"), answer)
        project = self.write("requirements.txt", "torch<2.9\n")
        self.assertEqual(self.answer(project, "--hw", "v100")["install"], answer["install"])
        self.assertIn("give one of them", self.advise("torch", "--project", project, exit_code=2).stderr)
        serving = self.advise("vllm", "--hw", "h100")
        self.assertIn("no --workload: vllm is for serve_llm", serving.stderr)
        self.assertIn("no serve_llm result for it on H100", " ".join(serving.stdout.split()))

    def test_packages_whose_releases_no_fact_compares(self):
        for hw, beside in (("zen4", "scipy-openblas64"), ("v100", "torch")):
            with self.subTest(hw):
                answer = self.answer("numpy", "--hw", hw, "--workload", "matmul")
                self.assertIn(beside, answer["install"]["line"])
                self.assertEqual([one for one in answer["cautions"] if "numpy" in one],
                                 ["No facts say how releases of numpy differ in speed, so this is what matmul is usually run with. To know which is faster: "
                                  "stackx inspect numpy --workload matmul"])
        library = self.answer("scipy-openblas64", "--hw", "zen4", "--workload", "matmul")
        self.assertEqual((library["install"]["line"].split("==")[0], library["cautions"]), ("pip install scipy-openblas64", []))
