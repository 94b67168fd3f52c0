"""Thoth's documents: Amun inspection specifications and Pipfile.lock, against a small index on this machine."""

import base64
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import zipfile

from harness import BlackBox
from test_import_pypi import Index, sdist, wheel

HERE = "%d.%d" % sys.version_info[:2]  # a Python that this machine has
NOWHERE = "3.99"
MATMUL = "https://raw.example/thoth-station/performance/master/tensorflow/matmul.py"


def sha256(file):
    return hashlib.sha256(file[1]).hexdigest()


class Thoth(BlackBox):
    def setUp(self):
        super().setUp()
        for name in [name for name in self.environment if name.lower().endswith("_proxy") or name.startswith("PIP_")]:
            del self.environment[name]
        self.index = Index()
        self.addCleanup(self.index.server_close)
        self.addCleanup(self.index.shutdown)
        self.tensorflow = wheel("tensorflow", "2.2.0", ["six>=1.12"])
        self.six = wheel("six", "1.15.0")
        self.archive = sdist("wrapt", "1.12.1", "")
        self.index.add("tensorflow", self.tensorflow)
        self.index.add("tensorflow", wheel("tensorflow", "2.3.0", ["six>=1.12"]))
        self.index.add("six", self.six)
        self.index.add("six", wheel("six", "1.16.0"))
        self.index.add("wrapt", self.archive)

    def pipfile(self, python=HERE):
        return {"packages": {"tensorflow": {"index": "pypi", "version": "*"}}, "dev-packages": {},
                "source": [{"name": "pypi", "url": "https://index.example/simple", "verify_ssl": True}],
                "requires": {"python_version": python}}

    def lock(self, python=HERE, **more):
        packages = {"tensorflow": {"version": "==2.2.0", "hashes": ["sha256:" + sha256(self.tensorflow)]},
                    "six": {"version": "==1.15.0", "hashes": ["sha256:" + "0" * 64, "sha256:" + sha256(self.six)]},
                    "wrapt": {"version": "==1.12.1", "hashes": ["sha256:" + sha256(self.archive)]},
                    "typing": {"version": "==3.7", "hashes": ["sha256:" + "1" * 64], "markers": "python_version < '3'"}}
        packages.update(more)
        return {"_meta": {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": {"python_version": python},
                          "sources": [{"name": "pypi", "url": "https://index.example/simple", "verify_ssl": True}]},
                "default": packages, "develop": {}}

    def specification(self, release=HERE, **changes):
        document = {"base": "quay.example/s2i-thoth-ubi8-py" + release.replace(".", ""), "batch_size": "3",
                    "identifier": "tf-matmul", "packages": ["which", "python3-pip", "no-such-rpm"],
                    "python_packages": ["micropipenv[toml]"], "package_manager": "micropipenv", "files": [],
                    "build": {"requests": {"cpu": "1", "memory": "1Gi"}}, "run": {"requests": {"cpu": "750m", "memory": "2Gi"}},
                    "python": {"requirements": self.pipfile(release), "requirements_locked": self.lock(release)},
                    "script": MATMUL, "@created": "2020-08-05T10:18:40.784041"}
        document.update(changes)
        return self.write("specification.json", {key: value for key, value in document.items() if value is not None})

    def inspect(self, *arguments, exit_code=0, runner=("--runner", "local")):
        """Asking a pip that is configured to nothing, which is quick; test_offline_the_cache_is_enough asks a real one."""
        return self.stackx("inspect", *arguments, *runner, "--index-url", self.index.url, "--pip", shutil.which("true"), exit_code=exit_code)

    def plan(self, *arguments, **options):
        done = self.inspect(*arguments, "--dry-run", "--json", **options)
        return json.loads(done.stdout), done.stderr

    def outcome(self, *arguments):
        """Of an inspection that cannot be made."""
        done = self.inspect(*arguments, "--json", exit_code=1)
        return json.loads(done.stdout), done.stderr


class Jobs(Thoth):
    def test_the_locked_stack_is_what_is_inspected(self):
        plan, said = self.plan("--amun", self.specification())
        self.assertEqual(plan["project"], "tf-matmul")
        self.assertEqual(plan["campaign"]["rounds"], 3)
        self.assertEqual(plan["campaign"]["limits"]["memory_gib"], 2)
        self.assertEqual(plan["campaign"]["limits"]["cpus"], 1)
        self.assertEqual(len(plan["arms"]), 1)
        self.assertEqual(plan["arms"][0]["stack"], {"python": HERE, "tensorflow": "2.2.0", "six": "1.15.0", "wrapt": "1.12.1",
                                                    "framework": "tensorflow"})
        self.assertEqual(plan["arms"][0]["workload"], {"pi": "matmul", "params": {"m": "512", "n": "512", "k": "512", "dtype": "float32"}})
        for words in ("base quay.example/s2i-thoth-ubi8-py", f"Python {HERE}", "our PI matmul", "packages: python3-pip: not installed",
                      "packages: no-such-rpm: not installed", "packages: which: ", "python_packages: micropipenv[toml]: not installed"):
            self.assertIn(words, said)
        self.assertNotIn("/simple/typing", self.index.asked)

    def test_a_specification_is_recognised_as_a_project(self):
        plan, _ = self.plan(self.specification())
        self.assertEqual(plan["project"], "tf-matmul")

    def test_rounds_on_the_command_line_go_before_batch_size(self):
        self.assertEqual(self.plan("--amun", self.specification(), "--rounds", "2")[0]["campaign"]["rounds"], 2)

    def test_environment_is_a_setting(self):
        values = {"OMP_NUM_THREADS": "1", "ODD": "$(touch x); \"y\" 'z'\n`", "MATMUL_MATRIX_SIZE": "64"}
        file = self.specification(environment=[{"name": name, "value": value} for name, value in values.items()])
        plan, _ = self.plan("--amun", file)
        other, _ = self.plan("--amun", self.specification(environment=[{"name": "OMP_NUM_THREADS", "value": "2"}]))
        self.assertEqual(plan["arms"][0]["workload"]["params"]["m"], "64")
        self.assertNotEqual(plan["arms"][0]["stack"]["environment"], other["arms"][0]["stack"]["environment"])

    def test_a_text_is_run_as_it_is(self):
        plan, _ = self.plan("--amun", self.specification(script="#!/usr/bin/env python3\nprint('{}')\n"))
        self.assertRegex(plan["arms"][0]["workload"]["pi"], "^script-[0-9a-f]{12}$")
        written = list((self.scratch / "cache" / "stackx" / "scripts").iterdir())
        self.assertEqual([path.read_text() for path in written], ["#!/usr/bin/env python3\nprint('{}')\n"])
        self.assertNotIn("framework", plan["arms"][0]["stack"])

    def test_an_image_is_taken_where_it_holds_the_python(self):
        plan, said = self.plan("--amun", self.specification("3.9"), runner=("--runner", "container"))
        self.assertEqual(plan["arms"][0]["stack"]["image"], "bullseye")
        self.assertEqual(plan["arms"][0]["stack"]["debian-debianutils"], "suite")
        self.assertEqual(plan["campaign"]["runner"], "container")
        self.assertIn("taken as the image bullseye, which has Python 3.9", said)
        self.assertIn("packages: which: Debian's debianutils", said)

    def test_wheels_for_a_newer_libc_than_the_image_has_are_left_out(self):
        machine = platform.machine()
        old, new = (wheel("solid", "1.0", tags=f"cp39-cp39-manylinux_2_{minor}_{machine}") for minor in (17, 35))
        for file in (old, new):
            self.index.add("solid", file)
        lock = self.lock("3.9", solid={"version": "==1.0", "hashes": ["sha256:" + sha256(old), "sha256:" + sha256(new)]})
        file = self.specification("3.9", python={"requirements": self.pipfile("3.9"), "requirements_locked": lock})
        text = self.inspect("--amun", file, "--dockerfile-only", runner=("--runner", "container")).stdout
        self.assertIn("image bullseye", text)  # glibc 2.31
        self.assertIn(f'"solid==1.0 --hash=sha256:{sha256(old)}"', text)

    def test_the_base_says_which_python_where_nothing_else_does(self):
        plan, _ = self.plan("--amun", self.specification(python=None, script="print(1)"))
        self.assertEqual(plan["arms"][0]["stack"], {"python": HERE})

    def test_a_lock_alone(self):
        file = self.write("Pipfile.lock", self.lock())
        plan, said = self.plan("--pipfile-lock", file, "--workload", "matmul:m=64,n=64,k=64,dtype=float64")
        self.assertEqual(plan["arms"][0]["stack"]["tensorflow"], "2.2.0")
        self.assertEqual(plan["arms"][0]["workload"]["params"]["dtype"], "float64")
        self.assertNotIn("base ", said)
        self.assertIn("names no script", self.plan("--pipfile-lock", file)[1])

    def test_offline_the_cache_is_enough(self):
        file = self.specification()
        self.stackx("inspect", "--amun", file, "--dry-run", "--offline", "--index-url", self.index.url, "--runner", "local", exit_code=3)
        self.plan("--amun", file)
        asked = len(self.index.asked)
        self.stackx("inspect", "--amun", file, "--dry-run", "--offline", "--index-url", self.index.url, "--runner", "local")
        self.assertEqual(len(self.index.asked), asked)


def installable(name, version, text):
    """A wheel with one module, as installers want it."""
    stem = f"{name}-{version}"
    files = {f"{name}.py": text, f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
             f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    rows = ["%s,sha256=%s,%d" % (path, base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode(),
                                 len(content)) for path, content in files.items()]
    files[f"{stem}.dist-info/RECORD"] = "\n".join(rows + [f"{stem}.dist-info/RECORD,,"]) + "\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return f"{stem}-py3-none-any.whl", buffer.getvalue(), files[f"{stem}.dist-info/METADATA"]


class Runs(Thoth):
    """For real: wheels from the index of this test, in the Python that runs it."""

    SCRIPT = """#!/usr/bin/env python3
import json, os, sys
import answer
assert answer.VALUE == 42 and os.environ["ODD"] == '$(touch x) "y"', os.environ.get("ODD")
json.dump({"@parameters": {"name": "own"}, "@result": {"rate": 1.5, "elapsed": 2.0}, "python": sys.version}, sys.stdout)
"""

    def test_a_script_of_its_own_in_the_locked_stack(self):
        if "STACKX_UV" not in os.environ and not shutil.which("uv"):
            uv = pathlib.Path(sys.executable).with_name("uv")
            if not uv.exists():
                self.skipTest("no uv to install wheels with")
            self.environment["STACKX_UV"] = str(uv)
        file = installable("answer", "1.0", "VALUE = 42\n")
        self.index.add("answer", file)
        lock = self.lock()
        lock["default"] = {"answer": {"version": "==1.0", "hashes": ["sha256:" + sha256(file)]}}
        self.environment.update(PIP_INDEX_URL=self.index.url, UV_INDEX_URL=self.index.url)
        document = self.specification(script=self.SCRIPT, environment=[{"name": "ODD", "value": '$(touch x) "y"'}],
                                      python={"requirements": self.pipfile(), "requirements_locked": lock})
        done = self.inspect("--amun", document, "--rounds", "2", "--json")
        self.assertEqual(json.loads(done.stdout)["outcomes"], {"ok": 2}, done.stderr + self.stackx("export").stdout)
        again = self.inspect("--amun", document, "--rounds", "1", "--offline", "--json")
        self.assertEqual(json.loads(again.stdout)["outcomes"], {"ok": 1})


class Outcomes(Thoth):
    def test_a_hash_that_no_file_has(self):
        lock = self.lock(six={"version": "==1.15.0", "hashes": ["sha256:" + "ab" * 32]})
        file = self.specification(python={"requirements": self.pipfile(), "requirements_locked": lock})
        found, said = self.outcome("--amun", file)
        self.assertEqual(found["outcomes"], {"hash_mismatch": 1})
        self.assertIn("six 1.15.0: none of the 1 files that the package index lists has one of the 1 hashes that the lock names "
                      "(abababababab...)", said)
        results = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        kept = [one for one in results if one.get("outcome") == "hash_mismatch"]
        self.assertEqual(len(kept), 1)
        self.assertIn("six 1.15.0", kept[0]["reason"])
        self.assertEqual(kept[0]["stack"]["tensorflow"], "2.2.0")

    def test_a_package_that_the_index_lacks_is_a_failed_build(self):
        lock = self.lock(gone={"version": "==1", "hashes": ["sha256:" + "2" * 64]})
        found, said = self.outcome("--pipfile-lock", self.write("Pipfile.lock", lock))
        self.assertEqual(found["outcomes"], {"build_failed": 1})
        self.assertIn("gone 1: the package index lists no file of this version", said)

    def test_wheels_for_another_platform_are_unsupported(self):
        file = wheel("solid", "1.0", tags="cp27-cp27m-win_amd64")
        self.index.add("solid", file)
        lock = self.lock(solid={"version": "==1.0", "hashes": ["sha256:" + sha256(file)]})
        found, said = self.outcome("--pipfile-lock", self.write("Pipfile.lock", lock))
        self.assertEqual(found["outcomes"], {"unsupported": 1})
        self.assertIn("solid 1.0: the lock has no wheel for CPython", said)

    def test_a_python_that_is_not_here_is_unsupported(self):
        found, said = self.outcome("--amun", self.specification(NOWHERE))
        self.assertEqual(found["outcomes"], {"unsupported": 1})
        self.assertIn(f"Python {NOWHERE}: neither an image of the catalog nor an interpreter of this machine", said)
        self.assertRegex(said, r"interpreters: .*\d\.\d+\.\d+ \(/")
        self.assertIn("--relax python takes the nearest", said)
        self.assertEqual(self.index.asked, [])

    def test_relaxed_the_nearest_python_is_resolved_for(self):
        plan, said = self.plan("--amun", self.specification(NOWHERE), "--relax", "python")
        stack = plan["arms"][0]["stack"]
        self.assertEqual({name: stack[name] for name in ("tensorflow", "six")}, {"tensorflow": "2.3.0", "six": "1.16.0"})
        self.assertRegex(stack["python"], r"^3\.\d+$")
        self.assertNotIn("wrapt", stack)
        self.assertIn("this is NOT the locked stack", said)
        self.assertIn("not needed", self.plan("--amun", self.specification(), "--relax", "python")[1])

    def test_relaxed_in_vain(self):
        pipfile = dict(self.pipfile(NOWHERE), packages={"tensorflow": "==9"})
        file = self.specification(NOWHERE, python={"requirements": pipfile, "requirements_locked": self.lock(NOWHERE)})
        found, said = self.outcome("--amun", file, "--relax", "python")
        self.assertEqual(found["outcomes"], {"unsupported": 1})

    def test_scripts_elsewhere_are_not_fetched(self):
        found, said = self.outcome("--amun", self.specification(script=self.index.url + "/evil.py"))
        self.assertEqual(found["outcomes"], {"unsupported": 1})
        self.assertIn("is not fetched", said)
        self.assertEqual(self.index.asked, [])

    def test_scripts_for_a_shell_and_files_are_unsupported(self):
        found, said = self.outcome("--amun", self.specification(script="#!/bin/sh\necho hi > x"))
        self.assertEqual(found["outcomes"], {"unsupported": 1})
        self.assertIn("a PI for a Python stack is a Python program", said)
        found, said = self.outcome("--amun", self.specification(files=[{"path": "/etc/x", "content": "y"}]))
        self.assertEqual(found["outcomes"], {"unsupported": 1})
        self.assertIn("/etc/x", said)

    def test_another_cpu_is_unsupported(self):
        run = {"requests": {"cpu": "1", "hardware": {"cpu_family": 999, "cpu_model": 1, "processor": "x"}}}
        found, said = self.outcome("--amun", self.specification(run=run))
        self.assertEqual(found["outcomes"], {"unsupported": 1})
        self.assertIn("asks for a CPU of family 999", said)


class Containerfiles(Thoth):
    def print(self, *arguments, **options):
        return self.inspect(*arguments, "--dockerfile-only", **options).stdout

    def instructions(self, text):
        lines = [line for line in text.replace("\\\n", "").splitlines() if line and not line.startswith("#")]
        return [tuple(line.split(" ", 1)) for line in lines]

    def test_a_stack_of_an_image(self):
        text = self.print("--amun", self.specification("3.9"), runner=("--runner", "container"))
        found = self.instructions(text)
        self.assertEqual(found[0], ("FROM", "docker.io/library/debian:bullseye-slim"))
        self.assertIn("mmdebstrap --variant=minbase bullseye", text)
        runs = [json.loads(rest) for word, rest in found if word == "RUN"]
        self.assertEqual(runs[0], ["apt-get", "update"])
        self.assertEqual(runs[1][:5], ["apt-get", "install", "--yes", "--no-install-recommends", "--"])
        self.assertLessEqual({"debianutils", "python3", "python3-pip"}, set(runs[1]))
        self.assertEqual(runs[2][0], "/usr/bin/python3.9")
        self.assertEqual(sorted(runs[2][4:]), [
            f"six==1.15.0 --hash=sha256:{sha256(self.six)}", f"tensorflow==2.2.0 --hash=sha256:{sha256(self.tensorflow)}",
            f"wrapt==1.12.1 --hash=sha256:{sha256(self.archive)}"])
        self.assertIn("--require-hashes", runs[3])
        self.assertIn("--no-deps", runs[3])
        entry = json.loads(dict(found)["ENTRYPOINT"])
        self.assertEqual(entry[0], "/usr/bin/python3.9")
        self.assertEqual(entry[-6:], ["matmul", "dtype=float32", "framework=tensorflow", "k=512", "m=512", "n=512"])

    def test_what_is_written_is_what_is_run(self):
        """The lines that write requirements run here as they would there."""
        text = self.print("--amun", self.specification(NOWHERE))
        self.assertIn(f"FROM docker.io/library/python:{NOWHERE}-slim", text)
        words = next(json.loads(rest) for word, rest in self.instructions(text) if word == "RUN" and "six==" in rest)
        target = self.scratch / "requirements.txt"
        subprocess.run([sys.executable, "-c", words[2].replace("/opt/stackx", str(self.scratch)), target, *words[4:]], check=True)
        self.assertEqual(target.read_text().splitlines(), words[4:])

    def test_odd_values_stay_values(self):
        values = {"A": 'a "b" $HOME \\ $(touch x) `y`', "B": "two\nlines", "C": ""}
        script = "print('a\\\\n')\nprint(\"$HOME 'x'\")\n"
        text = self.print("--amun", self.specification(
            NOWHERE, script=script, environment=[{"name": name, "value": value} for name, value in values.items()]))
        found = self.instructions(text)
        self.assertIn(("ENV", 'A="a \\"b\\" \\$HOME \\\\ \\$(touch x) `y`"'), found)
        self.assertIn(("ENV", 'C=""'), found)
        entry = json.loads(dict(found)["ENTRYPOINT"])
        self.assertEqual(entry[:3], ["/usr/bin/env", "PYTHONPATH=/opt/stackx/site", "B=two\nlines"])
        written = [json.loads(rest) for word, rest in found if word == "RUN" and "script.py" in rest]
        self.assertEqual(written[0][-1], script)
        self.assertEqual({word for word, _ in found}, {"FROM", "ENV", "RUN", "ENTRYPOINT"})

    def test_native_stacks_and_json(self):
        library = self.fake_blas()
        document = json.loads(self.fake_catalog({"fake": ("9.9.1", library)}).read_text())
        document["components"]["fake"]["versions"]["9.9.1"]["artifacts"] = [
            {"type": "wheel", "file": "fake-9.9.1-py3-none-any.whl", "sha256": "ab" * 32, "library": "fake/lib/libfake.so"}]
        self.write("catalog.json", document)
        done = self.stackx("inspect", self.project(), "--dockerfile-only", "--json")
        text = json.loads(done.stdout)["containerfile"]
        found = self.instructions(text)
        self.assertIn(("COPY", "stackx-pi /opt/stackx/stackx-pi"), found)
        self.assertIn(("ENV", 'LD_LIBRARY_PATH="/opt/stackx/site/fake/lib"'), found)
        entry = json.loads(dict(found)["ENTRYPOINT"])
        self.assertEqual(entry[:6], ["/opt/stackx/stackx-pi", "matmul", "--library", "/opt/stackx/site/fake/lib/libfake.so",
                                     "--component", "fake"])

    def test_what_lies_on_this_machine_has_no_containerfile(self):
        self.fake_catalog({"fake": ("9.9.1", self.fake_blas())})
        done = self.stackx("inspect", self.project(), "--dockerfile-only", exit_code=2)
        self.assertIn("no Containerfile can bring that", done.stderr)


class Output(Thoth):
    def fill(self):
        def package(name, versions):
            return {"kind": "package", "ecosystem": "pypi", "versions": {version: {
                "requires": requires, "artifacts": [{"type": "wheel", "file": f"{name}-{version}-py3-none-any.whl", "sha256": digest * 64}]}
                for version, (requires, digest) in versions.items()}}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "python": {"kind": "runtime", "versions": {"3.9.18": {}}},
            "app": package("app", {"1.0": ({"lib": "<2", "python": ">=3"}, "a"), "2.0": ({"lib": "*", "python": ">=3"}, "b")}),
            "app+fast": {"kind": "package", "versions": {"2.0": {"requires": {"app": "==2.0"}}}},
            "lib": package("lib", {"1.0": ({}, "c"), "2.0": ({}, "d")}),
            "mode": {"kind": "setting", "versioning": "opaque", "versions": {"x": {}}}}})
        return self.project(requires={"app": "*", "mode": "*"}, workload={"pi": "hello_world"})

    def resolve(self, *arguments, **options):
        return self.stackx("resolve", *arguments, "--index-url", "https://index.example/simple", **options)

    def test_each_stack_has_a_directory(self):
        target = self.scratch / "locks"
        done = self.resolve(self.fill(), "--list", "9", "--json", "--output", target)
        stacks = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(sorted(path.name for path in target.iterdir()), sorted(stack["id"][:12] for stack in stacks))
        self.assertEqual(len(stacks), 3)
        self.assertIn("3 Pipfiles with their locks in", done.stderr)
        for stack in stacks:
            place = target / stack["id"][:12]
            self.assertEqual(sorted(path.name for path in place.iterdir()), ["Pipfile", "Pipfile.lock"])
            lock = json.loads((place / "Pipfile.lock").read_text())
            self.assertEqual({name: entry["version"] for name, entry in lock["default"].items()},
                             {name: "==" + stack["components"][name] for name in ("app", "lib")})
            self.assertEqual(lock["_meta"]["requires"], {"python_version": "3.9"})
            asked = {"app": "==" + stack["components"]["app"]}
            meaning = {"_meta": {"sources": lock["_meta"]["sources"], "requires": {"python_version": "3.9"}},
                       "default": asked, "develop": {}}
            self.assertEqual(lock["_meta"]["hash"]["sha256"], hashlib.sha256(
                json.dumps(meaning, sort_keys=True, separators=(",", ":")).encode()).hexdigest())
            text = (place / "Pipfile").read_text()
            self.assertIn('url = "https://index.example/simple"', text)
            self.assertIn(f'[packages]\napp = "=={stack["components"]["app"]}"\n', text)
            self.assertNotIn("mode", text)
        hashes = {entry["hashes"][0] for path in target.glob("*/Pipfile.lock")
                  for entry in json.loads(path.read_text())["default"].values()}
        self.assertEqual(hashes, {"sha256:" + digit * 64 for digit in "abcd"})

    def test_a_lock_that_was_written_is_a_valid_stack(self):
        project, target = self.fill(), self.scratch / "locks"
        self.resolve(project, "--sample", "1", "--seed", "3", "--output", target)
        lock = next(target.glob("*/Pipfile.lock"))
        self.assertTrue(self.json("resolve", project, "--lock", lock)["valid"])

    def test_extras(self):
        self.fill()
        target = self.scratch / "locks"
        self.resolve(self.project(requires={"app+fast": "*"}, workload={"pi": "hello_world"}), "--list", "1", "--output", target)
        lock = json.loads(next(target.glob("*/Pipfile.lock")).read_text())
        self.assertEqual(lock["default"]["app"]["extras"], ["fast"])
        self.assertIn('app = {version = "==2.0", extras = ["fast"]}', next(target.glob("*/Pipfile")).read_text())

    def test_a_directory_with_something_in_it_is_refused(self):
        project, target = self.fill(), self.scratch / "locks"
        target.mkdir()
        self.resolve(project, "--sample", "5", "--output", target)  # an empty one is taken; draws may come twice
        before = sorted(target.rglob("*"))
        done = self.resolve(project, "--list", "1", "--output", target, exit_code=2)
        self.assertIn("there is something already", done.stderr)
        self.assertEqual(sorted(target.rglob("*")), before)
        self.assertEqual([path.name for path in self.scratch.iterdir() if "stackx-draft" in path.name], [])
        self.assertIn("of which stacks?", self.resolve(project, "--output", self.scratch / "x", exit_code=2).stderr)

    def test_a_specification_is_a_project_to_resolve(self):
        self.fill()
        pipfile = dict(self.pipfile("3.9"), packages={"app": ">=2"})
        file = self.specification("3.9", python={"requirements": pipfile})
        self.assertEqual(self.json("resolve", file, "--catalog", self.scratch / "catalog.json")["valid_stacks"], "2")
        done = self.stackx("resolve", self.specification(python=None), "--catalog", self.scratch / "catalog.json", exit_code=2)
        self.assertIn("/python/requirements: not there", done.stderr)


class Usage(Thoth):
    def test_errors_name_file_and_place(self):
        cases = [({"batch_size": "many"}, "/batch_size"), ({"packges": []}, 'unknown key "packges"'),
                 ({"run": {"requests": {"memory": "4 GB"}}}, "/run/requests/memory"),
                 ({"python": {"requirements_locked": {"default": {"six": {"version": ">=1"}}, "_meta": {}}}}, "/default/six/version"),
                 ({"python": {"requirements": self.pipfile(), "requirements_locked": None}}, "/python/requirements_locked: not there")]
        for changes, words in cases:
            with self.subTest(words):
                done = self.inspect("--amun", self.specification(**changes), exit_code=2)
                self.assertIn("specification.json: ", done.stderr)
                self.assertIn(words, done.stderr)

    def test_one_document_at_a_time(self):
        file = self.specification()
        for arguments in ([], [file, "--amun", file], ["--amun", file, "--pipfile-lock", file]):
            with self.subTest(arguments):
                self.assertIn("expected one of PROJECT", self.stackx("inspect", *arguments, exit_code=2).stderr)
        self.assertIn("--workload and --relax belong to",
                      self.stackx("inspect", self.project(), "--relax", "python", exit_code=2).stderr)
        self.stackx("inspect", "--amun", file, "--relax", "everything", exit_code=2)
        self.assertIn("nothing.json", self.stackx("inspect", "--amun", self.scratch / "nothing.json", exit_code=2).stderr)
