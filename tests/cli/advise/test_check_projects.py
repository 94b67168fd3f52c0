"""`stackx check` and `advise --project`: what a project's file says of indexes, its extras and groups, and demands that contradict each other."""

from check_base import Check

PYTORCH = "https://download.pytorch.org/whl/"
UV = f"""[project]
name = "demo"
dependencies = ["torch==2.7.1"]
[tool.uv.sources]
torch = [{{ index = "pytorch-cu128", marker = "sys_platform == 'linux'" }}]
[[tool.uv.index]]
name = "pytorch-cu128"
url = "{PYTORCH}cu128"
explicit = true
"""
EXTRAS = f"""[project]
name = "demo"
dependencies = []
[project.optional-dependencies]
cpu = ["torch>=2.7.0"]
cu128 = ["torch==2.7.1"]
[dependency-groups]
dev = [{{ include-group = "lint" }}]
lint = ["jax==0.6.2"]
[tool.uv]
conflicts = [[{{ extra = "cpu" }}, {{ extra = "cu128" }}]]
[tool.uv.sources]
torch = [{{ index = "pytorch-cpu", extra = "cpu" }}, {{ index = "pytorch-cu128", extra = "cu128" }}]
[[tool.uv.index]]
name = "pytorch-cpu"
url = "{PYTORCH}cpu"
explicit = true
[[tool.uv.index]]
name = "pytorch-cu128"
url = "{PYTORCH}cu128"
explicit = true
"""
PIPFILE = f"""[[source]]
name = "pypi"
url = "https://pypi.org/simple"
[[source]]
name = "pytorch"
url = "{PYTORCH}cu128"
[packages]
torch = {{version = "==2.7.1", index = "pytorch"}}
"""
POETRY = f"""[tool.poetry.dependencies]
python = "^3.10"
torch = {{version = "2.7.1", source = "pytorch"}}
[[tool.poetry.source]]
name = "pytorch"
url = "{PYTORCH}cu128"
priority = "explicit"
"""
PDM = f"""[project]
dependencies = ["torch==2.7.1"]
[[tool.pdm.source]]
name = "torch"
url = "{PYTORCH}cu128"
include_packages = ["torch"]
"""


class Indexes(Check):
    def build(self, name, text, *options, hw="b200"):
        return self.document(self.write(name, text), *options, hw=hw, exit_code=None)["stack"].get("torch")

    def test_a_project_names_another_build(self):
        # CUDA 12.8 dropped Volta; the usual index has CUDA 12.6 of this release.
        for name, text in (("pyproject.toml", UV), ("Pipfile", PIPFILE), ("pyproject.toml", POETRY), ("pyproject.toml", PDM)):
            file = self.write(name, text)
            with self.subTest(text):
                self.assertTrue(self.first_line(file, hw="v100", exit_code=1).startswith("No: torch 2.7.1+cu128 has no kernels for V100"))
                document = self.document(file, hw="v100", exit_code=1)
                self.assertEqual(document["nearest"]["changes"], [{"name": "index", "from": "PyTorch's for cu128", "to": "the usual index"}])
                document = self.document(file, hw="b200")
                self.assertEqual((document["answer"], document["stack"]["torch"]), ("yes", "2.7.1+cu128"))
                self.assertIn("torch is taken from PyTorch's index for cu128 alone", document["notes"])

    def test_markers_decide(self):
        self.assertEqual(self.build("pyproject.toml", UV.replace("== 'linux'", "== 'win32'")), "2.7.1")
        aarch64 = UV.replace("sys_platform == 'linux'", "platform_machine == 'aarch64'")
        self.assertEqual(self.build("pyproject.toml", aarch64), "2.7.1")
        self.assertEqual(self.build("pyproject.toml", aarch64, "--platform", "linux aarch64"), "2.7.1+cu128")

    def test_an_index_for_all(self):
        project = '[project]\ndependencies = ["torch==2.7.1"]\n[tool.uv]\n'
        for setting in (f'extra-index-url = ["{PYTORCH}cu128"]', f'index-url = "{PYTORCH}cu128"', f'[[tool.uv.index]]\nurl = "{PYTORCH}cu128"'):
            self.assertEqual(self.build("pyproject.toml", project + setting), "2.7.1+cu128", setting)

    def test_from_no_index(self):
        file = self.write("pyproject.toml", UV.replace('{ index = "pytorch-cu128", marker', '{ git = "https://example.org/torch", marker').replace('"torch==2.7.1"', '"torch", "jax[cuda12]==0.6.2"'))
        self.assertRegex(self.first_line(file), r"^Unknown: torch \(from git\) is not judged; without it: jax\[cuda12\]==0.6.2 runs on H100")
        file = self.write("pyproject.toml", '[project]\ndependencies = ["torch @ https://example.org/torch.whl", "jax[cuda12]==0.6.2"]\n')
        self.assertRegex(self.first_line(file), r"^Unknown: torch @ https://example.org/torch.whl \(not from an index\) is not judged; ")

    def test_an_index_of_which_nothing_is_known(self):
        file = self.write("pyproject.toml", UV.replace(PYTORCH + "cu128", "https://me:secret@example.org/simple"))
        said = self.check(file).stdout
        self.assertIn('Note: torch is judged as the usual index has it; the builds of the index "pytorch-cu128" are not known here.', said)
        self.assertNotIn("secret", said)

    def test_an_index_of_its_own_before_a_first_one(self):
        first = UV.replace("explicit = true\n", "")
        for index in ("pypi", "corp"):
            own = first.replace('{ index = "pytorch-cu128", marker', f'{{ index = "{index}", marker')
            own += f'[[tool.uv.index]]\nname = "{index}"\nurl = "https://{"pypi.org" if index == "pypi" else "example.org"}/simple"\nexplicit = true\n'
            file = self.write("pyproject.toml", own)
            self.assertEqual(self.document(file, hw="h100", exit_code=None)["stack"].get("torch"), "2.7.1", own)
            self.assertNotRegex(self.check(file, hw="h100", exit_code=None).stdout, r"\btorch\b[^.]* taken from PyTorch's index")

    def test_what_contradicts_itself_does_so_on_every_index(self):
        changes = self.document("torch==2.4.0", "torch==2.5.0", "--index-url", f"{PYTORCH}cu121", hw="a100", exit_code=1)["nearest"]["changes"]
        self.assertEqual([one["name"] for one in changes], ["torch"])

    def test_what_fails_is_not_of_the_index(self):
        file = self.write("pyproject.toml", UV.replace('"torch==2.7.1"', '"torch==2.7.1", "jax"'))
        changes = self.document(file, exit_code=1)["nearest"]["changes"]
        self.assertEqual(changes[0]["name"], "jax[cuda12]")

    def test_advise_takes_it_from_there(self):
        for name, text in (("pyproject.toml", UV), ("requirements.txt", f"--index-url {PYTORCH}cu128\ntorch==2.7.1\n")):
            file = self.write(name, text)
            advise = ("advise", "--workload", "matmul", "--project", file)
            self.assertTrue(self.stackx(*advise, "--hw", "h100").stdout.startswith("Run torch 2.7.1+cu128 "), name)
            said = self.stackx(*advise, "--hw", "v100", exit_code=1).stdout
            self.assertTrue(said.startswith("No stack to run matmul on V100: torch 2.7.1+cu128 has no kernels for V100"), said)
            self.assertIn("The nearest that runs: the usual index instead of PyTorch's for cu128.", said)


class Parts(Check):
    def test_extras_choose_the_index(self):
        file = self.write("pyproject.toml", EXTRAS)
        self.assertEqual(self.document(file, "--extra", "CU128", hw="b200")["stack"]["torch"], "2.7.1+cu128")
        self.assertRegex(self.first_line(file, "--extra", "cpu", exit_code=1), r"^No: torch 2\.\S+\+cpu is built for CPUs ")
        self.assertTrue(self.stackx("advise", "--workload", "matmul", "--project", file, "--extra", "cu128", "--hw", "h100").stdout.startswith("Run torch 2.7.1+cu128 "))

    def test_groups_and_what_they_include(self):
        file = self.write("pyproject.toml", EXTRAS)
        self.assertEqual(self.document(file, "--group", "dev", hw="epyc 7763")["stack"]["jax"], "0.6.2")
        both = self.document(file, "--group", "dev", "--extra", "cu128", hw="epyc 7763", exit_code=None)["stack"]
        self.assertEqual((both["jax"], both["torch"]), ("0.6.2", "2.7.1+cu128"))

    def test_a_lock_of_uv(self):
        versions = "".join(f'[[package]]\nname = "torch"\nversion = "2.7.1{build}"\nsource = {{ registry = "{PYTORCH}x" }}\n' for build in ("+cpu", "+cu128"))
        file = self.write("uv.lock", 'version = 1\n[[package]]\nname = "demo"\nversion = "1"\nsource = { virtual = "." }\n'
                          '[package.optional-dependencies]\ncpu = [{ name = "torch", version = "2.7.1+cpu" }]\ncu128 = [{ name = "torch", version = "2.7.1+cu128" }]\n' + versions)
        self.assertEqual(self.document(file, "--extra", "cu128", hw="b200")["stack"]["torch"], "2.7.1+cu128")

    def test_names_that_there_are_not(self):
        file = self.write("pyproject.toml", EXTRAS)
        self.assertIn('there is no extra "cu126" here, but cpu, cu128', self.refused(file, "--extra", "cu126"))
        self.assertIn('there is no dependency group "test" here, but dev, lint', self.refused(file, "--group", "test"))
        self.assertIn("--extra gpu: it is of a project's file", self.refused("torch", "--extra", "gpu"))
        self.assertIn("a pyproject.toml or uv.lock has extras of its own", self.refused(self.write("requirements.txt", "torch\n"), "--extra", "gpu"))
        self.assertIn("what is optional counts where it is named: --extra, --group", self.refused(file))


class Contradictions(Check):
    def test_two_versions(self):
        document = self.document("torch==2.4.0", "torch==2.5.0", hw="a100", exit_code=1)
        self.assertEqual(document["text"], "torch==2.4.0 and torch==2.5.0 cannot both be had")
        self.assertEqual(document["nearest"]["changes"], [{"name": "torch", "from": "2.4.0", "to": "2.5.0"}])
        self.assertEqual(document["nearest"]["install"], ["torch==2.5.0"])
        self.assertEqual(self.first_line("torch==2.4.0", "torch>=2.5", exit_code=1), "No: torch==2.4.0 and torch>=2.5 cannot both be had.")
        self.assertEqual(self.first_line("numpy==1.2", "numpy==1.3", "torch", exit_code=1), "No: numpy==1.2 and numpy==1.3 cannot both be had.")
        self.assertEqual(self.document("numpy==1.2", "numpy==1.3", "torch", exit_code=1)["nearest"]["changes"], [{"name": "numpy", "from": "1.2", "to": "1.3"}])
        file = self.write("requirements.txt", "torch==2.4.0\ntorch==2.5.0\n")
        self.assertRegex(self.first_line(file, exit_code=1), r"^No: torch==2.4.0 \(\S*requirements.txt:1\) and torch==2.5.0 \(\S*requirements.txt:2\) cannot both be had\.$")

    def test_a_range_with_nothing_in_it(self):
        self.assertEqual(self.first_line("torch>=2.4,<2.4", exit_code=1), "No: no version of torch is >=2.4,<2.4; the nearest known are 2.3.1 and 2.4.0.")
        self.assertEqual(self.first_line("torch>=2.4.2,<2.5", exit_code=1), "No: no release of torch is >=2.4.2,<2.5; the nearest known are 2.4.1 and 2.5.0.")
        document = self.document("torch>=2.4.2,<2.5", exit_code=1)
        self.assertEqual(document["nearest"]["install"], ["torch==2.5.0"])
        self.assertEqual(self.first_line("numpy>=2,<2", exit_code=1), "No: no version of numpy is >=2,<2.")
        self.assertEqual(self.answer("torch>=99"), "unknown")
