"""Recipes of answers that are Python packages, in all formats, run by the tools they are for: pip, uv, pipenv, bash, Slurm, podman.

The answers are those of tests/advisor/recipes/answers.hpp, written by the program write_recipe (STACKX_WRITE_RECIPE). PyTorch's index and
most of what installers would download are stood in for (stand_in_index.py); what is resolved or run with the real index says so."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

from harness import KEPT, ROOT, STACKX, cases
from python_stack import HERE, container_engine
from recipe_base import DATA, Containers, Recipes
from slurm import Slurm, why_no_slurm
from stand_in_index import StandIn

PYTORCH, VLLM = "https://download.pytorch.org/whl", "https://wheels.vllm.ai/rocm"
BASE = ("ca-certificates", "python3", "python3-distutils", "python3-pip")  # Debian's own Python for that of Docker's image
# In place of python/: says what it was started with and which packages are there.
PI = """import importlib.metadata, json, sys
if sys.argv[1] != "-":
    sys.path.append(sys.argv[1])
print(json.dumps({"words": sys.argv[3:], "packages": {one.metadata["Name"]: one.version for one in importlib.metadata.distributions()}}))
"""


def tool(name):
    """A program beside this Python, or on PATH."""
    beside = pathlib.Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


class Answers(Recipes):
    """`written`: {answer: {format: text}}, with the stand-in for PyTorch's index in its place."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.written, cls.pinned = {}, {}
        program = os.environ.get("STACKX_WRITE_RECIPE")
        if not program:
            return
        with tempfile.TemporaryDirectory(prefix="stackx-test-") as scratch:
            subprocess.run([program, "answers", scratch, DATA], check=True)
            for answer in sorted(pathlib.Path(scratch).iterdir()):
                cls.written[answer.name] = {file.name: file.read_text() for file in answer.iterdir()}
        for answer, files in cls.written.items():
            lines = [line for line in files["requirements"].splitlines() if line and line[0] not in "#-"]
            cls.pinned[answer] = {re.sub(r"\[.*", "", name): version for name, version in (line.split("==") for line in lines)}

    def setUp(self):
        super().setUp()
        self.assertGreaterEqual(len(self.written), 12)
        self.now = ""
        self.index = StandIn()
        self.addCleanup(self.index.server_close)
        self.addCleanup(self.index.shutdown)
        for packages in self.pinned.values():
            for name, version in packages.items():
                self.index.add_answer(name, version, version.partition("+")[2])
        self.environment = {name: value for name, value in self.environment.items()
                            if not name.startswith(("UV_", "PIP_")) and not name.lower().endswith("_proxy")}
        self.environment.update(PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL=self.index.url + "/simple", PIP_DISABLE_PIP_VERSION_CHECK="1",
                                PIP_NO_CACHE_DIR="1", UV_DEFAULT_INDEX=self.index.url + "/simple", UV_NO_CACHE="1", UV_PYTHON_DOWNLOADS="never",
                                UV_PYTHON=sys.executable, UV_NO_CONFIG="1")

    def text(self, answer, form):
        """With indexes that are here."""
        text = self.written[answer][form].replace(PYTORCH, self.index.url + "/whl").replace(VLLM, self.index.url + "/rocm")
        return text.replace("https://pypi.org/simple", self.index.url + "/simple")

    def each(self, form):
        """(answer, text), of those that have the form: no image is known for Intel's GPUs, no Pipfile for builds whose index has what they require."""
        refused = [answer for answer, files in self.written.items() if form + ".refused" in files]
        self.assertLessEqual(set(refused), {"torch-rocm", "torch-xpu", "vllm-rocm"} if form != "pylock" else set(self.written))
        for answer in (one for one in self.written if one not in refused):
            self.now = f"{answer}, {form}"  # for messages
            yield answer, self.text(answer, form)

    def some(self, form):
        """All under --thorough: each installs into an environment of its own, which takes its time."""
        return [(answer, text) for answer, text in self.each(form) if cases(0, 1) == 1 or answer in ("torch-cu126", "jax-cuda12", "vllm", "numpy")]

    def check_packages(self, answer, found):
        """All that is pinned is there, in that version."""
        found = {name.lower().replace("_", "-"): version for name, version in found.items()}
        self.assertLessEqual(self.pinned[answer].items(), found.items(), self.now)

    def checked_run(self, *words, **options):
        options.setdefault("env", self.environment)
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900, **options)
        self.assertEqual(done.returncode, 0, f"{self.now}: {words}\n{done.stdout}\n{done.stderr}")
        return done

    def look_alike(self):
        """A directory that STACKX_PI may name."""
        place = self.scratch / "pi"
        if not place.exists():
            (place / "python").mkdir(parents=True)
            (place / "python" / "bootstrap.py").write_text(PI)
        return place

    def check_output(self, answer, output, everything=True):
        """What the look-alike PI says, or the test that imports."""
        last = output.strip().splitlines()[-1]
        if "bootstrap.py" not in self.written[answer]["sbatch"]:
            version = next(iter(re.findall(r"print\('([^']+)'", self.written[answer]["docker"].replace("'\\''", "'"))), answer)
            self.assertIn(self.pinned[answer].get(version, version), output)
            return
        said = json.loads(last)
        self.assertEqual(said["words"][0], re.search(r"# .*?: (\w+)[: ]", self.written[answer]["conda"]).group(1))
        if everything:
            self.check_packages(answer, said["packages"])


class Parsed(Answers):
    def test_projects_and_lines(self):
        for answer, text in self.each("pipfile"):
            document = tomllib.loads(text)
            names = {source["name"] for source in document.get("source", [])}
            self.assertEqual(set(document["packages"]), set(self.pinned[answer]))
            for pin in document["packages"].values():
                self.assertIn(pin.get("index", "pypi") if isinstance(pin, dict) else "pypi", names or {"pypi"})
        for answer, text in self.each("uv"):
            document = tomllib.loads(text)
            self.assertEqual(len(document["project"]["dependencies"]), len(self.pinned[answer]))
            self.assertEqual([one["name"] for one in document["tool"]["uv"].get("index", [])],
                             sorted({one["index"] for one in document["tool"]["uv"].get("sources", {}).values()}))
        for answer, text in self.each("docker"):
            subprocess.run(["bash", "-n", self.write("line.sh", text)], check=True)
            self.assertEqual(shlex.split(text, comments=True)[:2], ["docker", "run"])
            self.assertEqual("--gpus all" in text, "NVIDIA driver" in text)
        for answer, text in self.each("install-line"):
            self.assertEqual(shlex.split(text)[:2], ["pip", "install"])

    def test_conda_environments_ask_pip_for_the_same(self):
        try:
            import yaml
        except ImportError:
            self.skipTest(f"no PyYAML in {sys.executable}")
        for answer, text in self.each("conda"):
            document = yaml.safe_load(text)
            python, pip, section = document["dependencies"]
            self.assertEqual((python, pip), ("python=" + self.written[answer]["python"].strip(), "pip"))
            requirements = [line for line in self.text(answer, "requirements").splitlines() if not line.startswith("#")]
            self.assertEqual(section["pip"], requirements)  # which test_pip gives to pip

    def test_pods_are_valid(self):
        try:
            import kubernetes_validate
            import yaml
        except ImportError:
            self.skipTest(f"no kubernetes-validate in {sys.executable}")
        for _, text in self.each("pod"):
            kubernetes_validate.validate(yaml.safe_load(text), "1.27", strict=True)


class Resolved(Answers):
    """By installers, on the stand-in indexes: each takes what was pinned, from the index that has it."""

    def reported(self, text):
        return {one["metadata"]["name"]: one["metadata"]["version"] for one in json.loads(text)["install"]}

    def test_pip(self):
        for answer, text in self.each("requirements"):
            options = ["--dry-run", "--quiet", "--ignore-installed", "--report", "-"]
            done = self.checked_run(sys.executable, "-m", "pip", "install", *options, "-r", self.write("requirements.txt", text))
            self.check_packages(answer, self.reported(done.stdout))
        for answer, line in self.each("install-line"):
            words = [word for word in shlex.split(line)[2:] if not word.startswith("-")]
            asked = [word for word in self.text(answer, "requirements").split("\n") if word and not word.startswith("#")]
            if answer == "vllm-rocm":
                asked.remove("torch==2.13.0+git733fca1")  # which vllm is pinned to
            self.assertEqual(sorted(words), sorted(word.removeprefix("--extra-index-url ") for word in asked))
            if cases(0, 1) == 0 and answer not in ("torch-cu126", "jax-cuda12", "transformers-cu126"):
                continue
            shell = f'pip() {{ {shlex.quote(sys.executable)} -m pip "$@" {shlex.join(options)}; }}; {line}'
            self.check_packages(answer, self.reported(self.checked_run("sh", "-c", shell).stdout))

    def uv(self):
        if not tool("uv"):
            self.skipTest("no uv")
        return tool("uv")

    def test_uv_takes_requirements_and_lines_as_they_say(self):
        uv = self.uv()
        for answer, text in self.each("requirements"):
            words = (re.search(r"# uv (pip install .*) -r THIS", text) or re.search(r"# (pip install)", text)).group(1).split()
            file = self.write("requirements.txt", text)
            done = self.checked_run(uv, *words, "--dry-run", "--target", self.scratch / "t", "-r", file)
            self.check_packages(answer, dict(re.findall(r"^ \+ ([^=\s]+)==(\S+)", done.stderr, re.M)))
            if "numpy" in self.pinned[answer] and "--extra-index-url" in text:  # what the option is for
                done = subprocess.run([uv, "pip", "install", "--dry-run", "--target", self.scratch / "t", "-r", file], capture_output=True,
                                      text=True, env=self.environment)
                self.assertIn("first index", done.stderr)

    def test_uv_locks_and_installs_projects(self):
        uv = self.uv()
        for answer, text in self.each("uv"):
            place = self.scratch / answer
            place.mkdir()
            # Other Pythons than this one need not be here.
            (place / "pyproject.toml").write_text(re.sub(r"requires-python = .*", f'requires-python = "=={HERE}.*"', text))
            # What stands in the project counts, as it does where it is used.
            self.checked_run(uv, "sync", "--quiet", cwd=place, env={name: value for name, value in self.environment.items() if name != "UV_NO_CONFIG"})
            code = "import importlib.metadata as m, json; print(json.dumps({one.metadata['Name']: one.version for one in m.distributions()}))"
            self.check_packages(answer, json.loads(self.checked_run(place / ".venv" / "bin" / "python", "-c", code).stdout))

    def test_what_a_refused_lock_names_instead(self):
        from packaging.pylock import Pylock
        uv = self.uv()
        for answer, said in self.each("pylock.refused"):
            words = shlex.split(re.search(r"uv (pip compile .*)$", said).group(1))
            self.write("requirements.txt", self.text(answer, "requirements"))
            self.checked_run(uv, *words, cwd=self.scratch)
            lock = Pylock.from_dict(tomllib.loads((self.scratch / "pylock.toml").read_text()))
            self.check_packages(answer, {package.name: str(package.version) for package in lock.packages})
            (self.scratch / "pylock.toml").unlink()

    def test_pipenv_locks(self):
        pipenv = tool("pipenv")
        if not pipenv:
            self.skipTest("no pipenv")
        for answer, text in self.some("pipfile"):
            place = self.scratch / answer
            place.mkdir()
            (place / "Pipfile").write_text(re.sub(r'python_version = ".*"', f'python_version = "{HERE}"', text))
            self.checked_run(pipenv, "lock", "--python", sys.executable, cwd=place,
                             env=dict(self.environment, PIPENV_VENV_IN_PROJECT="1", PIPENV_IGNORE_VIRTUALENVS="1", PIPENV_YES="1"))
            locked = json.loads((place / "Pipfile.lock").read_text())["default"]
            self.check_packages(answer, {name: one["version"].lstrip("=") for name, one in locked.items()})

    def test_uv_resolves_them_on_the_real_index(self):
        """Metadata only, each for its own Python; a few, all with --thorough: vLLM's takes a minute. PyTorch's index is not asked."""
        uv = self.uv()
        environment = {name: value for name, value in os.environ.items() if name not in ("UV_PYTHON", "UV_NO_CACHE")}
        environment["UV_CACHE_DIR"] = str(KEPT / "uv")
        for answer, files in self.written.items():
            if PYTORCH in files["requirements"] or VLLM in files["requirements"] or (cases(0, 1) == 0 and answer not in ("jax-cuda12", "numpy", "onnxruntime", "tensorflow")):
                continue
            with self.subTest(answer=answer):
                lines = self.run_tool(uv, "pip", "compile", "--quiet", "--no-annotate", "--no-header", "--python-platform", "x86_64-manylinux_2_31",
                                      "--python-version", files["python"].strip(), self.write("requirements.in", files["requirements"]), env=environment)
                self.check_packages(answer, dict(re.findall(r"^([^=\s\[]+)(?:\[[^\]]*\])?==(\S+)", lines, re.M)))


class Batch(Answers):
    def variables(self):
        return dict(self.environment, STACKX_PI=str(self.look_alike()), STACKX_PYTHON=os.path.realpath(sys.executable))

    def test_bash_runs_batch_scripts(self):
        """As Slurm would, were there one: without what its directives ask for."""
        if not why_no_slurm() and cases(0, 1) == 0:
            self.skipTest("Slurm runs them")
        for answer, text in self.some("sbatch"):
            self.check_output(answer, self.checked_run("bash", self.write("job.sbatch", text), env=self.variables(), cwd=self.scratch).stdout)

    def test_a_script_without_its_python_says_so(self):
        text = self.text("numpy", "sbatch").replace("python3.11", "python3.99").replace("python3.12", "python3.98")
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, env=dict(self.environment, STACKX_PI="."), cwd=self.scratch)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no python3.99 python3.98 on this node", done.stderr)

    def test_slurm_runs_batch_scripts(self):
        why = why_no_slurm()
        if why:
            self.skipTest(why)
        gpus = sorted({type_ for files in self.written.values() for type_ in re.findall(r"--gres=gpu:(\w+):1", files["sbatch"])})
        slurm = Slurm(self.scratch / "slurm", gpus)
        self.addCleanup(slurm.stop)
        slurm.start()
        subprocess.run(["chmod", "755", self.scratch], check=True)  # munged asks for a way to its socket
        jobs = {answer: slurm.submit(self.write(f"{answer}.sbatch", text), self.scratch, self.variables()) for answer, text in self.some("sbatch")}
        for answer, job in jobs.items():
            with self.subTest(answer=answer):
                state = slurm.wait(job)
                output = next(self.scratch.glob(f"*-{job}.out")).read_text()
                self.assertEqual(state, "COMPLETED", output)
                self.check_output(answer, output)


class Contained(Containers, Answers):
    """Containerfiles are built and `docker run` lines run by podman, on Debian's Python under the name of Docker's image."""

    def setUp(self):
        super().setUp()
        if container_engine() or not shutil.which("podman"):
            self.skipTest("no container engine works here: " + (container_engine() or "podman is needed"))
        shutil.copytree(self.look_alike(), self.scratch / "context")

    def base_of(self, answer):
        base = re.search(r"(?m)^FROM (\S+)$", self.written[answer]["containerfile"]).group(1)
        self.assertRegex(base, r"^docker\.io/library/python:3\.\d+-slim-bookworm$")
        self.bring(base, BASE)

    def pip_conf(self, index=""):
        """Mounted where root's pip looks: Debian's Python stands in for Docker's, whose packages are pip's to change."""
        file = self.write("pip.conf", "[global]\nbreak-system-packages = true\n" + (f"index-url = {index}\n" if index else ""))
        return "--volume", f"{file}:/root/.config/pip/pip.conf:ro"

    def built(self, text, context, index=""):
        file = self.write("Containerfile", text)
        image = self.run_tool("podman", "build", "--quiet", "--pull=never", "--layers=false", *self.settings(), *self.pip_conf(index), "-f", file,
                              context).split()[-1]
        self.addCleanup(subprocess.run, ["podman", "rmi", "--force", image], capture_output=True)
        return self.run_tool("podman", "run", "--rm", "--network=none", *self.limits(), image)

    def docker(self, *options):
        """A program `docker` that is podman without a GPU and without a registry."""
        place = self.scratch / "bin"
        place.mkdir()
        words = shlex.join(["--pull=never", "--network=host", *self.limits(), *options])
        (place / "docker").write_text('#!/bin/bash\nshift\nwords=()\nwhile [ $# -gt 0 ]; do\n  [ "$1" = --gpus ] && shift 2 && continue\n'
                                      f'  words+=("$1"); shift\ndone\nexec podman run {words} "${{words[@]}}"\n')
        (place / "docker").chmod(0o755)
        return dict(os.environ, PATH=f"{place}:{os.environ['PATH']}")

    def test_containerfiles(self):
        for answer, text in self.some("containerfile"):
            self.base_of(answer)
            self.check_output(answer, self.built(text, self.scratch / "context", self.index.url + "/simple"))

    def test_docker_lines(self):
        environment = dict(self.docker(*self.pip_conf(self.index.url + "/simple")), STACKX_PI=str(self.look_alike()))
        for answer, text in self.some("docker"):
            self.base_of(answer)
            self.check_output(answer, self.run_tool("bash", self.write("line.sh", text), env=environment))

    def test_cuda_of_an_image_too_old_for_stackx(self):
        """NVIDIA's image is stood in for by one with files where it has them; stackx-pi starts on what is made of it."""
        old, base = "docker.io/nvidia/cuda:10.1-cudnn7-runtime-ubuntu18.04", "docker.io/library/debian:bookworm-slim"
        text = self.recipe("containerfile", self.gpu({"cuda": "==10.1.243", "cudnn": "==7.6.*"}))
        self.assertIn(f"FROM {old} AS cuda\nFROM {base}\n", text)
        self.bring(base)
        if subprocess.run(["podman", "image", "exists", old]).returncode == 0:
            self.skipTest(f"{old} itself is here")
        script = ("mkdir -p /usr/local/cuda-10.1/targets/x86_64-linux/lib && ln -s targets/x86_64-linux/lib /usr/local/cuda-10.1/lib64 && "
                  "ln -s cuda-10.1 /usr/local/cuda && touch /usr/local/cuda/lib64/libcudart.so.10.1 && cd /usr/lib/x86_64-linux-gnu && "
                  "touch libcublas.so.10 libcudnn.so.7.6.5 && ln -s libcudnn.so.7.6.5 libcudnn.so.7")
        file = self.write("Old", f"FROM {base}\nRUN {json.dumps(['sh', '-ec', script])}\n")
        self.run_tool("podman", "build", "--quiet", "--pull=never", "--tag", old, "-f", file, self.scratch)
        self.addCleanup(subprocess.run, ["podman", "rmi", "--force", old], capture_output=True)
        context = self.scratch / "native"
        context.mkdir()
        shutil.copy(pathlib.Path(STACKX).with_name("stackx-pi"), context)
        look = ["sh", "-ec", "ls $(echo $LD_LIBRARY_PATH | tr : ' '); exec /opt/stackx/stackx-pi --version"]
        said = self.built(re.sub("ENTRYPOINT .*", lambda _: "ENTRYPOINT " + json.dumps(look), text), context)
        for name in ("libcudart.so.10.1", "libcublas.so.10", "libcudnn.so.7", "stackx-pi"):
            self.assertIn(name, said)

    def test_a_cpu_answer_with_the_real_index_and_the_real_pi(self):
        answer = "onnxruntime"
        if self.written[answer]["python"].strip() != "3.11":
            self.skipTest("Debian 12 has Python 3.11")
        self.base_of(answer)
        shutil.copytree(ROOT / "kernels" / "python", self.scratch / "real" / "python")
        said = json.loads(self.built(self.written[answer]["containerfile"], self.scratch / "real").splitlines()[-1])
        self.assertEqual((said["component"], said["check"]["pass"]), ("onnxruntime", True))
        self.assertIn(self.pinned[answer]["onnxruntime"], json.dumps(said))
        if cases(0, 1) == 0:  # the same packages again, a minute of downloads
            return
        mounts = [word for path in ("/etc/pip.conf", "/etc/ssl/certs") if os.path.exists(path) for word in ("-v", f"{path}:{path}:ro")]
        names = [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "no_proxy", "pip_index_url", "pip_cert")]
        environment = dict(self.docker(*mounts, *self.pip_conf(), *(word for name in names for word in ("-e", name))), STACKX_PI=str(self.scratch / "real"))
        said = json.loads(self.run_tool("bash", self.write("line.sh", self.written[answer]["docker"]), env=environment).splitlines()[-1])
        self.assertEqual((said["component"], said["check"]["pass"]), ("onnxruntime", True))
