#!/usr/bin/env python3
"""What indicators told once each on a GPU (once.jsonl, frameworks.jsonl) as evidence: a file stackx/evidence/1 for each kind of work.

usage: bench/gpu/evidence.py --hardware "NVIDIA H200" --driver 580.159.04 --date 2026-11-27 --url stackx://FILE FOLDER FILE.jsonl...

writes FOLDER/PI/nvidia-h200-stackx.json, as specs/data/evidence holds them. What says nothing of a stack on a GPU is left out: results
under load, collectives of one rank, times of start that are the host's, our own kernels, convolutions by cuDNN itself (of the algorithms
that sum directly: others published those by whichever is fastest). matmul, of which there are rounds, is table.py's. A convolution is
named as DeepBench does, so that it stands beside what others published.
"""
import argparse
import json
import pathlib
import statistics
import sys

from machine import slug

# indicator -> (metric, the parameters of the indicator that say which work it was)
WORK = {"memory_bandwidth": ("rate_gbps", ("loop", "size_mib")),
        "launch_latency": ("latency_ms", ("api", "synchronous")),
        "transfer": ("rate_gbps", ("direction", "memory", "size_kib")),
        "conv2d": ("rate_tflops", ("dtype",)),
        "transformer": ("tokens_per_s", ("phase", "model", "batch", "context", "dtype", "mode")),
        "train_resnet50": ("images_per_s", ("batch",))}
# What was loaded -> component; versions of a kind of wheel for one CUDA are those of the library.
LOADED = {"torch": "torch", "jax": "jax", "cudart": "cuda", "cudnn": "cudnn", "nvidia-cuda-runtime": "cuda", "nvidia-cudnn-cu13": "cudnn",
          "nvidia-cudnn-cu12": "cudnn", "python": "python"}


def params(name, told):
    """Of the workload, as results name them."""
    given = told["parameters"]
    found = {key: given[key] for key in WORK[name][1]}
    if name == "transformer" and given["phase"] == "decode":
        found["tokens"] = given["tokens"]
    if name == "train_resnet50":
        found.update(data="synthetic", image=f"{given['image_size']}x{given['image_size']}", optimizer="sgd",
                     precision="tf32" if given["tf32"] else {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}[given["dtype"]])
    if name == "conv2d":
        if given["padding"] != "valid":
            raise ValueError(f"conv2d with padding={given['padding']}")
        sides = [given[f"kernel_{side}"] if given[f"kernel_{side}"] != "kernel" else given["kernel"] for side in "hw"]
        found.update(n=given["batch"], c=given["in_channels"], h=given["height"], w=given["width"], k=given["out_channels"],
                     filter_h=sides[0], filter_w=sides[1], pad_h=0, pad_w=0, stride_h=given["stride"], stride_w=given["stride"])
        found["pass"] = "fwd"
    return found


def value(name, told):
    """In the unit of the metric, to five digits."""
    metric, sample, work = WORK[name][0], statistics.median(told["samples_ns"]), told["work"]
    amount = {"rate_gbps": lambda: work["bytes"] / sample, "rate_tflops": lambda: work["flop"] / sample / 1e3,
              "latency_ms": lambda: sample / work["items"] / 1e6}.get(metric, lambda: work["items"] / sample * 1e9)
    return float(f"{amount():.5g}")


def stack(told, driver):
    framework = told["component"] in ("torch", "jax")
    found = {"driver": driver}
    for package, version in told["loaded"].items():
        if package in LOADED and (package not in ("torch", "jax") or package == told["component"]):
            component = LOADED[package]
            found[component] = ".".join(version.split(".")[:2]) if component == "cuda" else version
    if not framework:
        found.pop("python", None)
    return found


def wanted(one):
    told = one.get("document", {})
    given = told.get("parameters", {})
    return (told.get("name") in WORK and not told.get("unsupported") and told["check"]["pass"] and given.get("scenario", "none") == "none"
            and not (told["name"] == "conv2d" and (given.get("tf32") or "algorithms" in given)))


def documents(files):
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]


def tables(ran, hardware, driver):
    """{indicator: [table]}: one of each stack and set of parameters."""
    found = {}
    for told in (one["document"] for one in ran if wanted(one)):
        name = told["name"]
        row = params(name, told)
        key = (json.dumps(stack(told, driver), sort_keys=True), tuple(row))
        table = found.setdefault(name, {}).setdefault(key, {
            "source": 0, "hardware": hardware, "devices": 1, "pi": name, "metric": WORK[name][0], "stack": stack(told, driver),
            "statistic": "median", "runs": 1, "columns": [f"params.{one}" for one in row] + ["value"], "rows": []})
        table["rows"].append([*row.values(), value(name, told)])
    return {name: list(by_stack.values()) for name, by_stack in found.items()}


def text(source, made):
    """The file: a row a line, since people read it."""
    lines = []
    for table in made:
        rows = ",\n".join("    " + json.dumps(row) for row in table["rows"])
        head = json.dumps({key: kept for key, kept in table.items() if key != "rows"})
        lines.append(f'  {head[:-1]}, "rows": [\n{rows}\n  ]}}')
    notes = ["Measured by stackx, each once: value is the median of the samples of one process, whose result was checked against float64; "
             "so there is no interval over processes."]
    return (f'{{\n"$schema": "stackx/evidence/1",\n"source": [\n  {json.dumps(source)}\n],\n"notes": {json.dumps(notes)},\n'
            '"tables": [\n' + ",\n".join(lines) + "\n]\n}\n")


def write(folder, ran, hardware, driver, source):
    """The files that were written, in `folder`/PI."""
    written = []
    for indicator, made in tables(ran, hardware, driver).items():
        file = folder / indicator / f"{slug(hardware)}-stackx.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(source, made))
        written.append(file)
    return written


def source_of(url, title, date):
    """Of what stackx measured itself, on that day."""
    return {"url": url, "title": title, "date": date, "read": date, "license": "Apache-2.0"}


def once_on(url, hardware, date):
    return source_of(url, f"stackx on one {hardware.removeprefix('NVIDIA ')}, each once", date)


def main():
    parser = argparse.ArgumentParser(prog="bench/gpu/evidence.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--hardware", "--driver", "--date", "--url"):
        parser.add_argument(name, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    source = once_on(options.url, options.hardware, options.date)
    for file in write(options.folder, documents(options.files), options.hardware, options.driver, source):
        print(file, file=sys.stderr)


if __name__ == "__main__":
    main()
