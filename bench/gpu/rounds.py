"""Parts 2 and 4: every library that can multiply matrices as a stack, in interleaved rounds of fresh processes: a campaign a type of
numbers and size, of the stacks of `catalog discover` and of --catalog (other versions, brought along). Where time is short for all copies
of the libraries, the newest of each is measured. Repeated, the campaigns go on where the time ran out."""
import json

import table
from machine import numbers, slug
from project import Turns, begun, campaign, listed, project

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
    stacks, turns = listed(machine, everything), Turns(machine)
    for size, dtype in ((size, dtype) for size in machine.sizes for dtype in machine.dtypes):
        every = [one for one in stacks if library(one) in LIBRARIES[dtype]]
        if not every:
            yield f"- {dtype} {size}: no library here multiplies it"
            continue
        name, chosen = fitting(machine, f"matmul-{dtype}-{size}", every, size)
        need = needs(machine, chosen, size)
        seconds = turns.seconds(need)
        if not seconds:
            yield f"- {dtype} {size}: {turns.why_not(need)}"
            continue
        params = {"m": size, "n": size, "k": size, "dtype": dtype, "max_seconds": 2, **RESULT.get(dtype, {})}
        told = campaign(machine, name, {"pi": "matmul", "params": params}, seconds, stacks=chosen, rounds=machine.rounds)
        turns.ran(f"{dtype} {size}", told)
        yield f"- {dtype} {size}: {next((line for line in told if line.startswith('campaign')), 'nothing was measured')}"
        if len(chosen) < len(every):
            yield (f"  - left out, for want of time ({needs(machine, every, size):.0f} s for all): " +
                   "; ".join(table.arm(one) for one in every if one not in chosen))
        yield f"  - `stackx advise`, which does not know these results: {expectation(machine, size, dtype)}"
    machine.stackx("export", "-o", machine.output / "results.jsonl")
    yield ""
    yield from table.lines(machine.output / "results.jsonl", machine.uuid, machine.name, machine.output / f"{slug(machine.name)}-matmul.json")


def needs(machine, stacks, size):
    """Seconds of all rounds on an H200, where an inspection of 8192 took 2.7 to 3.8: the host prepares and checks for most of them."""
    return len(stacks) * machine.rounds * (1.5 + 2 * (size / 8192) ** 2)


def fitting(machine, name, stacks, size):
    """A campaign's name and stacks: all, if it was begun with them or there is time for them; else the newest of each library."""
    newest = newest_of_each(stacks)
    if len(newest) == len(stacks) or begun(machine, name) or needs(machine, stacks, size) <= machine.left():
        return name, stacks
    return f"{name}-newest", newest


def newest_of_each(stacks):
    """A stack for each library and way to call it. Of one version in several places the toolkit's, whose version has no +place."""
    found = {}
    for one in sorted(stacks, key=lambda one: (numbers(version(one).partition("+")[0]), "+" not in version(one))):
        found[library(one), one.get("cublaslt-search")] = one
    return list(found.values())


def version(stack):
    """Of what multiplies in it; of our own kernels that of the compiler."""
    name = "nvrtc" if "own-kernel" in stack else library(stack)
    return stack.get(name) or stack[f"nvidia-{name}"]


def expectation(machine, size, dtype):
    """What the program that is shipped says to expect of this GPU: measured by others, or predicted."""
    done = machine.stackx("--db", machine.output / "shipped.db", "advise", "--hw", machine.name, "--workload",
                          f"matmul:m={size},n={size},k={size},dtype={dtype}", "--json", status=(0, 1, 2))
    if done.returncode == 2:
        return done.stderr.strip().splitlines()[-1]
    return json.loads(done.stdout)["answer"]["expect"] if done.stdout else "nothing"
