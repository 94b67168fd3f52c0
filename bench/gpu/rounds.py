"""Parts 2 and 4: every library that can multiply matrices as a stack, in interleaved rounds of fresh processes: a campaign a type of
numbers and size, of the stacks of `catalog discover` and of --catalog (other versions, brought along). Repeated, the campaigns go on
where the time ran out."""
import json

import table
from machine import slug
from project import campaign, project

# Which libraries multiply numbers of that type, those first that are asked for most: others would say `unsupported` in every round, as
# our own kernel does of bfloat16 that is written as bfloat16, which is what frameworks ask for (of the other types they ask for the usual).
RESULT = {"bfloat16": {"result": "same"}}
LIBRARIES = {"bfloat16": ("cublas", "cublaslt"), "fp8": ("cublaslt",), "float16": ("cublas", "cublaslt", "tensor"),
             "tf32": ("cublas", "cublaslt", "tensor"), "float32": ("cublas", "tiled"), "float64": ("cublas", "tiled")}


def library(stack):
    """What multiplies in it: cublas, cublaslt, tensor or tiled; "" if nothing does."""
    if "own-kernel" in stack:
        return stack["own-kernel"]
    return next((name for name in ("cublaslt", "cublas") if name in stack or f"nvidia-{name}" in stack), "")


def part(machine):
    machine.libraries("cublas")  # discover, if no part before did
    everything = project(machine, "every-stack", {"pi": "matmul", "params": {"m": 8192, "n": 8192, "k": 8192}})
    listed = machine.stackx("resolve", everything, "--list", 1000, "--json").stdout.splitlines()
    stacks = [json.loads(line)["components"] for line in listed]
    stacks = [{name: version for name, version in one.items() if name not in ("gpu", "driver")} for one in stacks]
    campaigns = [(size, dtype) for size in machine.sizes for dtype in machine.dtypes]
    for number, (size, dtype) in enumerate(campaigns):
        chosen = [one for one in stacks if library(one) in LIBRARIES[dtype]]
        seconds = int(machine.left() / (len(campaigns) - number))
        if not chosen or seconds < 5:
            yield f"- {dtype} {size}: " + ("no library here multiplies it" if not chosen else "not begun, for want of time")
            continue
        name = f"matmul-{dtype}-{size}"
        params = {"m": size, "n": size, "k": size, "dtype": dtype, "max_seconds": 2, **RESULT.get(dtype, {})}
        told = campaign(machine, name, {"pi": "matmul", "params": params}, seconds, stacks=chosen, rounds=machine.rounds)
        yield f"- {dtype} {size}: {next((line for line in told if line.startswith('campaign')), 'nothing was measured')}"
        yield f"  - `stackx advise`, which does not know these results: {expectation(machine, size, dtype)}"
    machine.stackx("export", "-o", machine.output / "results.jsonl")
    yield ""
    yield from table.lines(machine.output / "results.jsonl", machine.uuid, machine.output / f"{slug(machine.name)}-matmul.json")


def expectation(machine, size, dtype):
    """What the program that is shipped says to expect of this GPU: measured by others, or predicted."""
    done = machine.stackx("--db", machine.output / "shipped.db", "advise", "--hw", machine.name, "--workload",
                          f"matmul:m={size},n={size},k={size},dtype={dtype}", "--json", status=(0, 1, 2))
    if done.returncode == 2:
        return done.stderr.strip().splitlines()[-1]
    return json.loads(done.stdout)["answer"]["expect"] if done.stdout else "nothing"
