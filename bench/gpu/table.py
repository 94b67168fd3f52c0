"""The table of matmul on a GPU out of result documents: every library and our kernels, against the device's peak and cuBLAS; the same as
evidence (stackx/evidence/1).

A cell is the median over n inspections (fresh processes) of each one's median rate, TFLOP/s, with the least and the most. Rates of
samples taken while the device was throttled count; how many there were stands below."""
import collections
import datetime
import json
import statistics

from evidence import source_of
from machine import ROOT

# Attributes of specs/data/gpus.json: the peak that a library can reach, by the type of numbers.
PEAK = {"float64": ("float64_tensor_tflops", "float64_tflops"), "float32": ("float32_tflops",), "tf32": ("tensorfloat32_tflops",),
        "float16": ("float16_tensor_tflops",), "bfloat16": ("bfloat16_tflops",), "fp8": ("float8_tflops",)}
# What of a stack says where it runs, or how a library is used, not which one it is.
NO_LIBRARY = ("gpu", "driver", "own-kernel", "cublaslt-search")


class Rates:
    """{(type of A and B, of C, size, arm): [TFLOP/s]} of the matmul inspections in a file of result documents, of one device, which
    has that name."""

    def __init__(self, results, uuid, name):
        documents = [json.loads(line) for line in results.read_text().splitlines() if line.strip()]
        documents = [one for one in documents if one.get("$schema") == "stackx/inspection/1" and one["workload"]["pi"] == "matmul"
                     and one.get("device") == uuid and not one.get("arm", "").endswith("+A")]  # +A: the campaign's check on itself
        self.rates, self.stacks, self.failed = collections.defaultdict(list), {}, collections.Counter()
        self.samples = self.throttled = 0
        self.device = name
        for one in documents:
            self.add(one)
        self.arms = sorted(self.stacks)

    def add(self, one):
        if one["outcome"] != "ok":
            self.failed[one["reason"]] += 1
            return
        params, name = one["workload"]["params"], arm(one["stack"])
        self.stacks[name] = one["stack"]
        self.samples += len(one["samples_ns"])
        self.throttled += len(one.get("throttled", ()))
        result = one["parameters"].get("result", "")  # "": of an older stackx-pi, the usual one
        self.rates[params["dtype"], result, int(params["m"]), name].append(one["work"]["flop"] / statistics.median(one["samples_ns"]) / 1e3)

    def conditions(self):
        return f"{self.samples} samples, {self.throttled} of them taken while the device was throttled"


def arm(stack):
    """What a person calls the stack."""
    version = {name.removeprefix("nvidia-"): version for name, version in stack.items()}
    if "own-kernel" in stack:
        return f"our {stack['own-kernel']} kernel, NVRTC {version['nvrtc']}"
    if "cublaslt" in version:
        return f"cuBLASLt {version['cublaslt']}, search {stack['cublaslt-search']}"
    return f"cuBLAS {version['cublas']}"


def peak(model, dtype):
    """TFLOP/s that the maker states for a GPU that NVML calls so, or None."""
    for name, entry in json.loads((ROOT / "specs/data/gpus.json").read_text())["components"]["gpu"]["versions"].items():
        attributes = entry["attributes"]
        if words(model) in [words(one) for one in (attributes.get("title", ""), name, *attributes.get("aliases", []))]:
            return next((float(attributes[key]) for key in PEAK[dtype] if key in attributes), None)
    return None


def words(model):
    return set(model.lower().replace("nvidia", "").replace("-", " ").split())


def cell(rates):
    return f"{statistics.median(rates):.1f} ({min(rates):.1f} to {max(rates):.1f}, n={len(rates)})" if rates else ""


def lines(results, uuid, name, evidence):
    """The table, line by line; writes `evidence`."""
    found = Rates(results, uuid, name)
    if not found.rates:
        yield "No matmul was measured: " + ("; ".join(found.failed) or "no result document is of this device") + "."
        return
    yield f"matmul on {found.device}, TFLOP/s: median of n inspections (least to most)"
    yield ""
    yield "| A and B | C | m = n = k | " + " | ".join(found.arms) + " | ours / best of NVIDIA's | best / peak | peak |"
    yield "|---" * (len(found.arms) + 6) + "|"
    for case in sorted({case[:-1] for case in found.rates}):
        dtype, result, size = case
        medians = {name: statistics.median(found.rates[(*case, name)]) for name in found.arms if (*case, name) in found.rates}
        ours = max((value for name, value in medians.items() if name.startswith("our ")), default=None)
        theirs = max((value for name, value in medians.items() if not name.startswith("our ")), default=None)
        top = peak(found.device, dtype)
        yield (f"| {dtype} | {result} | {size} | " + " | ".join(cell(found.rates.get((*case, name))) for name in found.arms) +
               f" | {f'{ours / theirs:.2f}' if ours and theirs else ''}"
               f" | {f'{100 * max(medians.values()) / top:.0f} %' if top else ''} | {top or ''} |")
    yield ""
    yield found.conditions() + ". " + (f"{sum(found.failed.values())} inspections without a rate: " +
                                       "; ".join(f"{n} x {why}" for why, n in found.failed.most_common(5)) if found.failed
                                       else "Every inspection has a rate.")
    evidence.write_text(json.dumps(evidence_of(found), indent=1) + "\n")
    yield f"As evidence: {evidence.name}."


def evidence_of(found):
    tables = []
    for name in found.arms:
        rows = [[dtype.replace("fp8", "float8_e4m3"), size, size, size, statistics.median(rates), len(rates), min(rates), max(rates),
                 rates, name, result or None]
                for (dtype, result, size, arm_name), rates in sorted(found.rates.items()) if arm_name == name]
        tables.append({"source": 0, "hardware": found.device, "devices": 1, "pi": "matmul", "metric": "rate_tflops", "statistic": "median",
                       "stack": {key: value for key, value in found.stacks[name].items() if key not in NO_LIBRARY or key == "driver"},
                       "columns": ["params.dtype", "params.m", "params.n", "params.k", "value", "runs", "min", "max", "values",
                                   "details.library", "details.result"],
                       "rows": rows})
    return {"$schema": "stackx/evidence/1",
            "source": [source_of("stackx://bench/gpu.sh", f"stackx on {found.device}", datetime.date.today().isoformat())],
            "notes": [f"Measured by stackx: {found.conditions()}."], "tables": tables}
