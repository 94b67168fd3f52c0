"""What `stackx check` proposes is what it says yes to: the printed line, asked on the same machine; and the driver by its branch."""

import shlex

from check_base import Check

CU128 = "https://download.pytorch.org/whl/cu128"


class Proposals(Check):
    ASKED = (("vllm==0.8.5", "gh200"), ("vllm==0.10.2", "gh200"), ("vllm==0.9.2", "rtx5090"), ("vllm==0.9.2", "b200"), ("vllm<0.9", "rtx5090"),
             ("vllm==0.6.3", "b200"), ("vllm==0.10.2", "v100"), ("sglang==0.4.0", "b200"), ("torch==2.15.0", "v100"), ("torch==2.4.0", "gh200"),
             ("torch==2.0.0", "h100"), ("tensorflow==2.4.0", "h100"), ("jax[cuda12]==0.4.20", "b200"), ("jax", "a100"), ("torch==2.5.1 xformers", "b200"),
             ("torch torchvision==0.15.0", "h100"), ("flash-attn==2.5.0 torch==2.3.0", "rtx5090"))

    def words_of(self, nearest):
        return nearest["install"] + [word for url in nearest["indexes"] for word in ("--extra-index-url", url)]

    def test_what_is_proposed_is_no_no(self):
        for asked, hw in self.ASKED:
            document = self.document(*asked.split(), hw=hw, exit_code=None)
            for nearest in filter(None, [document["nearest"], *document["others"]]):
                if not nearest["install"]:
                    continue
                python = ".".join(nearest["stack"]["python"].split(".")[:2])
                with self.subTest(asked=asked, hw=hw, words=self.words_of(nearest)):
                    self.assertNotEqual(self.answer(*self.words_of(nearest), "--python", python, hw=hw), "no")

    def test_the_index_is_in_the_printed_line(self):
        """The version that is asked for stays where one of PyTorch's indexes has a build of its torch that runs there."""
        for asked, hw, label in (("vllm==0.9.2", "rtx5090", "cu128"), ("vllm==0.10.2", "gh200", "cu129")):
            out = self.check(asked, hw=hw, exit_code=1).stdout
            self.assertIn(f"The nearest that runs: the same with PyTorch's index for {label} beside the usual one\n", out)
            line = f"pip install {asked} --extra-index-url https://download.pytorch.org/whl/{label}"
            self.assertIn(f"  {line}\n", out)
            self.assertEqual(self.answer(*shlex.split(line)[2:], hw=hw), "yes")
        out = self.check("vllm==0.8.5", "--extra-index-url", CU128, hw="b200", exit_code=1).stdout
        self.assertIn(f"  pip install vllm==0.9.2 --extra-index-url {CU128}\n", out)

    def test_how_a_build_for_processors_comes_in(self):
        out = self.check("vllm==0.10.2", hw="gh200", exit_code=1).stdout
        self.assertIn("How it comes:\n  you ask for vllm ==0.10.2\n   └─ vllm 0.10.2 needs torch ==2.8.0\n"
                      "      └─ torch 2.8.0 is built for CPUs and does not use a GPU\n", out)

    def test_the_nearest_of_a_range(self):
        nearest = self.document("vllm<0.9", hw="rtx5090", exit_code=1)["nearest"]
        self.assertEqual(nearest["changes"][0], {"name": "vllm", "from": "<0.9", "to": "0.10.2"})

    def test_the_nearest_python(self):
        for asked in ("torch==2.5.1", "tensorflow==2.20.0"):
            change = self.document(asked, "--python", "3.14", hw="h100", exit_code=1)["nearest"]["changes"][0]
            self.assertEqual((change["name"], change["to"]), ("python", "3.13"))

    def test_no_version_is_made_up(self):
        self.assertNotIn(".0.0.0.1", self.check("sglang==0.4.0", hw="b200", exit_code=1).stdout)

    def test_what_nobody_asked_for_is_not_said_to_be_asked_for(self):
        text = self.first_line("torch", "torchvision==0.15.0", hw="h100", exit_code=1)
        self.assertIn("the newest torch is 2.15.0", text)
        self.assertNotIn("torch ==2.15.0 is asked for", text)


class Said(Check):
    def test_without_a_version_all_its_pythons(self):
        self.assertIn("on Python 3.11 to 3.15", self.first_line("torch", hw="h100"))

    def test_what_is_not_judged_is_of_the_release_judged(self):
        for asked, others in (("torch", ("cmake", "dataclasses", "future", "lit")), ("tensorflow[and-cuda]", ("enum34", "backports-weakref"))):
            named = self.document(asked, hw="h100")["not_judged"]
            self.assertTrue(named)
            self.assertFalse(set(others) & set(named), named)

    def test_a_package_that_does_not_say_its_gpus(self):
        self.assertEqual(self.first_line("triton", hw="v100"), "Unknown: for which GPUs triton works is not known here.")


class Branches(Check):
    """--driver 525 is any driver of branch 525."""

    def test_a_branch_is_met_by_some_driver_of_it(self):
        for asked, hw, driver, first in (("torch==2.5.1", "h100", "525", "525.60.13"), ("torch==2.7.1+cu128", "rtx5090", "570", "570.86.16"),
                                         ("torch==2.5.1+cu118", "t4", "450", "450.80.02")):
            self.assertIn(f"with driver {driver} (from {first} on)", self.first_line(asked, "--driver", driver, hw=hw))
        self.assertIn("with driver 535 on Python", self.first_line("torch==2.5.1", "--driver", "535", hw="h100"))

    def test_what_no_driver_of_it_does(self):
        self.assertIn("needs driver 525.60.13 or newer; 520 is older", self.first_line("torch==2.5.1", "--driver", "520", hw="h100", exit_code=1))
        self.assertIn("drivers after R580 do not drive", self.first_line("torch==2.5.1", "--driver", "590", hw="v100", exit_code=1))
        self.assertIn("No: vllm 0.6.3 has no kernels", self.first_line("vllm==0.6.3", "--driver", "570", hw="rtx5090", exit_code=1))
        self.assertIn("525.53 is older", self.first_line("torch==2.5.1", "--driver", "525.53", hw="h100", exit_code=1))

    def test_a_release_of_python_is_no_bound_of_another_python(self):
        for python in ("3.8", "3.8.10"):
            changes = self.document("torch==2.9.0", "--python", python, hw="h100", exit_code=1)["nearest"]["changes"]
            self.assertEqual([(one["name"], one["to"]) for one in changes], [("python", "3.10")])

    def test_a_branch_begins_where_the_product_does(self):
        """555.42.06 is the first of R555 that is as new as the H200 (gpus.json); 550.90.07 the first of all."""
        self.assertIn("with driver 555 (from 555.42.06 on)", " ".join(self.check("torch==2.4.0", "--driver", "555", hw="h200").stdout.split()))
        nearest = self.document("torch==2.4.0", "--driver", "555.42.02", hw="h200", exit_code=1)["nearest"]
        self.assertEqual(nearest["changes"][0]["to"], ">=555.42.06")

    def test_a_branch_is_named_as_it_was(self):
        for words, hw in ((("torch==2.4.0", "--driver", "525"), "v100"), (("torch==2.4.0", "--driver", "510"), "h100"), (("torch==2.13.0", "--driver", "525"), "b200")):
            for form in ((), ("--json",)):
                self.assertNotIn(".9999", self.check(*words, *form, hw=hw, exit_code=None).stdout)

    def test_in_place_of_condas_the_index_is_proposed(self):
        file = self.write("environment.yml", "name: x\ndependencies:\n  - vllm=0.9.2\n")
        self.assertIn(f"pip install vllm==0.9.2 --extra-index-url {CU128}", self.check(file, hw="rtx5090", exit_code=None).stdout)

    def conda_with_pip(self, pip):
        return self.write("environment.yml", "channels: [pytorch]\ndependencies:\n  - python=3.10\n  - pytorch=2.1.2\n  - pytorch-cuda=11.8\n"
                                             f"  - pip:\n    - {pip}\n")

    def test_pip_beside_condas_torch_takes_that(self):
        for pip in ("bitsandbytes==0.41.3", "flash-attn==2.5.6"):
            document = self.document(self.conda_with_pip(pip), hw="a6000")
            self.assertEqual((document["answer"], document["stack"]["torch"], document["nearest"]), ("unknown", "2.1.2+cu118", None), pip)
            self.assertIn("with what the index calls so: yes, torch==2.1.2+cu118", document["text"])

    def test_pips_own_torch_counts_beside_condas(self):
        self.assertEqual(self.document(self.conda_with_pip("torch==2.4.0"), hw="a6000")["stack"]["torch"], "2.4.0")

    def test_no_python_is_proposed_on_which_a_marker_installs_nothing(self):
        for python in ((), ("--python", "3.8")):
            document = self.document("torch==2.5.1; python_version<'3.9'", *python, hw="h100", exit_code=1)
            self.assertEqual([one["name"] for one in document["nearest"]["changes"]], ["torch"])

    def test_the_same_torch_for_another_cuda_is_nearer_than_another_python(self):
        document = self.document("torch", "--python", "3.6", hw="a100", exit_code=1)
        self.assertEqual(document["nearest"]["changes"][0]["to"], "1.10.2+cu113")

    def test_all_pythons_on_which_an_installer_takes_the_same(self):
        self.assertEqual(self.document("torch==2.6.0", "xformers", hw="p100")["pythons"], ["3.12", "3.11", "3.10", "3.9"])

    def test_a_gpu_by_its_compute_capability_or_in_a_laptop(self):
        for hw, code in (("sm_75", "7.5 (sm_75)"), ("12.0", "12.0 (sm_120)"), ("RTX 2060 laptop", "laptop (sm_75)"),
                         ("NVIDIA GeForce RTX 3070 Laptop GPU", "Laptop GPU (sm_86)")):
            self.assertIn(code, self.document("torch==2.7.1+cu128", hw=hw)["text"])
        self.assertIn("has no kernels for", self.document("torch==2.7.1+cu128", hw="sm_70", exit_code=1)["text"])
        self.assertIn("no GPU of compute capability 1.2", self.refused("torch", hw="sm_12"))

    def test_a_recipe_of_an_image_is_refused_with_what_to_paste(self):
        self.assertIn("RUN pip install", self.refused(self.write("Dockerfile", "FROM x\nRUN pip install torch\n")))

    def test_several_overrides_of_one_package(self):
        file = self.write("pyproject.toml", """[project]
name = "x"
version = "1"
dependencies = ["torchvision==0.19.0"]
[tool.uv]
override-dependencies = ["torch==2.3.1 ; python_version < '3.10'", "torch==2.4.0 ; python_version >= '3.10'"]
""")
        self.assertEqual(self.document(file, "--python", "3.11", hw="h100")["stack"]["torch"], "2.4.0")
        self.assertEqual(self.document(file, "--python", "3.9", hw="h100")["stack"]["torch"], "2.3.1")

    def test_what_computes_through_torch_beside_what_nobody_judges(self):
        self.assertRegex(self.first_line("transformers", "pandas", hw="h100"), "^Yes: transformers has no code for GPUs of its own and takes that of torch")
