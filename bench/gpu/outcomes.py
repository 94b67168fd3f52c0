"""Part 5: which device is taken, and what is told and left behind when something goes wrong: a process killed in mid-kernel, a campaign's
time limit, memory that is full. Rows say what was expected and what came."""
import ctypes
import json
import os
import signal
import subprocess
import time

from machine import Failure, nvidia_smi, verdict
from project import project

SMALL = "m=1024 n=1024 k=1024 repetitions=3"
# Soon on the device, since the host prepares little, and then there for seconds a sample (5 s on an H200) without an end.
LONG = "m=4096 n=4096 k=4096 dtype=float32 mini_batch=2000 repetitions=5000"


def part(machine):
    before, rows = machine.memory_used(), []
    if machine.library("cublas") is None or machine.library("cudart") is None:
        yield "Not tried: `catalog discover` found no cuBLAS with its cudart here."
        return
    for check in (devices, killed, out_of_time, out_of_memory):
        if machine.left() < 5:
            rows.append((check.__name__, "", "not tried, for want of time", ""))
            continue
        try:
            rows += check(machine)
        except Failure as failure:  # the others' rows count
            rows.append(row(check.__name__, "", str(failure).replace("\n", " "), False))
    rows.append(("at the end", "the memory taken before, no process of ours", *emptied(machine, before)))
    yield "| what | expected | came | |"
    yield "|---|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def row(what, expected, came, right):
    return what, expected, came.replace("|", "/").strip(), "as expected" if right else "DIFFERS"


def product(machine, words, **variables):
    libraries = ["--library", machine.library("cublas"), "--with", machine.library("cudart")]
    return machine.native(["matmul", *libraries, *machine.sized(words).split()], **variables)


def devices(machine):
    """Index, UUID and CUDA_VISIBLE_DEVICES."""
    for name, words, visible, found in [
            ("device=0", "device=0", None, True), ("device=UUID", f"device={machine.uuid}", None, True),
            ("device=99", "device=99", None, False), ("device=GPU-99999999-0000-0000-0000-000000000000",) * 2 + (None, False),
            ("CUDA_VISIBLE_DEVICES=UUID", "", machine.uuid, True), ("CUDA_VISIBLE_DEVICES=0", "", "0", True),
            ("CUDA_VISIBLE_DEVICES=-1", "", "-1", False), ("CUDA_VISIBLE_DEVICES= (empty)", "", "", False)]:
        words = words if words.startswith("device") or not words else f"device={words.partition('=')[2]}"
        told = product(machine, f"{SMALL} {words}", **({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}))
        taken = told.get("document", {}).get("gpu", {}).get("uuid", "")
        right = (verdict(told) == "right" and taken == machine.uuid) if found else verdict(told) != "right" and len(verdict(told)) > 10
        yield row(name, "this GPU" if found else "a sentence that says why not", verdict(told) + (f", {taken}" if taken else ""), right)


def killed(machine):
    """SIGKILL while a kernel runs: the device's memory comes back, and the next product is right."""
    before = machine.memory_used()
    if before is None:
        yield "SIGKILL in mid-kernel", "memory comes back", "nvidia-smi does not tell what memory is taken", "not tried"
        return
    process = subprocess.Popen([str(machine.programs / "stackx-pi"), "matmul", "--library", machine.library("cublas"), "--with",
                                machine.library("cudart"), f"device={machine.uuid}", *machine.sized(LONG).split()], env=machine.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        busy = at_work(machine, process)
        used = machine.memory_used()
    finally:
        process.kill()
        process.wait()
    began = time.monotonic()
    back = wait(lambda: machine.memory_used() <= before + 16, 20)
    yield row("SIGKILL in mid-kernel", "memory comes back", f"{used - before} MiB taken, back {time.monotonic() - began:.1f} s later"
              if back else f"{machine.memory_used() - before} MiB still taken",
              bool(busy and back and process.returncode == -signal.SIGKILL))
    told = verdict(product(machine, f"{SMALL} device={machine.uuid}"))
    yield row("the next product", "right", told, told == "right")


def at_work(machine, process):
    """Waits for the device to work; whether it does. Of a card that MIG divides nobody tells: 5 s, of which the start takes two."""
    if machine.number("utilization.gpu") is None:
        time.sleep(5)
        return process.poll() is None
    seen = wait(lambda: process.poll() is not None or (machine.number("utilization.gpu") or 0) > 50, 30)
    return bool(seen) and process.poll() is None


def out_of_time(machine):
    """A campaign's limit of 3 s ends a product in mid-kernel: its outcome is `timed_out`."""
    params = dict(word.split("=") for word in machine.sized(LONG).split())
    file = project(machine, "out-of-time", {"pi": "matmul", "params": params}, seconds=3,
                   requires={"cublas": f"=={machine.libraries('cublas')[0][0]}"})
    database = str(machine.output / "out-of-time.db")
    machine.stackx("--db", database, "inspect", file, "--device", machine.uuid, "--allow-paths", status=(0, 1), seconds=300)
    told = [json.loads(line) for line in machine.stackx("--db", database, "export").stdout.splitlines()]
    outcomes = sorted({f"{one['outcome']}: {one['reason']}" for one in told if one["$schema"] == "stackx/inspection/1"})
    yield row("a campaign's time limit", "outcome timed_out", "; ".join(outcomes),
              bool(outcomes) and all(one.startswith("timed_out") for one in outcomes))


def out_of_memory(machine):
    """A neighbour holds all but 1 GiB of the device: what a product of 3 GiB is told, and that it leaves nothing."""
    if machine.instance or machine.number("memory.free") is None:
        yield "device memory full", "a sentence about memory", "nvidia-smi does not tell what memory of this device is free", "not tried"
        return
    runtime = ctypes.CDLL(machine.library("cudart"))
    holder = os.fork()
    if holder == 0:  # a process of its own: it is killed, and takes its memory with it
        free, total, pointer = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_void_p()
        failed = runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)) or \
            runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(free.value - 2**30))
        if failed:
            os._exit(failed)
        time.sleep(120)
        os._exit(0)
    try:
        held = wait(lambda: machine.number("memory.free") < 1500 or os.waitpid(holder, os.WNOHANG)[0] != 0, 30)
        if not held or machine.number("memory.free") >= 1500:
            yield row("device memory full", "held by a neighbour", "the neighbour could not take it", False)
            return
        told = verdict(product(machine, f"m=16384 n=16384 k=16384 dtype=float32 repetitions=3 device={machine.uuid}"))
        yield row("device memory full", "a sentence about memory", told, "memory" in told and told != "right")
    finally:
        try:
            os.kill(holder, signal.SIGKILL)
            os.waitpid(holder, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def emptied(machine, before):
    if before is None:
        return "nvidia-smi does not tell what memory is taken", "not tried"
    back = wait(lambda: machine.memory_used() <= before + 16, 20)
    processes = nvidia_smi("--query-compute-apps=pid,name,used_memory", "--format=csv,noheader", f"--id={machine.card}")
    return (f"{machine.memory_used() - before:+d} MiB; {len(processes)} processes", "as expected" if back and not processes else "DIFFERS")


def wait(done, seconds):
    """What `done()` was when it was true, or None after `seconds`."""
    end = time.monotonic() + seconds
    while not (found := done()):
        if time.monotonic() > end:
            return None
        time.sleep(0.05)
    return found
