"""stackx catalog discover: what it finds on this machine is a catalog that resolves and runs."""

import importlib.metadata
import json
import pathlib
import shutil
import subprocess
import sys

from harness import STACKX, BlackBox, debian_package

WORKLOAD = {"pi": "matmul", "params": {"m": 48, "n": 40, "k": 56, "dtype": "float32", "repetitions": 3,
                                       "min_sample_ms": 1, "warmup_ms": 1}}


class Discover(BlackBox):
    def setUp(self):
        super().setUp()
        # A home of its own: nothing of the user's is found, and nothing depends on it.
        self.home = self.scratch / "home"
        self.home.mkdir()
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "MODULEPATH", "MODULESHOME", "LMOD_DIR", "LD_LIBRARY_PATH",
                     "MKLROOT", "OPENBLAS_HOME", "OPENBLAS_ROOT", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
            self.environment.pop(name, None)
        self.environment.update(HOME=str(self.home), PATH="/usr/bin:/bin")

    def discover(self, *arguments, exit_code=0):
        done = self.stackx("catalog", "discover", *arguments, exit_code=exit_code, cwd=self.home)
        return (json.loads(done.stdout)["components"] if done.stdout else None), done.stderr

    def over(self, requires, **changes):
        return self.project(requires=requires, hardware={"cpu": "host"}, workload=WORKLOAD, **{"catalogs": ["discovered.json"], **changes})

    def keep(self, components):
        return self.write("discovered.json", {"$schema": "stackx/catalog/1", "components": components})

    def inspections(self):
        documents = map(json.loads, self.stackx("export").stdout.splitlines())
        return [one for one in documents if one["$schema"] == "stackx/inspection/1"]

    def fake_environment(self, packages, directory="venvs/it"):
        """A virtual environment of this Python whose site-packages say that they hold packages."""
        place = self.home / directory
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        site = next(place.glob("lib/python*/site-packages"))
        for name, version in packages.items():
            info = site / f"{name}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n")
        return place

    def test_the_catalog_is_valid_and_written_whole(self):
        output = self.scratch / "discovered.json"
        done = self.stackx("catalog", "discover", "-o", output, cwd=self.home)
        self.assertEqual(done.stdout, "")
        self.assertIn("found", done.stderr)
        self.assertEqual(json.loads(output.read_text())["$schema"], "stackx/catalog/1")
        self.assertTrue(self.json("catalog", "validate", output)["valid"])
        self.assertEqual(sorted(p.name for p in self.scratch.iterdir() if "discovered" in p.name), ["discovered.json"])
        self.assertEqual(self.discover()[0], json.loads(output.read_text())["components"])
        line = self.stackx("catalog", "discover", "--json", cwd=self.home).stdout
        self.assertEqual(line.count("\n"), 1)
        self.assertEqual(json.loads(line), json.loads(output.read_text()))

    def test_every_path_is_there_and_every_version_says_where_it_is_from(self):
        components, _ = self.discover()
        seen = 0
        for name, component in components.items():
            for version, entry in component["versions"].items():
                for artifact in entry.get("artifacts", []):
                    seen += 1
                    self.assertEqual(artifact["type"], "path", f"{name} {version}")
                    for key in ("file", "library", "program"):
                        if key in artifact:
                            self.assertTrue(pathlib.Path(artifact[key]).exists(), f"{name} {version}: {artifact[key]}")
                    self.assertIn("found on this machine: /", entry["source"])
        self.assertGreater(seen, 0)

    def test_interpreters_are_what_they_say(self):
        components, _ = self.discover("--only", "python")
        self.assertEqual(list(components), ["python"])
        for version, entry in components["python"]["versions"].items():
            program = entry["artifacts"][0]["program"]
            said = subprocess.run([program, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
                                  capture_output=True, text=True, check=True).stdout.strip()
            self.assertTrue(version.startswith(said), f"{program}: {version}, says {said}")

    def test_one_stack_an_environment_and_framework(self):
        self.fake_environment({"numpy": "1.26.4", "tensorflow-cpu": "2.15.1", "requests": "2.0"})
        self.fake_environment({"numpy": "1.26.4", "jax": "0.4.30", "jaxlib": "0.4.30"}, "venv")
        self.fake_environment({"jax": "0.4.30", "six": "1.16.0"}, "venvs/a $(touch x) 'b'")  # jax without jaxlib
        components, remarks = self.discover("--only", "environments")
        self.assertIn("jaxlib, which computes for it, is not installed", remarks)
        ours = {name for name in components["python-environment"]["versions"] if "venv" in name}
        self.assertEqual(len(ours), 2, components["python-environment"]["versions"])
        self.keep(components)
        pins = {"python-environment": {"any": [f"=={name}" for name in ours]}}
        self.assertEqual(self.json("resolve", self.over({"framework": "*"}, pins=pins), "--count")["valid_stacks"], "4")
        stacks = self.lines("resolve", self.over({"framework": "==tensorflow-cpu"}, pins=pins), "--list", 10)
        self.assertEqual(len(stacks), 1)
        self.assertEqual({k: v for k, v in stacks[0]["components"].items() if k in ("numpy", "tensorflow-cpu", "jax", "requests")},
                         {"numpy": "1.26.4", "tensorflow-cpu": "2.15.1"})
        # With threads, which the catalog brings too.
        both = self.over({"framework": "==jax", "threads": "==1"}, pins=pins)
        self.assertEqual(self.json("resolve", both, "--count")["valid_stacks"], "1")
        self.assertFalse((self.home / "x").exists())

    def test_a_toolkit_named_by_a_variable_and_one_named_by_a_module(self):
        first, second = self.home / "toolkit one", self.home / "toolkit two"
        for root, version in ((first, "12.2.2"), (second, "11.8.0")):
            (root / "lib64").mkdir(parents=True)
            (root / "version.json").write_text(json.dumps({"cuda": {"version": version}, "libcublas": {"version": version + ".9"}}))
            (root / "lib64" / "libcublas.so").write_text("")
        modules = self.home / "modules" / "cuda"
        modules.mkdir(parents=True)
        (modules / "11.8").write_text(f'#%Module\nset root "{second}"\nsetenv CUDA_HOME $root\nsetenv EVIL [exec touch x]\n')
        self.environment.update(CUDA_HOME=str(first), MODULEPATH=str(modules.parent))
        components, _ = self.discover("--only", "cuda")
        self.assertLessEqual({"12.2.2", "11.8.0"}, set(components["cuda"]["versions"]))
        self.assertEqual(components["cublas"]["versions"]["11.8.0.9"]["requires"], {"cuda": "==11.8.0"})
        self.assertEqual(components["cublas"]["versions"]["11.8.0.9"]["reports"], "11.8.0")
        self.keep(components)
        stacks = self.lines("resolve", self.over({"cublas": "==12.2.2.9"}), "--list", 10)
        self.assertEqual([s["components"]["cuda"] for s in stacks], ["12.2.2"])

    def test_a_library_that_multiplies_wrongly_or_cannot_be_loaded_is_left_out(self):
        place = self.home / "libraries"
        place.mkdir()
        (place / "libopenblas.so.0").write_text("no library")
        self.fake_blas(version="9.9.2", fault=1).rename(place / "libblis.so.4")
        self.environment["LD_LIBRARY_PATH"] = str(place)
        done = self.stackx("catalog", "discover", "--only", "blas", "-o", self.scratch / "x.json", cwd=self.home,
                           exit_code=0 if self.some_blas() else 1)
        for name in ("libopenblas.so.0", "libblis.so.4"):
            self.assertRegex(done.stderr, f"left out +{place / name}: ")

    def some_blas(self):
        return any(debian_package(name) for name in ("libopenblas0-pthread", "libblis4-pthread", "libblas3"))

    def test_a_library_found_by_its_directory_is_asked(self):
        place = self.home / "libraries"
        place.mkdir()
        self.fake_blas(version="9.9.1").rename(place / "libopenblas.so.0")
        self.environment["LD_LIBRARY_PATH"] = str(place)
        components, remarks = self.discover("--only", "blas")
        found = [entry for name, component in components.items() if name.startswith("local-openblas")
                 for version, entry in component["versions"].items() if version.startswith("9.9.1+file.")]
        self.assertEqual(len(found), 1, remarks)
        self.assertEqual(found[0]["provides"], {"blas": "9.9.1"})
        self.assertIn("threads", components)

    def test_what_is_installed_stands_beside_the_catalog_that_comes_with_stackx(self):
        place = self.home / "libraries"
        place.mkdir()
        shutil.copy(pathlib.Path(STACKX).resolve().parent / "tests" / "fakes" / "libmkl.so", place / "libmkl_rt.so.2")
        self.environment["LD_LIBRARY_PATH"] = str(place)
        components, _ = self.discover("--only", "blas")
        (mkl,) = (version for version in components["local-mkl"]["versions"] if "+file." in version)
        self.keep(components)
        layers = components["local-mkl"]["versions"][mkl]["requires"]["mkl-threading"]["any"]
        pins = {"threads": "<=2", "local-mkl": f"=={mkl}", "mkl-instructions": "==auto", "mkl-interface": "==lp64"}
        both = {"catalogs": ["blas.json", "discovered.json"], "pins": pins}
        local = self.lines("resolve", self.over({"local-mkl": "*"}, **both), "--list", 50)
        self.assertEqual({"==" + stack["components"]["mkl-threading"] for stack in local}, set(layers))
        for stack in local:  # which brought what it needs
            self.assertFalse({"libgomp", "intel-openmp", "tbb"} & set(stack["components"]), stack)
        for stack in self.lines("resolve", self.over({"mkl": "==2024.2.2"}, **both), "--list", 50):
            partner = {"sequential": set(), "intel": {"intel-openmp"}, "gnu": {"libgomp"}, "tbb": {"tbb"}}[stack["components"]["mkl-threading"]]
            self.assertEqual({"libgomp", "intel-openmp", "tbb"} & set(stack["components"]), partner)

    def test_debian_openblas_is_found_resolved_and_inspected(self):
        package = debian_package("libopenblas0-pthread")
        if not package:
            self.skipTest("Debian package libopenblas0-pthread is not installed")
        self.assertEqual(self.stackx("catalog", "discover", "--only", "blas", "-o", self.scratch / "discovered.json",
                                     cwd=self.home).stdout, "")
        components = json.loads((self.scratch / "discovered.json").read_text())["components"]
        found = {name: version for name in components if name.startswith("local-openblas-pthreads")
                 for version in components[name]["versions"] if "+debian" in version}
        self.assertEqual(len(found), 1)
        (name, version), = found.items()
        self.assertTrue(package.startswith(version.split("+")[0]), f"{package}: {version}")
        project = self.over({name: f"=={version}", "threads": "==1", "openblas-coretype": "==auto"},
                            campaign={"sampler": {"kind": "all"}, "rounds": 1, "limits": {"seconds": 60, "memory_gib": 2}})
        self.assertEqual(self.json("resolve", project, "--count")["valid_stacks"], "1")
        self.stackx("inspect", project, "--runner", "local")
        document, = self.inspections()
        self.assertEqual(document["outcome"], "ok", document)
        self.assertEqual(document["stack"][name], version)
        self.assertTrue(package.startswith(document["loaded"][name]))
        self.assertTrue(any("openblas-pthread" in path for path in document["artifacts"]), document["artifacts"])

    def test_numpy_of_a_virtual_environment_is_measured(self):
        try:
            numpy = importlib.metadata.version("numpy")
        except importlib.metadata.PackageNotFoundError:
            numpy = None
        if sys.prefix == sys.base_prefix or numpy is None:
            self.skipTest("the tests' Python is no virtual environment with NumPy")
        self.environment["VIRTUAL_ENV"] = sys.prefix
        components, _ = self.discover("--only", "environments")
        ours = [name for name, entry in components["python-environment"]["versions"].items()
                if entry["artifacts"][0]["program"].startswith(sys.prefix + "/")]
        self.assertEqual(len(ours), 1)
        self.keep(components)
        project = self.over({"framework": "==numpy", "python-environment": f"=={ours[0]}"},
                            campaign={"sampler": {"kind": "all"}, "rounds": 1, "limits": {"seconds": 60, "memory_gib": 2}})
        self.assertEqual(self.json("resolve", project, "--count")["valid_stacks"], "1")
        self.stackx("inspect", project, "--runner", "local")
        document, = self.inspections()
        self.assertEqual(document["outcome"], "ok", document)
        self.assertEqual(document["loaded"]["numpy"], numpy)
