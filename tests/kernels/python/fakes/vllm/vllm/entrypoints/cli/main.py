"""`vllm bench` as far as vllm_bench.py uses it: the same options, and JSON as vllm/benchmarks/*.py of 0.32 write it. FAKE_FAULT breaks it."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

FAULT = os.environ.get("FAKE_FAULT", "")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench", choices=["bench"])
    parser.add_argument("kind", choices=["latency", "throughput", "startup"])
    for name in ("model", "load-format", "dtype", "output-json", "dataset-name"):
        parser.add_argument("--" + name)
    for name in ("tensor-parallel-size", "seed", "input-len", "output-len", "batch-size", "num-iters", "num-iters-warmup",
                 "num-iters-cold", "num-iters-warm", "num-prompts", "max-model-len"):
        parser.add_argument("--" + name, type=int)
    parser.add_argument("--random-input-len", type=int, default=1024)
    parser.add_argument("--random-output-len", type=int, default=128)
    parser.add_argument("--enforce-eager", action="store_true")
    parser.add_argument("--no-enable-prefix-caching", action="store_true")
    return parser.parse_args()


def percentiles(values):
    return dict((str(p), sorted(values)[min(len(values) - 1, p * len(values) // 100)]) for p in (10, 25, 50, 75, 90, 99))


def slept(seconds):
    begin = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - begin


def latency(args):
    for _ in range(args.num_iters_warmup):
        slept(0.001)
    values = [slept(0.01) for _ in range(args.num_iters)]
    return {"model_id": args.model, "avg_latency": sum(values) / len(values), "latencies": values, "percentiles": percentiles(values)}


def throughput(args):
    elapsed, output = slept(0.02), args.num_prompts * args.random_output_len - (FAULT == "stops early")
    total = output + args.num_prompts * args.random_input_len
    if FAULT == "ignores input_len":
        total += args.num_prompts * 1000
    if FAULT != "says no tokens":
        print("Total num prompt tokens:  %d\nTotal num output tokens:  %d" % (total - output, output))
    return {"elapsed_time": elapsed, "num_requests": args.num_prompts, "total_num_tokens": total,
            "requests_per_second": args.num_prompts / elapsed, "tokens_per_second": total / elapsed}


def startup(args):
    found = {}
    for kind, count in (("cold", args.num_iters_cold), ("warm", args.num_iters_warm)):
        values = [slept(0.02 if kind == "cold" else 0.01) for _ in range(count)]
        compilations = [0.0 if args.enforce_eager else value / 2 for value in values]
        for what, numbers in (("startup", values), ("compilation", compilations)):
            found.update({"avg_%s_%s_time" % (kind, what): sum(numbers) / len(numbers), "%s_%s_times" % (kind, what): numbers,
                          "%s_%s_percentiles" % (kind, what): percentiles(numbers)})
    return found


def broken(result, args):
    """The JSON with what FAKE_FAULT asks for: KEY=JSON sets, drop KEY removes, more KEY adds one, times KEY multiplies."""
    word, _, key = FAULT.partition(" ")
    if word == "drop":
        del result[key]
    elif word == "more":
        result[key].append(result[key][0])
    elif word == "times":
        result[key] = [1000 * value for value in result[key]] if isinstance(result[key], list) else 1000 * result[key]
        mean = "avg_" + {"latencies": "latency"}.get(key, key[:-1])
        if mean in result:
            result[mean] = sum(result[key]) / len(result[key])
    elif "=" in FAULT:
        key, value = FAULT.split("=", 1)
        result[key] = json.loads(value)
    return result


def main():
    args = options()
    assert os.path.isdir(os.environ["VLLM_CACHE_ROOT"]) or os.environ["VLLM_CACHE_ROOT"].startswith(os.environ.get("TMPDIR", "/tmp"))
    assert "pi" not in sys.modules and sys.argv[0] == "vllm"
    print("INFO loading")
    if os.path.isdir(args.model):
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            json.load(open(os.path.join(args.model, name)))
    if FAULT == "fails":
        sys.stderr.write("ERROR ValueError: the engine's own reason\nTraceback (most recent call last):\n  File x\n"
                         "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
                         "INFO shutdown\n")
        sys.exit(1)
    if FAULT == "refuses":
        raise NotImplementedError("bfloat16 is not supported on this GPU")
    if FAULT == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    engine = subprocess.Popen([sys.executable, "-c", "import ctypes, sys, time; ctypes.CDLL(sys.argv[1]); time.sleep(0.3)",
                               os.environ["FAKE_LIBRARY"]]) if "FAKE_LIBRARY" in os.environ else None
    result = broken({"latency": latency, "throughput": throughput, "startup": startup}[args.kind](args), args)
    if engine:
        engine.wait()
    if FAULT == "writes nothing":
        return
    with open(args.output_json, "w") as file:
        file.write({"half": json.dumps(result)[:20], "list": "[1]"}.get(FAULT) or json.dumps(result, indent=4))


if __name__ == "__main__":
    main()
