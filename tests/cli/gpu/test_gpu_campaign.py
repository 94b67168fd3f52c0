"""GPU campaigns, on machines that a look-alike of NVML plays: which device, which refusal, before anything is fetched."""

import json
import os
import pathlib
import re
import signal
import threading
import time

from harness import STACKX, BlackBox, schema_errors

NVML = pathlib.Path(STACKX).resolve().parent / "tests" / "nvml"
H200, V100 = "GPU-11111111-2222-3333-4444-555555555555", "GPU-66666666-7777-8888-9999-aaaaaaaaaaaa"
MIG = ["MIG-aaaa1111-0000-0000-0000-000000000000", "MIG-aaaa2222-0000-0000-0000-000000000000"]

# A PI of the user's: says on which device it was put, and what it was like.
PI = """#!/bin/sh
cat <<TEXT
{"name": "matmul", "component": "cublas", "parameters": {}, "samples_ns": [1000, 1010, 990], "work": {"flop": 1e6, "bytes": 0, "items": 1},
 "check": {"reference": "r", "max_relative_error": 0, "bound": 1, "pass": true}, "loaded": {"cublas": "%s"}, "files": [],
 "gpu": {"uuid": "%s"}, "conditions": {"sm_clock_mhz": [1980, 1700, 1980], "throttle": [0, 4, 0]}, "throttled": [1]}
TEXT
"""

# Eighty samples of 0.1 s, in a phase that says when: of the counter 20 readings are needed, and a loaded machine makes them rare.
SLEEPER = """#!/usr/bin/python3
import json, os, time
time.sleep(2)  # as a library is loaded: the counter was seen to move before the phase, or there is no energy of it
samples, start = [], time.time_ns()
for _ in range(80):
    begin = time.monotonic_ns()
    time.sleep(0.1)
    samples.append(time.monotonic_ns() - begin)
print(json.dumps({"name": "matmul", "samples_ns": samples, "work": {"flop": 1e6, "bytes": 0, "items": 1}, "loaded": {"cublas": "12.4"},
                  "files": [], "gpu": {"uuid": os.environ["CUDA_VISIBLE_DEVICES"]},
                  "phases": [{"name": "measure", "start_ns": start, "duration_ns": time.time_ns() - start}]}))
"""

# Runs until it was found, and its memory could be looked at.
HOLDER = """#!/usr/bin/python3
import json, os, signal, time
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(True))
while not seen:
    time.sleep(0.05)
print(json.dumps({"name": "matmul", "samples_ns": [1000, 1010, 990], "work": {"flop": 1e6, "bytes": 0, "items": 1}, "loaded": {"cublas": "12.4"},
                  "files": [], "gpu": {"uuid": os.environ["CUDA_VISIBLE_DEVICES"]}%s}))
"""

# No such wheel exists: a stack that is refused in time never asks for it.
WHEEL = {"type": "wheel", "file": "nowhere-1-py3-none-any.whl", "sha256": "0" * 64, "library": "libcublas.so.12"}


class GpuCampaign(BlackBox):
    def machine(self, variant, **variables):
        self.environment.update(LD_LIBRARY_PATH=str(NVML / variant), **variables)

    def gpu_project(self, versions, wheel=False, **changes):
        entries = {version: {"requires": {"driver": driver, "gpu.compute_capability": ">=5.0,<=12.1"}, "provides": {"blas": version},
                             "artifacts": [WHEEL] if wheel else []} for version, driver in versions.items()}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "gpu": {"kind": "hardware", "versioning": "opaque",
                    "versions": {"made-up": {"attributes": {"compute_capability": "9.0"}}}},
            "driver": {"kind": "driver", "versions": {"999.0": {}}},
            "cublas": {"kind": "package", "versions": entries}}})
        return self.project(**{"requires": {"cublas": "*"}, **changes})

    def pi(self, version="12.4", uuid="$CUDA_VISIBLE_DEVICES"):
        path = self.write("pi.sh", PI % (version, uuid))
        path.chmod(0o755)
        return path

    def documents(self):
        lines = self.stackx("export").stdout.splitlines()
        return [d for d in map(json.loads, lines) if d["$schema"] == "stackx/inspection/1"]

    def test_each_device_is_a_campaign(self):
        self.machine("two_gpus")
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"})
        done = self.stackx("inspect", project, "--device", "all", "--pi", self.pi(), "--rounds", 2)
        self.assertEqual(done.stdout.count("2 of 2 inspections done"), 2, done.stdout)
        self.assertIn("GPU-66666666: campaign", done.stderr)
        documents = self.documents()
        self.assertEqual(sorted((d["device"], d["stack"]["gpu"]) for d in documents),
                         sorted([(H200, "nvidia-h200"), (V100, "tesla-v100-sxm2-16gb")] * 2))
        self.assertEqual(len({d["campaign"] for d in documents}), 2)
        for document in documents:
            self.assertEqual(document["outcome"], "ok", document["reason"])
            self.assertEqual(document["conditions"]["sm_clock_mhz"], [1980, 1700, 1980])
            self.assertEqual(document["throttled"], [1])
        self.assertIn("2 of 6 samples", done.stdout)
        self.assertIn("power cap", done.stdout)

    def test_a_name_of_several_models(self):
        """Is the one that is here, and no stack is filed under the most usual of them; another GPU is none of them."""
        self.machine("two_gpus")
        described = {"vendor": "nvidia", "architecture": "volta", "compute_capability": "7.0"}
        self.write("gpus-here.json", {"$schema": "stackx/catalog/1", "components": {"gpu": {"kind": "hardware", "versioning": "opaque", "versions": {
            "v100-pcie-16gb": {"attributes": described | {"title": "Tesla V100 PCIe 16GB"}},
            "v100-sxm2-16gb": {"attributes": described | {"title": "Tesla V100 SXM2 16GB", "aliases": ["Tesla V100-SXM2-16GB"]}}}}}})
        self.gpu_project({"12.4": ">=525"})
        project = self.project(requires={"cublas": "*"}, catalogs=["gpus-here.json", "catalog.json"], hardware={"gpu": "v100", "driver": "host"})
        self.assertEqual(self.json("resolve", project, "--count")["valid_stacks"], "1")
        self.stackx("inspect", project, "--device", V100, "--pi", self.pi(), "--rounds", 1)
        self.assertEqual([(one["outcome"], one["stack"]["gpu"], one["device"]) for one in self.documents()], [("ok", "v100-sxm2-16gb", V100)])
        other = self.stackx("inspect", project, "--device", H200, "--pi", self.pi(), "--rounds", 1, exit_code=2).stderr
        self.assertIn("asks for v100-pcie-16gb, but this machine has nvidia-h200", " ".join(other.split()))
        unknown = self.stackx("resolve", self.project(requires={"cublas": "*"}, catalogs=["gpus-here.json", "catalog.json"], hardware={"gpu": "v1000"}), exit_code=2).stderr
        self.assertIn('the catalog has no gpu "v1000"', " ".join(unknown.split()))

    def played_runtime(self, versions):
        """A machine with a driver and NVML that are played, and a catalog of a libcudart that is: `version: more of its entry`."""
        machine = NVML.parent / "fakes" / "gpu" / "right"
        self.environment["LD_LIBRARY_PATH"] = str(machine)
        runtime = str(machine / "libcudart.so.12")
        entry = {"requires": {"driver": ">=525", "gpu.compute_capability": ">=5.0"}, "reports": "*",
                 "artifacts": [{"type": "path", "file": runtime, "library": runtime}]}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {}},
            "driver": {"kind": "driver", "versions": {}},
            "cudart": {"kind": "runtime", "versions": {version: entry | more for version, more in versions.items()}}}})

    def test_the_whole_way(self):
        """Our own PI, a driver and a libcudart that the tests built: found, shown to the sandbox, measured, stored."""
        self.played_runtime({"12.4": {}})
        project = self.project(requires={"cudart": "*"}, hardware={"gpu": "host", "driver": "host"}, workload={
            "pi": "transfer", "params": {"repetitions": 4, "warmup_ms": 0, "min_sample_ms": 0.01}})
        self.stackx("inspect", project, "--rounds", 1)
        (document,) = self.documents()
        self.assertEqual(document["outcome"], "ok", document["reason"])
        self.assertEqual(document["device"], "GPU-00000000-0000-0000-0000-000000000000")
        self.assertEqual(len(document["samples_ns"]), 4)
        for column in document["conditions"].values():
            self.assertEqual(len(column), 4)
        self.assertIn("sm_clock_mhz", document["conditions"])
        self.assertEqual(document["conditions"]["gpu_utilization_percent"], [91, 92, 93, 94])

    def faulty_project(self, faults, **limits):
        """Of a stack for each fault of the look-alike of libcudart: `version: fault`, "" for none."""
        self.played_runtime({version: {"environment": {"CUDA_FAKE_FAULT": fault} if fault else {}} for version, fault in faults.items()})
        return self.project(requires={"cudart": "*"}, hardware={"gpu": "host", "driver": "host"},
                            campaign={"sampler": {"kind": "all"}, "rounds": 2, "limits": {"seconds": 20, "memory_gib": 2, **limits}},
                            workload={"pi": "memory_bandwidth", "params": {"size_mib": 1, "repetitions": 4, "mini_batch": 1,
                                                                           "warmup_ms": 0}})

    def test_a_run_that_the_gpu_ends_spoils_no_other(self):
        faults = {"12.0": "kill@3", "12.1": "hang@3", "12.2": "214@3", "12.3": "2@3", "12.4": ""}
        project = self.faulty_project(faults, seconds=15)  # what is right has so long, too
        self.stackx("inspect", project, exit_code=None)
        documents = self.documents()
        told = {(d["stack"]["cudart"], d["outcome"], d["reason"]) for d in documents}
        self.assertEqual({pair[:2] for pair in told}, {("12.0", "crashed"), ("12.1", "timed_out"), ("12.2", "failed"),
                                                       ("12.3", "unsupported"), ("12.4", "ok")})
        reasons = {version: reason for version, _, reason in told}
        self.assertIn("SIGKILL", reasons["12.0"])
        self.assertIn("limit of 15 s", reasons["12.1"])
        for words in ("uncorrectable ECC error encountered (cudaErrorECCUncorrectable, 214)", "until it is reset"):
            self.assertIn(words, reasons["12.2"])
        for words in ("cudaErrorMemoryAllocation", "the GPU's memory ran short", "give a smaller size_mib"):
            self.assertIn(words, reasons["12.3"])
        self.assertEqual(len([d for d in documents if d["outcome"] == "ok"]), 2)  # one a round
        self.assertEqual(schema_errors("inspection", documents), [""] * len(documents))

    def test_what_does_not_fit_is_refused_with_its_sizes(self):
        project = self.faulty_project({"12.4": ""})
        document = json.loads(project.read_text())
        document["workload"]["params"]["size_mib"] = 100_000
        self.write("project.json", document)
        self.stackx("inspect", project, exit_code=None)
        documents = self.documents()
        self.assertTrue(documents)
        for one in documents:  # what the host has left differs from run to run
            self.assertEqual(one["outcome"], "unsupported")
            self.assertRegex(one["reason"], r"^size_mib=100000 takes .* and 293.0 GiB of the GPU's; there are .* and 1.0 GiB of the "
                                            "GPU's: give a smaller size_mib$")

    def test_energy_is_the_gpus(self):
        """Read by the inspector, whatever the PI: of a GPU that draws 75 W all the time."""
        self.machine("energy")
        pi = self.write("sleeper.py", SLEEPER)
        pi.chmod(0o755)
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"})
        self.stackx("inspect", project, "--pi", pi, "--rounds", 1)
        (document,) = self.documents()
        self.assertEqual(document["outcome"], "ok", document["reason"])
        energy = document["energy"]["nvml"]
        self.assertEqual((energy["counters"], energy["covers"]), ([H200], "device"))
        (phase,) = (one for one in document["phases"] if one["name"] == "measure")
        self.assertAlmostEqual(energy["seconds"], phase["duration_ns"] / 1e9, delta=1e-6)
        self.assertAlmostEqual(energy["joules"] / (75 * energy["seconds"]), 1, delta=0.06)  # two steps of 20 ms, and a reading of 0.1 s
        self.assertAlmostEqual(energy["idle_watts"] / 75, 1, delta=0.12)  # in half a second
        self.assertAlmostEqual(energy["idle_share"], energy["idle_watts"] * energy["seconds"] / energy["joules"], delta=1e-4)
        self.assertGreaterEqual(energy["updates"], 20)

    def held_by_the_pi(self, form, text, own=""):
        """The document of a PI that, as NVML tells, holds memory: `text` with its pid in the place of PI."""
        held = self.write("held", "0 1 7000000\n")  # by somebody who is there all the time
        self.machine(f"memory_{form}", FAKE_NVML_MEMORY=str(held))
        pi = self.write("holder.py", HOLDER % own)
        pi.chmod(0o755)
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"})
        ended = threading.Event()

        def waits(place):
            try:
                caught = re.search(r"^SigCgt:\s*(\w+)$", (place / "status").read_text(), re.M)
            except OSError:
                return False
            return bool(caught and int(caught[1], 16) >> (signal.SIGUSR1 - 1) & 1)

        def tell():
            while not ended.wait(0.05):
                for place in pathlib.Path("/proc").glob("[0-9]*"):
                    try:
                        words = (place / "cmdline").read_bytes().split(b"\0")
                    except OSError:
                        continue
                    if str(pi).encode() in words[1:2] and waits(place):  # python3 holder.py, not the supervisor
                        part = self.scratch / "held.part"
                        part.write_text("0 1 7000000\n" + text.replace("PI", place.name))
                        part.replace(held)
                        time.sleep(2)  # it is looked at ten times a second
                        os.kill(int(place.name), signal.SIGUSR1)
                        return

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        self.stackx("inspect", project, "--pi", pi, "--rounds", 1)
        ended.set()
        teller.join()
        document = max(self.documents(), key=lambda one: one["finished"])
        self.assertEqual(document["outcome"], "ok", document["reason"])
        self.assertEqual(schema_errors("inspection", [document]), [""])
        return document

    def test_device_memory_of_the_pis_processes(self):
        document = self.held_by_the_pi(3, "0 PI 1500000000\n1 PI 99\n")
        self.assertEqual(document["device_memory"], {"counted": "processes", "peak_bytes": 1_500_000_000})
        for metric in ("device_memory", "nvml_memory"):
            found = self.json("advise", "--hw", "h200", "--workload", "matmul", "--pi", self.scratch / "holder.py", "--metric", metric)
            self.assertEqual((found["recommendations"][0]["amount"]["median"], found["unit"]), (1500, "MB"))

    def test_device_memory_where_the_driver_hides_processes(self):
        document = self.held_by_the_pi(3, "0 PI 1500000000 hidden\n")
        self.assertEqual(document["device_memory"],
                         {"counted": "device", "peak_bytes": 1_500_000_000, "before_bytes": (500 << 20) + 7_000_000})

    def test_device_memory_by_old_drivers(self):
        for form, counted in ((2, "processes"), (1, "processes"), (0, "device")):
            with self.subTest(form):
                self.assertEqual(self.held_by_the_pi(form, "0 PI 300000000\n")["device_memory"]["counted"], counted)

    def test_a_frameworks_own_count_goes_before(self):
        document = self.held_by_the_pi(3, "0 PI 1500000000\n", ', "metrics": {"peak_device_memory_bytes": 9e8}')
        self.assertEqual((document["metrics"], document["device_memory"]["peak_bytes"]), ({"peak_device_memory_bytes": 9e8}, 1_500_000_000))
        for metric, amount in (("device_memory", 900), ("nvml_memory", 1500)):
            found = self.json("advise", "--hw", "h200", "--workload", "matmul", "--pi", self.scratch / "holder.py", "--metric", metric)
            self.assertEqual(found["recommendations"][0]["amount"]["median"], amount)

    def test_the_first_visible_device_is_measured(self):
        self.machine("two_gpus", CUDA_VISIBLE_DEVICES="1,0")
        self.stackx("inspect", self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"}), "--pi", self.pi(),
                    "--rounds", 1)
        self.assertEqual({d["device"] for d in self.documents()}, {V100})

    def test_devices_as_they_are_named(self):
        """`--device` counts and knows what $CUDA_VISIBLE_DEVICES shows; each device is measured by its UUID."""
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"})
        both = [H200, V100]
        for number, (visible, words, expected) in enumerate([
                (None, ["0"], [H200]), (None, ["1"], [V100]), (None, [V100], [V100]), (None, ["GPU-666"], [V100]),
                (None, ["all"], both), (None, ["1", "GPU-6666"], [V100]), (None, ["1", "0"], both),
                ("1,0", ["0"], [V100]), ("1,0", ["all"], both), ("1", ["0"], [V100]), ("1", ["all"], [V100]), ("1, 0", ["1"], [H200]),
                (V100, ["0"], [V100]), ("GPU-6", ["all"], [V100]), (V100 + "," + H200, ["1"], [H200]), ("0,-1,1", ["all"], [H200])]):
            with self.subTest(visible=visible, device=words):
                self.environment.pop("CUDA_VISIBLE_DEVICES", None)
                self.machine("two_gpus", STACKX_DB=str(self.scratch / f"devices{number}.db"),
                             **({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}))
                options = [option for word in words for option in ("--device", word)]
                self.stackx("inspect", project, *options, "--pi", self.pi(), "--rounds", 1)
                documents = self.documents()
                self.assertEqual(sorted(d["device"] for d in documents), sorted(expected))
                self.assertEqual({d["outcome"] for d in documents}, {"ok"})  # the PI says which device it was given

    def test_what_is_spread_over_gpus_does_not_run_beside_itself(self):
        self.machine("two_gpus")
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"}, workload={"pi": "all_reduce", "params": {}})
        refused = " ".join(self.stackx("inspect", project, "--device", "all", "--pi", self.pi(), exit_code=2).stderr.split())
        self.assertIn("--device: all_reduce is spread over all visible GPUs of a model", refused)
        self.assertEqual(self.documents(), [])

    def test_devices_that_are_not_shown(self):
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"})
        for visible, word, there in ((None, "2", f"{H200}, {V100}"), (None, "GPU-", f"{H200}, {V100}"), (None, "h200", f"{H200}, {V100}"),
                                     ("0", "1", H200), ("0", V100, H200), ("", "0", "none"), ("-1", "0", "none"), ("7,0", "0", "none")):
            with self.subTest(visible=visible, device=word):
                self.environment.pop("CUDA_VISIBLE_DEVICES", None)
                self.machine("two_gpus", **({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}))
                error = self.stackx("inspect", project, "--device", word, "--pi", self.pi(), exit_code=2).stderr
                note = "" if visible is None else f" (CUDA_VISIBLE_DEVICES={visible})"
                self.assertIn(f"--device {word}: names no single GPU that is visible here{note}; there are: {there};", error)
        for visible in ("", "-1"):  # "all" of none
            self.machine("two_gpus", CUDA_VISIBLE_DEVICES=visible, STACKX_DB=str(self.scratch / f"none{visible}.db"))
            ((outcome, reason),) = self.refusals(self.gpu_project({"12.4": ">=525"}, wheel=True), "--device", "all")
            self.assertEqual(outcome, "unsupported")
            self.assertIn("$CUDA_VISIBLE_DEVICES", reason)

    def test_instances_of_mig_are_devices(self):
        self.machine("mig")
        project = self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"})
        self.stackx("inspect", project, "--device", "MIG-aaaa2", "--device", "0", "--pi", self.pi(), "--rounds", 1)
        self.assertEqual({d["device"] for d in self.documents()}, set(MIG))
        self.assertIn("1g.18gb", self.stackx("hw").stdout)
        error = self.stackx("inspect", project, "--device", "GPU-1111", exit_code=2).stderr
        self.assertIn(MIG[0], error)

    def test_a_pi_that_ran_elsewhere_is_found_out(self):
        self.machine("two_gpus")
        self.stackx("inspect", self.gpu_project({"12.4": ">=525"}, hardware={"gpu": "host", "driver": "host"}), "--pi",
                    self.pi(uuid=V100), "--rounds", 1, exit_code=1)
        (document,) = self.documents()
        self.assertEqual(document["outcome"], "wrong_stack")
        self.assertIn("was told to use " + H200, document["reason"])

    def refusals(self, project, *options):
        """The outcomes and reasons of a campaign that must not even look for its wheel."""
        done = self.stackx("inspect", project, "--rounds", 1, *options, exit_code=1)
        self.assertNotIn("nowhere-1", done.stdout + done.stderr)
        return [(d["outcome"], d["reason"]) for d in self.documents()]

    def test_a_driver_that_is_too_old_is_refused_before_the_build(self):
        self.machine("two_gpus")
        ((outcome, reason),) = self.refusals(self.gpu_project({"13.0": ">=580"}, wheel=True))
        self.assertEqual(outcome, "unsupported")
        # The stack was resolved for a GPU of the catalog; that, too, is not here.
        self.assertRegex(reason, "needs driver >=580, this machine has 550.54.15|is for made-up")

    def test_without_a_gpu_each_inspection_is_unsupported(self):
        self.machine("no_gpu")
        versions = {"12.4": ">=525", "13.0": ">=580"}
        for hardware in ({}, {"gpu": "host", "driver": "host"}):
            with self.subTest(hardware=hardware):
                self.environment["STACKX_DB"] = str(self.scratch / f"{len(hardware)}.db")
                refusals = self.refusals(self.gpu_project(versions, wheel=True, hardware=hardware))
                self.assertEqual([outcome for outcome, _ in refusals], ["unsupported"] * 2)
                for _, reason in refusals:
                    self.assertIn("needs a GPU, and none is to be seen", reason)
                    self.assertIn("shows no GPU", reason)

    def test_hidden_devices_are_no_devices(self):
        self.machine("two_gpus", CUDA_VISIBLE_DEVICES="")
        ((outcome, reason),) = self.refusals(self.gpu_project({"12.4": ">=525"}, wheel=True))
        self.assertEqual(outcome, "unsupported")
        self.assertIn("$CUDA_VISIBLE_DEVICES", reason)
