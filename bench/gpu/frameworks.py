"""Part 3: the Python indicators on PyTorch and JAX, checked, once each (frameworks.jsonl); and stackx-pi beside torch.utils.benchmark on
one cuBLAS, taking turns, in bfloat16 first: of float32 the answer is known (docs/gpu.md)."""
import itertools
import statistics

from machine import verdict
from tally import Tally

PEER = """
import sys, torch, torch.utils.benchmark
torch.backends.cuda.matmul.allow_tf32 = False
n, dtype = int(sys.argv[1]), getattr(torch, sys.argv[2])
a, b = ((2 * torch.rand(n, n, device="cuda") - 1).to(dtype) for _ in "ab")  # as ours: what power they take depends on the numbers
c = torch.empty(n, n, device="cuda", dtype=dtype)
timer = torch.utils.benchmark.Timer("torch.mm(a, b, out=c)", globals={"torch": torch, "a": a, "b": b, "c": c})
timer.timeit(20)
print(timer.blocked_autorange(min_run_time=1.5).median)
"""
PAIRS, FEWEST_PAIRS, SIZE = 6, 3, 8192
PHASES = {"prefill": "phase=prefill context=512", "decode": "phase=decode context=128 tokens=32",
          "train": "phase=train batch=4 context=128"}


def of(name):
    """(words, seconds on an H200) of a framework: first what no device has run yet, then what says most."""
    def gpu(pi, words, seconds=10):
        return f"{pi} framework={name} device=gpu {words}", seconds

    def transformer(phase, mode, words=""):
        return gpu("transformer", f"model=small mode={mode} {PHASES[phase]}{words} max_seconds=3", 20)

    resnet, start = gpu("train_resnet50", "batch=32 num_batches=10", 30), gpu("startup", "repetitions=3", 50)
    if name == "jax":
        yield from (transformer("train", "function"), gpu("conv1d", "max_seconds=3"), resnet, start)
    else:
        yield from (gpu("conv1d", "max_seconds=3"), transformer("prefill", "function", " dtype=bfloat16"),
                    gpu("train_resnet50", "batch=32 num_batches=10 dtype=bfloat16", 30))
    for words in ("dtype=bfloat16 tf32=0", "dtype=float32 tf32=1", "dtype=float32 tf32=0", "dtype=float16 tf32=0"):
        yield gpu("matmul", f"{words} m=8192 n=8192 k=8192 max_seconds=3")
    if name == "jax":
        yield from (transformer("prefill", "function"), transformer("decode", "function"))
    else:
        yield from (transformer(phase, mode) for phase in ("train", "prefill", "decode") for mode in ("function", "eager"))
    yield gpu("conv2d", "max_seconds=3")
    if name == "torch":
        yield from (resnet, start)
    yield f"import framework={name} repetitions=3", 15


def runs():
    """Of PyTorch and JAX by turns, so that neither is left out where time is short."""
    turns = itertools.zip_longest(of("jax"), of("torch"))
    return [one for pair in turns for one in pair if one]


def part(machine):
    tally = Tally(machine.output / "frameworks.jsonl")
    yield beside_torch(machine, "bfloat16", machine.left() / 2)
    yield ""
    yield "| indicator | median sample | result |"
    yield "|---|---|---|"
    for words, seconds in runs():
        if machine.left() < seconds:
            tally.skip(words, "time")
            continue
        found = machine.framework(words.split(), seconds=min(90, machine.left()))
        samples = found.get("document", {}).get("samples_ns")
        yield f"| {words} | {f'{statistics.median(samples) / 1e6:.4g} ms' if samples else ''} | {tally.add(words, found)} |"
    yield from tally.summary()
    yield beside_torch(machine, "float32", machine.left())


def beside_torch(machine, dtype, seconds):
    """In so many seconds, or a little more: the ratio of the two's times per product, from PAIRS pairs that take turns to begin, or
    fewer. Both write C in the type of A and B, and neither lets the device rest: our samples are long, for NVML is read between them."""
    if machine.left() < 15:
        return f"Beside torch.utils.benchmark, {dtype}: not tried, for want of time."
    end = machine.left() - seconds
    blas = machine.run([machine.python, "-c", "import torch; a = torch.ones(8, 8, device='cuda'); a @ a; print(*{line.split()[-1] "
                        "for line in open('/proc/self/maps') if '/libcublas.so' in line})"], 90)
    if blas.returncode != 0 or not blas.stdout.strip():
        return "Beside torch.utils.benchmark: not tried, PyTorch does not multiply on this GPU."
    ratios = []
    for number in range(PAIRS):
        if machine.left() < end and (number >= FEWEST_PAIRS or machine.left() < 0):
            break
        took = {}
        for who in ("ours", "theirs") if number % 2 == 0 else ("theirs", "ours"):
            if who == "ours":
                found = machine.native(["matmul", "--library", blas.stdout.split()[0], "--with", machine.library("cudart"),
                                        f"dtype={dtype}", "result=same", f"device={machine.uuid}", f"m={SIZE}", f"n={SIZE}", f"k={SIZE}",
                                        "max_seconds=2", "min_sample_ms=200", "repetitions=8"])
                if verdict(found) != "right":
                    return f"Beside torch.utils.benchmark: stackx-pi: {verdict(found)}"
                took[who] = statistics.median(found["document"]["samples_ns"]) / 1e9 / found["document"]["parameters"]["mini_batch"]
            else:
                done = machine.run([machine.python, "-c", PEER, SIZE, dtype], 60)
                if done.returncode != 0:
                    return f"Beside torch.utils.benchmark: {done.stderr.strip().splitlines()[-1]}"
                took[who] = float(done.stdout)
        ratios.append(took["ours"] / took["theirs"])
    if not ratios:
        return f"Beside torch.utils.benchmark, {dtype}: not tried, for want of time."
    return (f"Beside torch.utils.benchmark on {blas.stdout.split()[0].rsplit('/', 1)[-1]}, {dtype} {SIZE}: stackx-pi took "
            f"{statistics.median(ratios):.3f} times as long [{min(ratios):.3f}, {max(ratios):.3f}] "
            f"(median, least and most of {len(ratios)} pairs).")
