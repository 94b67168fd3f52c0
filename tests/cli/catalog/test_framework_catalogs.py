"""The catalogs of frameworks that come with stackx: their spaces, and that each stack can be installed on its Python."""

import collections
import json

from harness import ROOT, BlackBox

DATA = ROOT / "specs" / "data"
FRAMEWORKS = {"numpy": "numpy", "tensorflow": "tensorflow-cpu", "jax": "jax", "onnxruntime": "onnxruntime"}
PYTHONS = {"bullseye": "3.9", "bookworm": "3.11", "trixie": "3.13"}
GLIBC_OF_BULLSEYE = 31


def suits(file, python):
    """Does this wheel install on CPython `python` and glibc 2.31? (PEP 425, PEP 600, anew.)"""
    tags, abis, platforms = file[:-len(".whl")].split("-")[-3:]
    own = "cp" + python.replace(".", "")
    minor = int(python.split(".")[1])
    if abis == "abi3":
        interpreter = any(tag.startswith("cp3") and int(tag[3:]) <= minor for tag in tags.split("."))
    elif abis == "none":
        interpreter = any(tag in ("py" + python[0], own, "py" + python.replace(".", "")) for tag in tags.split("."))
    else:
        interpreter = own in tags.split(".") and abis in (own, own + "mu")
    old = {"any", "manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64"}
    new = {f"manylinux_2_{glibc}_x86_64" for glibc in range(5, GLIBC_OF_BULLSEYE + 1)}
    return interpreter and bool(set(platforms.split(".")) & (old | new))


class FrameworkCatalogs(BlackBox):
    def check_artifacts(self, catalog, stack):
        """One wheel at least that suits the stack's Python, or a source archive; and none of it without a hash."""
        components = json.loads((DATA / catalog).read_text())["components"]
        for name, version in stack.items():
            if name not in components or name == "python":
                continue
            artifacts = components[name]["versions"][version]["artifacts"]
            self.assertTrue(all(len(one["sha256"]) == 64 for one in artifacts))
            self.assertTrue(any(one["type"] == "sdist" or suits(one["file"], stack["python"]) for one in artifacts),
                            (name, version, stack["python"], [one["file"] for one in artifacts]))

    def test_framework_matmul(self):
        stacks = [one["components"] for one in
                  self.lines("resolve", ROOT / "examples" / "framework-matmul" / "project.json", "--list", "1000")]
        self.assertTrue(200 <= len(stacks) < 1000, len(stacks))
        versions = collections.defaultdict(set)
        for stack in stacks:
            self.assertEqual(stack["python"], PYTHONS[stack["image"]])
            self.assertIn("numpy", stack)
            versions[stack["framework"]].add(stack[FRAMEWORKS[stack["framework"]]])
            self.check_artifacts("frameworks.json", stack)
            others = set(FRAMEWORKS.values()) - {"numpy", FRAMEWORKS[stack["framework"]]}
            self.assertFalse(others & set(stack), "nothing that is not needed")
            if stack["framework"] == "onnxruntime" and stack["onnxruntime"] in ("1.16.3", "1.18.1"):
                self.assertTrue(stack["numpy"].startswith("1."), stack)
        self.assertEqual(set(versions), set(FRAMEWORKS))
        self.assertTrue(all(len(of_one) >= 3 for of_one in versions.values()), versions)
        self.assertEqual({(one["image"], one["framework"]) for one in stacks},
                         {(image, framework) for image in PYTHONS for framework in FRAMEWORKS})

    def test_tensorflow_1(self):
        project = self.project(catalogs=[str(DATA / "images.json"), str(DATA / "tensorflow1.json")],
                               requires={"image": "*", "tensorflow": "*"})
        found = [one["components"] for one in self.lines("resolve", project, "--list", "10")]
        stacks = {one["tensorflow"]: one for one in found}
        self.assertEqual(sorted(one["tensorflow"] for one in found), ["1.13.1", "1.14.0"])
        for stack in stacks.values():
            self.assertEqual((stack["image"], stack["python"]), ("bullseye-python2", "2.7"))
            self.check_artifacts("tensorflow1.json", stack)
        same = {name for name in stacks["1.13.1"] if stacks["1.13.1"][name] == stacks["1.14.0"].get(name)}
        self.assertLessEqual({"numpy", "protobuf", "grpcio", "h5py", "gast", "six"}, same, "they differ in TensorFlow alone")
