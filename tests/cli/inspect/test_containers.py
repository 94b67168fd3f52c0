"""The container runner for real: a suite image, TensorFlow 1.14.0 under Python 2.7; and NumPy and ONNX Runtime locally. The first
run fetches what it needs (suites, wheels: some 300 MB); what it made is kept for the next, which fetches nothing."""

import json
import re
import socket

from harness import KEPT, BlackBox
from python_stack import HERE, container_engine

PARAMETERS = {"m": 64, "n": 64, "k": 64, "dtype": "float32", "threads": 1, "repetitions": 5, "min_sample_ms": 1, "warmup_ms": 1}
# Outcomes of a machine without network, not of stackx.
UNREACHABLE = re.compile(r"could not be made|could not be installed into|error sending request|dns error|Failed to fetch|Temporary failure|"
                         r"Could not fetch|connection", re.IGNORECASE)

# What a run sees: its network, its root, its system.
LOOK = '''import json, os, socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2].split("=")[1])), 3)
    network = "reached"
except OSError:
    network = "none"
with open("/proc/self/status") as file:
    status = dict(line.partition(":")[::2] for line in file)
mounts = [line.split() for line in open("/proc/mounts")]
release = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
print(json.dumps({"name": "look", "component": "python", "samples_ns": [1000, 1001, 1002], "loaded": {"python": sys.version.split()[0]},
                  "parameters": {"network": network, "capabilities": status["CapEff"].strip(), "privileges": status["NoNewPrivs"].strip(),
                                 "suite": release.get("VERSION_CODENAME", ""), "root": [m[3] for m in mounts if m[1] == "/"][-1].split(",")[0],
                                 "home": os.environ["HOME"], "user": os.environ.get("STACKX_TEST_SECRET", "")}}))
'''


class Real(BlackBox):
    def setUp(self):
        super().setUp()
        self.environment.update(XDG_CACHE_HOME=str(KEPT), STACKX_TEST_SECRET="secret")

    def inspect(self, project, *arguments):
        """The newest document; skips where what it needs cannot be fetched."""
        done = self.stackx("inspect", project, *arguments, exit_code=None)
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        document = max((one for one in documents if one["$schema"] == "stackx/inspection/1"), key=lambda one: one["finished"])
        if document["outcome"] in ("build_failed", "build_timed_out") and UNREACHABLE.search(document["reason"] + document["stderr_tail"]):
            self.skipTest("not to be fetched here: " + document["reason"])
        self.assertEqual(document["outcome"], "ok", document)
        return document, done.stderr

    def offline(self, project, *arguments):
        """Again, where nothing can be fetched, and nothing need be."""
        self.environment.update(PIP_INDEX_URL="http://127.0.0.1:9/simple", UV_DEFAULT_INDEX="http://127.0.0.1:9/simple")
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            self.environment[name] = self.environment[name.upper()] = "http://127.0.0.1:9"
        document, said = self.inspect(project, "--offline", *arguments)
        for word in ("installing", "building", "making", "pulling"):
            self.assertNotIn(word, said)
        return document


class InContainer(Real):
    def setUp(self):
        super().setUp()
        if container_engine():
            self.skipTest("no container engine works here: " + container_engine())


class Containers(InContainer):
    def test_tensorflow_1_14_in_a_container(self):
        project = self.project(catalogs=["images.json", "tensorflow1.json"], requires={"image": "==bullseye-python2", "tensorflow": "==1.14.0"},
                               workload={"pi": "matmul", "params": {name: value for name, value in PARAMETERS.items() if name != "threads"}},
                               campaign={"sampler": {"kind": "uniform", "count": 1}, "rounds": 1, "runner": "container",
                                         "limits": {"seconds": 240, "memory_gib": 4}})
        document, _ = self.inspect(project)
        self.assertEqual(document["loaded"]["tensorflow"], "1.14.0")
        self.assertEqual(document["loaded"]["numpy"], document["stack"]["numpy"])
        self.assertRegex(document["loaded"]["python"], r"^2\.7\.")
        self.assertTrue(document["check"]["pass"])
        self.assertEqual(document["work"]["flop"] % (2 * 64 ** 3), 0)
        self.assertGreaterEqual(len(document["samples_ns"]), 5)
        self.assertRegex(document["artifacts"]["image bullseye"], r"^[0-9a-f]{64}$")
        self.assertIn("tensorflow-1.14.0-cp27-cp27mu-manylinux1_x86_64.whl", document["artifacts"])
        again = self.offline(project)
        self.assertEqual(again["artifacts"], document["artifacts"])
        self.assertEqual(again["loaded"], document["loaded"])


class Locally(Real):
    def setUp(self):
        super().setUp()
        if HERE not in ("3.9", "3.11", "3.13"):
            self.skipTest(f"the catalog frameworks.json is for Python 3.9, 3.11 and 3.13; the tests run under {HERE}")

    def measure(self, framework, component, version):
        project = self.project(catalogs=["frameworks.json", "framework-settings.json"], requires={"framework": "==" + framework, "python": "==" + HERE},
                               pins={component: "==" + version}, workload={"pi": "matmul", "params": PARAMETERS},
                               campaign={"sampler": {"kind": "uniform", "count": 1, "seed": 1}, "rounds": 1, "runner": "local",
                                         "limits": {"seconds": 120, "memory_gib": 3}})
        document, _ = self.inspect(project)
        self.assertEqual(document["stack"][component], version)
        self.assertEqual(document["loaded"][component], version)
        self.assertTrue(document["loaded"]["python"].startswith(HERE + "."))
        self.assertTrue(document["check"]["pass"])
        self.assertTrue(any(file.endswith(".whl") and file.startswith(component) for file in document["artifacts"]))
        again = self.offline(project)
        self.assertEqual(again["loaded"], document["loaded"])

    def test_numpy(self):
        self.measure("numpy", "numpy", "2.0.2")

    def test_onnx_runtime(self):
        self.measure("onnxruntime", "onnxruntime", "1.19.2")


class SuiteImage(InContainer):
    """Last by name: other tests that run beside these make the same image meanwhile."""

    def test_a_suite_image(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {"python": {"kind": "runtime", "versions": {"3.11": {}}}}})
        pi = self.write("look.py", LOOK)
        project = self.project(catalogs=["images.json", "catalog.json"], requires={"image": "==bookworm"},
                               workload={"pi": "look", "params": {"port": server.getsockname()[1]}},
                               campaign={"sampler": {"kind": "all"}, "rounds": 1, "runner": "container",
                                         "limits": {"seconds": 60, "memory_gib": 1}})
        document, _ = self.inspect(project, "--pi", pi)
        self.assertRegex(document["runner"], r"^container \((podman|docker) ")
        self.assertEqual({name: document["parameters"][name] for name in ("network", "capabilities", "privileges", "suite", "root", "home", "user")},
                         {"network": "none", "capabilities": "0" * 16, "privileges": "1", "suite": "bookworm", "root": "ro", "home": "/tmp",
                          "user": ""})
        self.assertEqual(document["stack"]["python"], "3.11")
        self.assertRegex(document["loaded"]["python"], r"^3\.11\.\d+$")
        self.assertRegex(document["loaded"]["libc6"], r"^2\.36-")
        self.assertRegex(document["artifacts"]["image bookworm"], r"^[0-9a-f]{64}$")
        again = self.offline(project, "--pi", pi)
        self.assertEqual(again["artifacts"], document["artifacts"])
