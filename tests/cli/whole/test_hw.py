"""stackx hw against what lscpu, nproc and the system itself say of this machine."""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import time
import unittest

from harness import STACKX, BlackBox


def lscpu():
    done = subprocess.run(["lscpu", "-J"], capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C"))
    fields = {}

    def collect(entries):
        for entry in entries:
            fields[entry["field"].rstrip(":")] = entry["data"]
            collect(entry.get("children", []))

    collect(json.loads(done.stdout)["lscpu"])
    return fields


class Hardware(BlackBox):
    @unittest.skipUnless(shutil.which("lscpu"), "skipped: no lscpu here (Debian package util-linux)")
    def test_processor_is_the_one_that_lscpu_shows(self):
        cpu, oracle = self.json("hw")["cpu"], lscpu()
        self.assertEqual(cpu["threads_online"], len(self.expand(oracle["On-line CPU(s) list"])))
        if platform.machine() == "x86_64":
            self.assertEqual(cpu["model"], " ".join(oracle["Model name"].split()))
            self.assertEqual(cpu["family"], int(oracle["CPU family"]))
            self.assertEqual(cpu["model_number"], int(oracle["Model"]))
            self.assertEqual(cpu["stepping"], int(oracle["Stepping"]))
            self.assertEqual(cpu["isa"], sorted(oracle["Flags"].split()))
        if cpu["threads"] == cpu["threads_online"]:
            self.assertEqual(cpu["numa_nodes"], int(oracle["NUMA node(s)"]))
            self.assertEqual(cpu["packages"], int(oracle["Socket(s)"]))
            self.assertEqual(cpu["cores"], int(oracle["Socket(s)"]) * int(oracle["Core(s) per socket"]))

    def test_threads_are_those_this_process_may_use(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
        count = int(subprocess.run(["nproc"], capture_output=True, text=True, check=True, env=environment).stdout)
        self.assertEqual(self.json("hw")["cpu"]["threads"], count)
        last = max(os.sched_getaffinity(0))
        narrowed = subprocess.run(["taskset", "-c", str(last), os.environ["STACKX"], "hw", "--json"],
                                  capture_output=True, text=True, check=True, env=self.environment)
        cpu = json.loads(narrowed.stdout)["cpu"]
        self.assertEqual((cpu["threads"], cpu["cores"], cpu["packages"]), (1, 1, 1))

    def test_system_is_the_one_that_runs(self):
        host = self.json("hw")
        self.assertEqual(host["kernel"], platform.release())
        self.assertEqual(host["hostname"], platform.node())
        self.assertEqual(host["libc"], " ".join(platform.libc_ver()))
        self.assertEqual(host["os"], platform.freedesktop_os_release()["ID"])
        self.assertEqual(host["memory_bytes"], os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        self.assertRegex(host["fingerprint"], "^[0-9a-f]{64}$")

    def test_report_names_everything(self):
        host, report = self.json("hw"), self.stackx("hw").stdout
        for text in (host["cpu"]["model"], host["cpu"]["microarchitecture"], host["kernel"], host["libc"], host["governor"],
                     host["virtualization"], host["fingerprint"], host["gpu_note"], *host["cpu"]["isa"], *host["runtimes"]):
            self.assertIn(text, report)

    def test_how_gpus_are_joined_is_told(self):
        machines = pathlib.Path(STACKX).resolve().parent / "tests" / "nvml"  # look-alikes of NVML
        self.environment["LD_LIBRARY_PATH"] = str(machines / "bridged")
        host, report = self.json("hw"), self.stackx("hw").stdout
        self.assertEqual([(link["a"], link["b"], link["nvlinks"]) for link in host["gpu_links"]],
                         [(0, 1, 4), (0, 2, 0), (0, 3, 0), (1, 2, 0), (1, 3, 0), (2, 3, 4)])
        self.assertEqual(host["gpu_links"][0], {"a": 0, "b": 1, "path": "host_bridge", "nvlinks": 4, "nvswitch": 0,
                                                "nvlink_version": 3, "peer_access": True})
        self.assertIn("GPU links       4 NVLinks (version 3): GPU 0-1, 2-3\n"
                      "                across NUMA nodes (PCIe 4.0 x16), no peer access: GPU 0-2, 1-2\n"
                      "                across NUMA nodes (PCIe 4.0 x8), no peer access: GPU 0-3, 1-3\n", report)
        self.assertIn("PCI 00000000:D3:00.0, PCIe 4.0 x8", report)
        self.environment["LD_LIBRARY_PATH"] = str(machines / "switched")
        self.assertIn("                17 NVLinks through NVSwitch (version 4), no peer access: GPU\n"
                      "                0-2, 1-2\n", self.stackx("hw").stdout)
        self.environment["LD_LIBRARY_PATH"] = str(machines / "two_gpus")
        self.assertNotIn("gpu_links", self.json("hw"))
        self.assertNotIn("GPU links", self.stackx("hw").stdout)

    def fake_engine(self, name, body):
        """A program `name` on a PATH of its own, beside the tools that the search needs; returns that PATH."""
        directory = self.scratch / "bin"
        directory.mkdir(exist_ok=True)
        program = directory / name
        program.write_text("#!/bin/sh\n" + body)
        program.chmod(0o755)
        for tool in ("tar", "sh", "sleep"):
            if not (directory / tool).exists():
                (directory / tool).symlink_to(shutil.which(tool))
        return str(directory)

    def test_container_engine_is_tried_and_remembered(self):
        engine, report = self.json("hw")["container_engine"], self.stackx("hw").stdout
        answer = self.scratch / "cache" / "stackx" / "container-engine.json"
        if "none" in engine:
            self.assertFalse(answer.exists())
            self.assertIn("no engine works: " + engine["none"], report)
            self.skipTest("no container engine works here: " + engine["none"])
        self.assertIn(f"{engine['kind']} {engine['version']}", report)
        for attempt in engine["rejected"]:
            self.assertIn("did not work: " + attempt, report)
        document = json.loads(answer.read_text())
        self.assertEqual({key: document[key] for key in engine}, engine)
        document["version"] = "remembered"
        answer.write_text(json.dumps(document))
        self.assertEqual(self.json("hw")["container_engine"]["version"], "remembered")

    def test_no_container_engine_is_told_with_its_reason(self):
        self.environment["PATH"] = self.fake_engine("podman", "echo 'no such kernel' >&2; exit 1\n")
        engine = self.json("hw")["container_engine"]
        self.assertEqual(list(engine), ["none"])
        self.assertIn("no such kernel", engine["none"])
        self.assertIn("docker: not found", engine["none"])
        self.assertIn("no engine works: ", self.stackx("hw").stdout)

    def test_a_container_engine_that_hangs_is_not_waited_for(self):
        self.environment["PATH"] = self.fake_engine("podman", "exec sleep 1000\n")
        before = time.monotonic()
        self.assertIn("none within 10 s", self.json("hw")["container_engine"]["none"])
        self.assertLess(time.monotonic() - before, 240)  # it hangs for 1000
        self.assertFalse((self.scratch / "cache" / "stackx" / "container-engine.json").exists())

    def test_noise_is_told_check_by_check(self):
        report = self.json("hw", "noise")
        self.assertEqual(len(report["cpus"]), 1)  # inspections of one thread
        self.assertIn(report["cpus"][0], os.sched_getaffinity(0))
        self.assertEqual(sorted(self.json("hw", "noise", "--threads", "0")["cpus"]), sorted(os.sched_getaffinity(0)))
        verdicts = [finding["verdict"] for finding in report["findings"]]
        self.assertEqual([report[verdict] for verdict in ("good", "noisy", "unknown")],
                         [verdicts.count(verdict) for verdict in ("good", "noisy", "unknown")])
        names = [finding["what"] for finding in report["findings"]]
        self.assertEqual(len(set(names)), len(names))
        for finding in report["findings"]:
            self.assertFalse(finding["verdict"] == "noisy" and not finding["advice"], finding)
        table = self.stackx("hw", "noise").stdout
        for name in ("load", "other processes", "steal time", "CPU frequency governor", "SMT siblings", "CPU quota"):
            self.assertIn(name, names)
            self.assertIn(name, table)

    def test_noise_sees_a_busy_process(self):
        with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as burner:
            try:
                others = [finding for finding in self.json("hw", "noise")["findings"] if finding["what"] == "other processes"][0]
            finally:
                burner.kill()
        self.assertEqual(others["verdict"], "noisy")
        self.assertGreater(float(others["found"].split()[0]), 0.1)

    def test_list_and_show(self):
        rows = self.lines("hw", "list")
        self.assertGreater(len(rows), 80)
        table = self.stackx("hw", "list").stdout
        for row in rows:
            self.assertIn(row["id"], table)
            self.assertTrue(row["sources"])
        for name in ("zen3", "Zen 3", "znver3", "milan"):
            self.assertEqual(self.json("hw", "show", name)["id"], "zen3")
        self.assertIn("amx_bf16", self.stackx("hw", "show", "spr").stdout)

    def test_accelerators_are_listed_and_shown(self):
        rows = [row for row in self.lines("hw", "list") if row["kind"] == "accelerator"]
        self.assertGreater(len(rows), 70)
        v100 = self.json("hw", "show", "v100")
        self.assertEqual(v100["models"][0]["id"], "v100-sxm2-16gb")
        self.assertEqual(v100["models"][0]["peaks_tflop_s"], {"float64": 7.8, "float32": 15.7, "float16_tensor": 125})
        self.assertEqual({model["compute_capability"] for model in v100["models"]}, {"7.0"})
        table = self.stackx("hw", "show", "v100").stdout
        for model in v100["models"]:
            self.assertIn(model["id"], table)
            for source in model["sources"]:
                self.assertIn(source, table)
        for words in ("7 models", "compute capability 7.0", "FP16 tensor", "125", "900", "https://"):
            self.assertIn(words, table)
        one = self.stackx("hw", "show", "NVIDIA H100 80GB HBM3").stdout
        self.assertIn("h100-sxm5-80gb", one)
        self.assertNotIn("h100-pcie-80gb", one)
        self.assertIn("989.4", one)
        xeon = self.json("hw", "show", "Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz")
        self.assertEqual((xeon["id"], xeon["microarchitecture"], xeon["cores"]), ("xeon-platinum-8168", "skylake-sp", 24))
        self.assertAlmostEqual(xeon["peaks_gflop_s"]["float32"], 24 * 2.7 * 64)
        self.assertIn("2074 FP64", self.stackx("hw", "show", "xeon-platinum-8168").stdout)
        self.assertIn("32 FP32 and 16 FP64 flop per cycle", self.stackx("hw", "show", "zen3").stdout)

    def test_one_driver_for_several_gpus(self):
        # B200's code came with CUDA 12.8 (driver 570.26); R580 is the last branch for Volta (NVIDIA's driver and architecture matrix).
        both = self.stackx("hw", "drivers", "v100", "b200").stdout
        self.assertTrue(both.startswith("Drivers from 570.26 to the end of branch 580 drive V100 and B200"), both)
        self.assertIn("CUDA 13 (not for V100) needs driver >=580", both)
        self.assertIn("CUDA 11 (not for B200) needs driver >=450.80.02", both)
        no = self.stackx("hw", "drivers", "v100", "b200", "--driver", "535.183.01", exit_code=1).stdout
        self.assertTrue(no.startswith("No: driver 535.183.01 does not drive B200"), no)
        self.stackx("hw", "drivers", "k80", "b200", exit_code=1)
        document = self.json("hw", "drivers", "v100", "a100", "--driver", "590.44.01", exit_code=1)
        self.assertEqual((document["drives_all"], document["all"]), (False, {"since": "450.36.06", "last_branch": "580"}))
        self.assertIn("does not drive H200 (from 550.90.07 on", self.stackx("hw", "drivers", "h200", "l4", "--driver", "530.41.03", exit_code=1).stdout)
        orin = self.json("hw", "drivers", "jetson agx orin", "v100")
        self.assertEqual((orin["drives_all"], orin["all"]), (None, None))
        for several in (["v100,b200"], ["v100 b200"], ["v100", "b200", "v100"]):
            self.assertEqual(self.stackx("hw", "drivers", *several).stdout, both)
        self.assertIn("not of NVIDIA", self.stackx("hw", "drivers", "mi300x", exit_code=2).stderr)

    def test_drivers_of_a_cluster_of_several_vendors(self):
        said = " ".join(self.stackx("hw", "drivers", "v100", "mi250x", "a100").stdout.split())
        self.assertIn("drive V100 and A100: ", said)
        self.assertIn("Left out: MI250X is not of NVIDIA; ", said)
        # What was answered decides: a yes of NVIDIA's, which is not one of all.
        yes = self.json("hw", "drivers", "v100", "mi250x", "--driver", "535.183.01")
        self.assertEqual((yes["drives_all"], yes["left_out"], yes["all"]), (None, ["MI250X"], None))
        no = self.json("hw", "drivers", "b200", "mi250x", "--driver", "535.183.01", exit_code=1)
        self.assertIs(no["drives_all"], False)

    def test_words_that_no_driver_is_called(self):
        self.assertIn("did you mean v100", self.stackx("hw", "drivers", "v10", exit_code=2).stderr)
        self.assertIn("nvidia-smi", self.stackx("hw", "drivers", "v100", "--driver", "12.4", exit_code=2).stderr)

    def test_unknown_name_brings_the_nearest(self):
        self.assertIn("did you mean v100", self.stackx("hw", "show", "v10", exit_code=2).stderr)
        self.assertIn("did you mean h100", self.stackx("hw", "show", "h1000", exit_code=2).stderr)
        self.assertIn("did you mean sapphire-rapids", self.stackx("hw", "show", "saphire-rapids", exit_code=2).stderr)
        self.assertIn("stackx hw list", self.stackx("hw", "show", "quantum", exit_code=2).stderr)
        self.stackx("hw", "show", exit_code=2)

    @staticmethod
    def expand(text):
        cpus = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus += range(int(first), int(last or first) + 1)
        return cpus
