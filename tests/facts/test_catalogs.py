"""The GPU catalogs say what the facts say: for each build of torch, TensorFlow and JAX, the GPUs of gpus.json that it runs on are
worked out from specs/data/facts alone, and compared with what its entry asks of the GPU. And rows of the audit of 2026-11-22 that
`resolve` must get right, put to the binary.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
DATA = HERE.parents[1] / "specs" / "data"
STACKX = os.environ.get("STACKX", str(HERE.parents[1] / "build" / "stackx"))
CATALOGS = ["gpus.json", "cuda.json", "cudnn.json", "nccl.json", "gpu-tensorflow.json", "gpu-pytorch.json", "gpu-jax.json", "ngc.json"]


def versions_of(file, component):
    return json.loads((DATA / file).read_text())["components"][component]["versions"]


def facts_of(file):
    """{(package, version): {machine: fact}} of facts on builds that name their versions; "" is any machine."""
    result = {}
    for fact in json.loads((DATA / "facts" / f"{file}.json").read_text())["facts"]:
        if "built_for" in fact and isinstance(fact["versions"], list):
            for version in fact["versions"]:
                result.setdefault((fact["of"], version), {})[fact.get("machine", "")] = fact
    return result


def numbers(text):
    """Of a release or driver, for comparing: "0.4.38" -> (0, 4, 38). What follows letters is left out."""
    return tuple(int(part) for part in re.match(r"[0-9.]+", text)[0].rstrip(".").split("."))


def pair(text):
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)


def runs(build, capability):
    """The rule of specs/catalog/gpu_build.hpp, said again."""
    if "minimum" in build:
        return pair(capability) >= pair(build["minimum"])
    major, minor = pair(capability)
    return (any(pair(cubin)[0] == major and pair(cubin)[1] <= minor for cubin in build.get("cubins", ()))
            or any(pair(ptx) <= (major, minor) for ptx in build.get("ptx", ())))


def known(build):
    return bool(build.get("cubins") or build.get("ptx") or build.get("minimum"))


def meets(attributes, attribute, requirement):
    """Whether a GPU meets `gpu.attribute: requirement` of a catalog."""
    if attribute not in attributes:
        return False
    value = str(attributes[attribute])
    for alternative in requirement["any"] if isinstance(requirement, dict) else [requirement]:
        clauses = [re.fullmatch(r"(==|>=|<=|<)(.+)", clause).groups() for clause in alternative.split(",")]
        if all(value == end if sign == "==" else
               {">=": pair(value) >= pair(end), "<=": pair(value) <= pair(end), "<": pair(value) < pair(end)}[sign]
               for sign, end in clauses):
            return True
    return False


def allows(entry, gpu):
    """Whether what an entry says of the GPU, and of it alone, holds for this one."""
    def hold(requirements):
        return all(meets(gpu, name[4:], value) for name, value in requirements.items() if name.startswith("gpu."))
    if not hold(entry["requires"]):
        return False
    for rule in entry.get("requires_if", ()):
        if all(name.startswith("gpu.") for name in rule["if"]) and hold(rule["if"]) and not hold(rule["then"]):
            return False
    return not any(meets(gpu, name[4:], value) for name, value in entry.get("conflicts", {}).items() if name.startswith("gpu."))


GPUS = {name: entry["attributes"] for name, entry in versions_of("gpus.json", "gpu").items()}


class CatalogsAgreeWithFacts(unittest.TestCase):
    def agree(self, entry, version, build_on):
        """`build_on(machine)`: the build for hosts of that machine, or None."""
        self.assertIn("gpu.compute_capability", entry["requires"], version)
        for name, gpu in GPUS.items():
            build = build_on(gpu.get("machine", "x86_64"))
            wanted = build is not None and "compute_capability" in gpu and runs(build, str(gpu["compute_capability"]))
            self.assertEqual(allows(entry, gpu), wanted, f"{version} on {name}")

    def test_torch(self):
        catalog, facts = versions_of("gpu-pytorch.json", "torch"), facts_of("torch")
        containers = versions_of("ngc.json", "ngc")
        for version, entry in catalog.items():
            if "a0" in version:  # NVIDIA's own: what the page of its container says
                asked = entry["requires"].get("ngc", entry.get("requires_if", [{}])[0].get("then", {}).get("ngc"))
                names = [one.removeprefix("==") for one in (asked["any"] if isinstance(asked, dict) else [asked])]
                said = {containers[name]["requires"].get("gpu.compute_capability") for name in names} - {None}
                self.assertEqual({entry["requires"]["gpu.compute_capability"]}, said, version)
                continue
            by_machine = facts["torch", version]
            machines = by_machine[""].get("machines", ["x86_64"])
            self.agree(entry, version, lambda machine: by_machine.get(machine, by_machine[""])["built_for"]
                       if machine in machines else None)
        builds = {version for (_, version), fact in facts.items() if "+cu" in version}
        self.assertEqual(builds - catalog.keys(), set(), "in the facts, not in the catalog")

    def test_the_build_on_the_package_index_is_listed_with_its_wheels(self):
        catalog = versions_of("gpu-pytorch.json", "torch")
        for (_, version), by_machine in facts_of("torch").items():
            if "+" in version or "" not in by_machine:
                continue
            build = by_machine[""]["built_for"]
            entry = catalog[f"{version}+cu{build['cuda'].replace('.', '')}"]
            self.assertTrue(all(wheel["package_version"] == version for wheel in entry["artifacts"]), version)
            self.assertTrue(entry["artifacts"], version)

    def test_tensorflow(self):
        catalog, facts = versions_of("gpu-tensorflow.json", "tensorflow"), facts_of("tensorflow")
        def package(version):
            return "tensorflow-gpu" if numbers(version) < (2, 1) else "tensorflow"
        for version, entry in catalog.items():
            fact = facts[package(version), version][""]
            self.agree(entry, version, lambda machine: fact["built_for"] if machine == "x86_64" else None)
        for (name, version), by_machine in facts.items():
            if name == package(version) and "" in by_machine and known(by_machine[""]["built_for"]) and not re.search("rc|dev|nv", version):
                self.assertIn(version, catalog)

    def test_jax(self):
        facts = facts_of("jax")
        wheels = {f"jax-{cuda}-plugin": json.loads((DATA / "generated" / f"jax-{cuda}-plugin.json").read_text())["versions"]
                  for cuda in ("cuda12", "cuda13")}
        def newest(candidates, release):
            return max((one for one in candidates if numbers(one) <= numbers(release)), key=numbers)
        for version, entry in versions_of("gpu-jax.json", "jax").items():
            release, variant = version.split("+")
            if numbers(release) >= (0, 4, 31):  # the plugin of that release, or the last before it
                plugin = f"jax-{variant}-plugin"
                which = newest([known for name, known in facts if name == plugin], release)
                listed = wheels[plugin][which]
                machines = [machine for machine in ("x86_64", "aarch64") if any(machine in tag for tag in listed["wheels"])]
                self.agree(entry, version, lambda machine: facts[plugin, which][""]["built_for"] if machine in machines else None)
                continue
            jaxlibs = [known for name, known in facts if name == "jaxlib" and "+" in known]
            if numbers(release) < (0, 3):  # jaxlib 0.1.49 to 0.1.76 hold the same for all of one CUDA major version
                major = re.match("cuda(9|10|11)", variant)[0]
                jaxlibs = [known for known in jaxlibs if known.startswith("0.1.") and known.split("+")[1].startswith(major)]
                builds = [facts["jaxlib", known][""]["built_for"] for known in jaxlibs]
                self.assertEqual({(tuple(one["cubins"]), tuple(one["ptx"])) for one in builds},
                                 {(tuple(builds[0]["cubins"]), tuple(builds[0]["ptx"]))})
                build = builds[0]
            else:
                same = [known for known in jaxlibs if re.fullmatch(re.escape(variant) + r"(\..*)?", known.split("+")[1])]
                build = facts["jaxlib", newest(same, release)][""]["built_for"]
            self.agree(entry, version, lambda machine: build if machine == "x86_64" else None)

    def test_drivers(self):
        since, last = {}, {}
        for fact in json.loads((DATA / "facts" / "nvidia.json").read_text())["facts"]:
            if fact["of"] == "driver":
                since |= {gpu: fact["since"] for gpu in fact.get("gpu", ())}
                last |= {gpu: int(fact["branch"]) for gpu in fact.get("last_for", ())}
        self.assertTrue(json.loads((DATA / "cuda.json").read_text())["components"]["driver"]["open"])
        for driver, entry in versions_of("cuda.json", "driver").items():
            for capability, first in since.items():
                if first is None:  # Jetson boards have drivers of their own
                    continue
                wanted = numbers(driver) >= numbers(first) and numbers(driver)[0] <= last.get(capability, 10**6)
                self.assertEqual(allows(entry, {"compute_capability": capability}), wanted, f"driver {driver}, GPU {capability}")

    def test_least_drivers_of_toolkits(self):
        least = {}
        for fact in json.loads((DATA / "facts" / "nvidia.json").read_text())["facts"]:
            if fact["of"] == "cuda":
                least |= {version: fact["minor"] or fact["driver"] for version in fact["versions"]}
        updates = {"9.2.148": "396.37", "8.0.61": "375.26"}  # the facts have the first of each minor release
        for version, entry in versions_of("cuda.json", "cuda").items():
            expected = updates.get(version, least.get(".".join(version.split(".")[:2])))
            if expected:
                self.assertEqual(entry["requires"]["driver"], f">={expected}", version)

    def test_nccl_restricts_no_gpu(self):
        for version, entry in versions_of("nccl.json", "nccl").items():
            self.assertFalse([name for name in entry["requires"] if name.startswith("gpu")], version)


class RowsOfTheAudit(unittest.TestCase):
    def stacks(self, gpu, driver=None, **wanted):
        """How many stacks there are."""
        with tempfile.TemporaryDirectory(prefix="stackx-test-") as scratch:
            project = pathlib.Path(scratch, "project.json")
            project.write_text(json.dumps({
                "$schema": "stackx/project/1", "name": "row", "catalogs": CATALOGS,
                "requires": {name: version if version[0] in "<>=!*" else f"=={version}" for name, version in wanted.items()},
                "hardware": {"gpu": gpu} | ({"driver": driver} if driver else {})}))
            done = subprocess.run([STACKX, "--json", "resolve", str(project), "--count"], capture_output=True, text=True, timeout=240,
                                  env=dict(os.environ, XDG_CACHE_HOME=scratch, STACKX_DB=f"{scratch}/stackx.db"))
        if done.returncode not in (0, 1):
            self.fail(done.stderr)
        return int(json.loads(done.stdout).get("valid_stacks", 0))

    def none(self, gpu, **wanted):
        self.assertEqual(self.stacks(gpu, **wanted), 0, f"{gpu}: {wanted}")

    def some(self, gpu, **wanted):
        self.assertGreater(self.stacks(gpu, **wanted), 0, f"{gpu}: {wanted}")

    def test_torch_2_7_for_cuda_12_8_has_no_code_for_volta_and_pascal(self):
        self.none("v100-sxm2-16gb", torch="2.7.1+cu128")
        self.none("p100-sxm2-16gb", torch="2.7.0+cu128")
        self.some("v100-sxm2-16gb", torch="2.7.1+cu126")

    def test_torch_for_cuda_12_8_had_volta_from_2_8_to_2_10(self):
        for version in ("2.8.0+cu128", "2.8.0+cu129", "2.9.0+cu128", "2.9.1+cu128", "2.10.0+cu128"):
            self.some("v100-sxm2-16gb", torch=version)
        self.none("v100-sxm2-16gb", torch="2.11.0+cu128")

    def test_tensorflow_from_2_17_on_begins_at_6_0(self):
        for version in ("2.17.0", "2.18.1", "2.19.0", "2.20.0", "2.21.0"):
            self.none("m60", tensorflow=version)
        self.some("m60", tensorflow="2.16.2")

    def test_tensorflow_2_20_does_not_run_on_consumer_blackwell(self):
        self.none("rtx-5090", tensorflow=">=2.16")

    def test_torch_1_4_to_1_7_begin_at_3_7(self):
        self.none("k40", torch=">=1.4,<1.8")
        self.some("k40", torch="1.2.0")
        self.some("k80", torch="1.7.1")

    def test_torch_1_8_0_for_cuda_11_1_was_pruned(self):
        for gpu in ("gtx-1080-ti", "p100-sxm2-16gb", "k80"):
            self.none(gpu, torch="1.8.0+cu111")
            self.some(gpu, torch="1.8.1+cu111")

    def test_tensorflow_1_15_and_2_0_want_cudnn_7_6(self):
        for version in ("1.15.0", "2.0.0"):
            self.none("v100-sxm2-16gb", tensorflow=version, cudnn=">=7.4,<7.6")
            self.some("v100-sxm2-16gb", tensorflow=version, cudnn="7.6.5")

    def test_boards_with_arm_processors_do_not_run_builds_for_x86(self):
        for gpu in ("xavier", "gb200", "gh200-480gb"):
            self.none(gpu, torch="2.5.1+cu124")
            self.none(gpu, tensorflow="*")
        self.none("xavier", torch="*")
        self.some("gh200-480gb", torch="2.15.0")
        self.some("gb200", torch="2.15.0")

    def test_what_pip_freeze_prints_is_a_version(self):
        self.some("a100-sxm4-40gb", torch="2.4.1")
        self.some("a100-sxm4-40gb", torch="2.4.1+cu121")
        self.some("a100-sxm4-40gb", torch="2.15.0")
        self.some("a100-sxm4-40gb", jax="0.4.31")

    def test_releases_that_were_missing(self):
        for version in ("1.15.5", "2.3.4", "2.4.1"):
            self.some("v100-sxm2-16gb", tensorflow=version)
        for version in ("2.12.1", "2.2.1", "2.1.1", "1.10.2", "1.3.1"):
            self.some("v100-sxm2-16gb", torch=version)
        for version in ("0.12.0", "0.11.1", "0.11.2"):
            self.some("t4", jax=version)
        for version in ("13.5.0", "13.4.3", "13.1.2", "12.9.2", "12.8.2"):
            self.some("t4", cublas="*", cuda=version)

    def test_drivers_are_an_order_not_a_list(self):
        self.some("v100-sxm2-16gb", torch="2.4.1", driver="535.183.01")
        self.none("rtx-5090", torch="2.15.0", driver="535.183.01")
        self.none("v100-sxm2-16gb", torch="2.4.1", driver="610.99")
        self.none("v100-sxm2-16gb", torch="2.4.1+cu121", driver="520.61.07")

    def test_machine_code_runs_on_later_minor_versions(self):
        self.some("rtx-3090", torch="1.7.1+cu110")
        self.some("rtx-4090", torch="2.0.1+cu117")
        self.some("l4", torch="1.13.1+cu117")
        self.some("rtx-2080-ti", torch="1.4.0+cu92")
        self.none("rtx-3090", torch="1.7.1+cu102")

    def test_cudnn(self):
        self.some("t4", torch="*", cudnn="8.9.2")
        self.some("t4", tensorflow="2.5.0", cudnn="8.1.0")
        self.some("t4", cublas="*", cuda="==11.8.*", cudnn="8.9.7")

    def test_one_gpu_needs_no_nccl(self):
        for version in ("2.12.0+cu126", "2.13.0+cu126", "2.14.1+cu126"):
            self.some("titan-x-maxwell", torch=version)
        self.some("p100-sxm2-16gb", cublas="*", nccl="2.29.7")

    def test_containers_after_2022(self):
        self.some("h100-sxm5-80gb", ngc="==pytorch-24.10", torch="2.5.0a0+e000cf0ad9")


if __name__ == "__main__":
    unittest.main()
