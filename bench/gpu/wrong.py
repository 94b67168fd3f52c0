"""Deliberately wrong builds: the real libraries with a fault each (wrong.c), and our kernels with one place of their text changed, as the
tests have them. A fault counts as caught when the indicator's check refuses the result."""
import functools
import pathlib
import re
import shutil
import tempfile

from machine import ROOT, Failure, progress

SQUARE = "m=1024 n=1024 k=1024"
# (library, what to compile, fault, words)
FAULTS = [("cublas", "CUBLAS", fault, f"matmul dtype={dtype} {SQUARE}")
          for fault, dtypes in (("last_term", ("float64", "float32", "bfloat16")), ("last_column", ("float32", "float16")),
                                ("idle", ("float32",)), ("factor", ("float64", "float32", "tf32", "float16", "bfloat16")),
                                ("tf32", ("float32",))) for dtype in dtypes]
FAULTS += [("cublas", "CUBLAS", fault, f"matmul dtype=bfloat16 result=same {SQUARE}") for fault in ("last_term", "last_column", "factor")]
FAULTS += [("cublaslt", "CUBLASLT", "factor", f"matmul dtype={dtype} search=0 {SQUARE}") for dtype in ("tf32", "bfloat16", "fp8")]
FAULTS += [("cudnn", "CUDNN", "factor", f"conv2d dtype={dtype}") for dtype in ("float32", "float16")]
FAULTS += [("cudart", "CUDART", "short_copy", "transfer"), ("nccl", "NCCL", "no_last", "all_reduce bytes=1048576 ranks=1")]


def wrong_kernels():
    """[(name, kernel, the right text, the wrong one)] of the tests' list."""
    text = (ROOT / "tests/kernels/cuda/CMakeLists.txt").read_text()
    return re.findall(r'stackx_wrong_kernel\((\w+) (\w+) "([^"]+)"\s+"([^"]+)"\)', text)


@functools.lru_cache(maxsize=None)
def compiled(machine, folder, real, define, fault):
    """A library with that fault in front of the real one, under the real one's name."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise Failure("no C compiler here (cc or gcc), which the wrong builds are made with")
    real = pathlib.Path(real).resolve()
    path = pathlib.Path(folder) / f"{define}-{fault}" / real.name
    path.parent.mkdir()
    source = pathlib.Path(__file__).parent / "wrong.c"
    done = machine.run([compiler, "-shared", "-fPIC", "-O1", "-w", f"-DFAULT={fault}", f"-D{define}", source, "-o", path,
                        "-Wl,--no-as-needed,--allow-shlib-undefined", f"-L{real.parent}", f"-l:{real.name}",
                        f"-Wl,-rpath,{real.parent}", "-ldl"], 60)
    if done.returncode != 0:
        raise Failure(f"{path.name} with {fault}: {done.stderr.strip()}")
    return path


def part(machine):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for component, define, fault, words in FAULTS:
            words = machine.sized(words)
            real = machine.library(component)
            if real is None:
                rows.append((component, fault, words, f"not tried: no {component} here"))
            elif machine.left() < 2:
                rows.append((component, fault, words, "not tried, for want of time"))
            else:
                rows.append((component, fault, words, asked(machine, compiled(machine, folder, real, define, fault), words)))
        for name, kernel, right, wrong in wrong_kernels():
            words = machine.sized(f"matmul kernel={kernel} dtype={'float32' if kernel == 'tiled' else 'float16'} m=1031 n=1033 k=1027")
            if machine.library("nvrtc") is None or machine.left() < 2:
                rows.append(("nvrtc", name, words, "not tried"))
                continue
            library = compiled(machine, folder, machine.library("nvrtc"), "NVRTC", "text")
            rows.append(("nvrtc", name, words, asked(machine, library, words, WRONG_FROM=right, WRONG_TO=wrong)))
    yield "| library | fault | indicator | |"
    yield "|---|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    tried = [told for *_, told in rows if not told.startswith("not tried")]
    yield ""
    yield f"{sum(told.startswith('caught') for told in tried)} of {len(tried)} faults were caught."


def asked(machine, library, words, **variables):
    """"caught: why", or that it was not."""
    name, *parameters = words.split()
    runtime = ["--with", machine.library("cudart")] if "cudart" not in library.name else []
    found = machine.native([name, "--library", library, *runtime, f"device={machine.uuid}", "max_seconds=1", "repetitions=3", *parameters],
                           **variables)
    if "error" in found:
        told = f"ended: {found['error'].splitlines()[-1]}"
    elif found["document"].get("unsupported"):
        told = f"unsupported: {found['document']['unsupported']}"
    elif found["document"]["check"]["pass"]:
        told = "NOT CAUGHT"
    else:
        check = found["document"]["check"]
        told = "caught: " + (check.get("detail") or "error {max_relative_error:.2g}, bound {bound:.2g}".format(**check))
    progress(f"{library.parent.name} {variables.get('WRONG_TO', '')} {words}: {told}")
    return told
