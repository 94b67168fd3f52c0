"""`stackx check`: PyTorch's own indexes, as files and options name them, and what is left out of a file."""

from check_base import Check

PYTORCH = "https://download.pytorch.org/whl/"


class Indexes(Check):
    def test_a_file_names_another_build(self):
        # CUDA 12.8 dropped Volta and has Blackwell; the usual index has CUDA 12.6 of this release.
        for option in ("--extra-index-url", "--index-url"):
            file = self.write("requirements.txt", f"{option} {PYTORCH}cu128\ntorch==2.7.1\n")
            self.assertTrue(self.first_line(file, hw="v100", exit_code=1).startswith("No: torch 2.7.1+cu128 has no kernels for V100"))
            document = self.document(file, hw="b200")
            self.assertEqual((document["answer"], document["stack"]["torch"]), ("yes", "2.7.1+cu128"))

    def test_conda_and_options_name_it_too(self):
        file = self.write("environment.yml", f"dependencies:\n  - python=3.11\n  - pip:\n    - --extra-index-url {PYTORCH}cu118\n    - torch==2.0.1\n")
        self.assertEqual(self.document(file, hw="h100")["stack"]["torch"], "2.0.1+cu118")
        for option in ("--index-url", "--extra-index-url"):
            self.assertEqual(self.document("torch==2.0.1", option, PYTORCH + "cu118", hw="h100")["stack"]["torch"], "2.0.1+cu118")

    def test_alone_it_has_what_it_has(self):
        document = self.document("torch", "--index-url", PYTORCH + "cu126", hw="v100")
        self.assertEqual(document["answer"], "yes")
        self.assertTrue(document["stack"]["torch"].endswith("+cu126"))
        self.assertTrue(self.first_line("torch==2.7.1", "--index-url", PYTORCH + "cpu", exit_code=1).startswith("No: torch 2.7.1+cpu is built for CPUs"))

    def test_the_usual_one_is_the_nearest(self):
        document = self.document("torch==2.7.1", "--extra-index-url", PYTORCH + "cu128", hw="v100", exit_code=1)
        self.assertEqual(document["nearest"]["changes"], [{"name": "index", "from": "PyTorch's for cu128", "to": "the usual index"}])
        self.assertEqual(document["nearest"]["install"], ["torch==2.7.1"])

    def test_the_nearest_on_the_usual_index_says_so(self):
        document = self.document("torch", "--index-url", PYTORCH + "cu128", hw="p100", exit_code=1)
        self.assertEqual(document["nearest"]["changes"][0]["name"], "index")
        self.assertGreater(len(document["nearest"]["changes"]), 1)

    def test_several(self):
        file = self.write("requirements.txt", f"--extra-index-url {PYTORCH}cu118\n--extra-index-url {PYTORCH}cu128\ntorch==2.7.1\n")
        document = self.document(file, hw="b200")
        self.assertEqual(document["stack"]["torch"], "2.7.1+cu128")  # the higher local version
        self.assertIn("torch, torchvision and torchaudio are taken from PyTorch's index for cu118 and cu128, where it is as new as the usual one", document["notes"])
        # Another beside it: the usual one's newest is taken.
        file = self.write("requirements.txt", f"--index-url {PYTORCH}cu118\n--extra-index-url https://pypi.org/simple\ntorch\n")
        self.assertNotIn("+", self.document(file)["stack"]["torch"])

    def test_on_stdin(self):
        lines = f"--index-url {PYTORCH}cu118\ntorch==2.1.0\ngit+https://example.org/x.git\n"
        document = self.document("-", input=lines)
        self.assertEqual(document["stack"]["torch"], "2.1.0+cu118")
        self.assertIn("git+https://example.org/x.git (not from an index)", document["not_judged"])

    def test_one_that_has_no_such_build(self):
        self.assertEqual(self.first_line("torch", "--index-url", PYTORCH + "cu999").partition(";")[0], "Unknown: no index of PyTorch's for cu999 is known.")

    def test_another_index_changes_nothing(self):
        self.assertEqual(self.document("torch==2.4.0", "--extra-index-url", "https://example.org/simple")["stack"]["torch"], "2.4.0")

    def test_torchvision_and_torchaudio_are_of_their_torch(self):
        words = ["torch==2.1.0+cu118", "torchvision==0.16.0+cu118", "torchaudio==2.1.0+cu118"]
        self.assertEqual(self.answer(*words), "yes")
        self.assertTrue(self.first_line("torch==2.1.0+cu118", "torchvision==0.16.0+cu121", exit_code=1).startswith(
            "No: torchvision 0.16.0+cu121 needs torch ==2.1.0+cu121, and torch ==2.1.0+cu118 is asked for"))
        file = self.write("requirements.txt", f"--index-url {PYTORCH}cu118\ntorch==2.1.0\ntorchvision\n")
        self.assertEqual(self.document(file)["stack"]["torchvision"], "0.16.0+cu118")

    def test_a_build_that_nobody_has_seen_is_said_to_be_concluded(self):
        self.assertIn("Note: that there is a torch 2.15.0+cu126 is concluded", self.check("torch==2.15.0+cu126", hw="v100").stdout)
        self.assertNotIn("concluded", self.check("torch==2.7.1+cu126", hw="v100").stdout)


class LeftOut(Check):
    def test_lines_from_elsewhere(self):
        file = self.write("requirements.txt", "git+https://example.org/mine.git@main\nother @ https://example.org/other-1-py3-none-any.whl\n-e ./tool\ntorch==2.4.0\n")
        document = self.document(file)
        self.is_torch_2_4(document)
        self.assertEqual(document["not_judged"][:3], ["git+https://example.org/mine.git@main (not from an index)",
                                                      "other @ https://example.org/other-1-py3-none-any.whl (not from an index)",
                                                      "./tool (not from an index)"])

    def test_a_framework_decides(self):
        for line in ("torch @ https://example.org/torch-2.7.1-cp311-cp311-linux_x86_64.whl", "./torch-2.1.0-cp310-cp310-linux_x86_64.whl",
                     "https://example.org/whl/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl", "-e git+https://example.org/fork#egg=torch",
                     "git+https://example.org/pytorch/pytorch.git@main"):
            self.assertEqual(self.answer(self.write("requirements.txt", line + "\ntorchvision==0.19.0\n")), "unknown", line)
        self.assertEqual(self.answer(self.write("requirements.txt", "-e git+https://example.org/mine#egg=mine\ntorchvision==0.19.0\n")), "yes")
        self.assertIn(" is not judged; without it: torchvision==0.19.0 runs on ",
                      self.document(self.write("requirements.txt", "torch @ https://example.org/t-1.whl\ntorchvision==0.19.0\n"))["text"])

    def test_locks_with_several_versions(self):
        lock = "".join(f'[[package]]\nname = "torch"\nversion = "{version}"\nresolution-markers = ["sys_platform == \'{system}\'"]\n'
                       'source = { registry = "https://example.org/simple" }\n' for version, system in (("2.7.1", "darwin"), ("2.8.0", "linux")))
        file = self.write("uv.lock", 'version = 1\nrequires-python = ">=3.10"\n' + lock)
        self.assertTrue(self.first_line(file, hw="p100", exit_code=1).startswith("No: torch 2.8.0 has no kernels for P100"))
        extras = self.write("uv.lock", 'version = 1\n' + lock.replace("sys_platform == 'darwin'", "extra == 'cpu'").replace("sys_platform == 'linux'", "extra == 'gpu'") +
                            '[[package]]\nname = "torchaudio"\nversion = "2.7.1"\nsource = { registry = "https://example.org/simple" }\n')
        self.assertTrue(self.first_line(extras).startswith("Unknown: torch (locked to several versions, by platform) is not judged; "))

    def test_nothing_else_is_named(self):
        file = self.write("requirements.txt", "torch @ https://example.org/torch-1.whl\n")
        self.assertEqual(self.refused(file), "nothing to check: no package is named there but torch @ https://example.org/torch-1.whl (not from an index), which cannot be judged")

    def test_poetry_says_where_a_package_is_installed(self):
        file = self.write("poetry.lock", '[[package]]\nname = "torch"\nversion = "2.6.0"\n'
                                         '[[package]]\nname = "xformers"\nversion = "0.0.20"\nmarkers = "sys_platform == \\"win32\\""\n')
        self.assertEqual(self.answer(file), "yes")

    def test_a_directory_of_that_name_is_told(self):
        (self.scratch / "project").mkdir()
        self.write("project/requirements.txt", "torch\n")
        document = self.document("project", cwd=self.scratch)
        self.assertEqual(document["answer"], "unknown")
        self.assertIn("project is a directory here, too; what is in it is ./project; a project in it: project/requirements.txt", document["notes"])

    def test_pips_r_is_explained(self):
        self.assertTrue(self.refused("-r", "requirements.txt").startswith("check has no option -r: files stand for themselves, as in "))
