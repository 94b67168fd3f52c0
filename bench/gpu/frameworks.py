"""Part 3: the Python indicators on PyTorch and JAX, checked, once each (frameworks.jsonl); and stackx-pi beside torch.utils.benchmark on
one cuBLAS, taking turns."""
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
PAIRS, SIZE = 6, 8192


def runs():
    """Words, those first that say most."""
    for name in ("torch", "jax"):
        for words in ("dtype=float32 tf32=0", "dtype=float32 tf32=1", "dtype=bfloat16 tf32=0", "dtype=float16 tf32=0"):
            yield f"matmul framework={name} device=gpu {words} m=8192 n=8192 k=8192 max_seconds=3"
    phases = ("phase=prefill context=512", "phase=decode context=128 tokens=32", "phase=train batch=4 context=128")
    for phase in phases:
        for name, mode in (("torch", "eager"), ("torch", "function"), ("jax", "function")):
            yield f"transformer framework={name} device=gpu model=small mode={mode} {phase} max_seconds=3"
    for name in ("torch", "jax"):
        yield f"train_resnet50 framework={name} device=gpu batch=32 num_batches=10"
        yield f"conv2d framework={name} device=gpu max_seconds=3"
        yield f"attention framework={name} device=gpu max_seconds=3"
        yield f"import framework={name} repetitions=3"
        yield f"startup framework={name} device=gpu repetitions=3"


def part(machine):
    tally = Tally(machine.output / "frameworks.jsonl")
    yield "| indicator | median sample | result |"
    yield "|---|---|---|"
    for words in runs():
        if machine.left() < 30:
            tally.skipped.append(words)
            continue
        found = machine.framework(words.split(), seconds=min(90, machine.left()))
        samples = found.get("document", {}).get("samples_ns")
        yield f"| {words} | {f'{statistics.median(samples) / 1e6:.4g} ms' if samples else ''} | {tally.add(words, found)} |"
    yield from tally.summary()
    for dtype in ("float32", "bfloat16"):
        yield beside_torch(machine, dtype)


def beside_torch(machine, dtype):
    """The ratio of the two's times per product, from PAIRS pairs that take turns to begin. Both write C in the type of A and B, and
    neither lets the device rest: our samples are long, for NVML is read between them."""
    blas = machine.run([machine.python, "-c", "import torch; a = torch.ones(8, 8, device='cuda'); a @ a; print(*{line.split()[-1] "
                        "for line in open('/proc/self/maps') if '/libcublas.so' in line})"], 90)
    if blas.returncode != 0 or not blas.stdout.strip():
        return "Beside torch.utils.benchmark: not tried, PyTorch does not multiply on this GPU."
    ratios = []
    for number in range(PAIRS):
        if machine.left() < -30:  # it may take from the parts that follow, a little
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
        return "Beside torch.utils.benchmark: not tried, for want of time."
    return (f"Beside torch.utils.benchmark on {blas.stdout.split()[0].rsplit('/', 1)[-1]}, {dtype} {SIZE}: stackx-pi took "
            f"{statistics.median(ratios):.3f} times as long [{min(ratios):.3f}, {max(ratios):.3f}] "
            f"(median, least and most of {len(ratios)} pairs).")
