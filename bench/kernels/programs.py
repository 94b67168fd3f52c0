"""The programs that are compared: stackx-pi, NumPy, and short C programs on oneDNN and of STREAM's triad."""
import json
import os
import pathlib
import statistics
import sys

from pairs import output

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "stackx" / "bench-kernels"
# The wheels of oneDNN and of its headers belong to one version; each major needs its own environment.
PACKAGES = {
    "numpy": ["numpy>=2,<3"],
    "onednn2": ["onednn-cpu-gomp==2022.2.1", "onednn-devel-cpu-gomp==2022.2.1"],
    "onednn3": ["onednn-cpu-gomp==2023.2.0", "onednn-devel-cpu-gomp==2023.2.0"],
}
WARM_UP_MS = 200


def environment(name):
    """A virtual environment with PACKAGES[name], made once."""
    path = CACHE / name
    if not (path / "complete").exists():
        print(f"installing {', '.join(PACKAGES[name])}", file=sys.stderr)
        output([sys.executable, "-m", "venv", "--clear", path])
        output([path / "bin" / "python", "-m", "pip", "install", "--quiet", *PACKAGES[name]])
        (path / "complete").touch()
    return path


class Ours:
    """A PI of stackx-pi."""

    def __init__(self, program, pi, parameters, library=None):
        self.command = [program, pi, *(["--library", library] if library else []),
                        *(f"{key}={value}" for key, value in parameters.items())]

    def run(self, threads, mini_batch, repetitions):
        """(command, variables, nanoseconds a call of its output)"""
        return [*self.command, f"threads={threads}", f"mini_batch={mini_batch}", f"repetitions={repetitions}",
                f"warmup_ms={WARM_UP_MS}"], {}, self.nanoseconds

    def nanoseconds(self, text):
        document = json.loads(text)
        if not document.get("samples_ns"):
            sys.exit(f"no samples: {json.dumps(document)}")
        self.loaded = f"{document['component']} {document['loaded'][document['component']]}"
        self.parameters = document["parameters"]
        self.mini_batch = document["parameters"]["mini_batch"]
        self.work = {key: value / self.mini_batch for key, value in document["work"].items()}
        return statistics.median_high(document["samples_ns"]) / self.mini_batch

    def calibrate(self, threads, mini_batch=0):
        command, variables, nanoseconds = self.run(threads, mini_batch, 3)
        return nanoseconds(output(command, **variables))


class NumpyPeer:
    """OpenBLAS through NumPy: square products only."""

    def __init__(self):
        self.python = environment("numpy") / "bin" / "python"
        self.library = output([self.python, HERE / "numpy_peer.py", "--library"]).strip()
        self.name = "NumPy " + output([self.python, "-c", "import numpy; print(numpy.__version__)"]).strip()

    def run(self, threads, mini_batch, repetitions, operation, sizes):
        return ([self.python, HERE / "numpy_peer.py", sizes[0], mini_batch, repetitions, WARM_UP_MS],
                {"OPENBLAS_NUM_THREADS": str(threads)}, float)


class OneDnnPeer:
    """A C program on oneDNN's own headers."""

    def __init__(self, name):
        root = environment(name)
        self.library = str(root / "lib" / "libdnnl.so")
        self.name = "C program on oneDNN"
        self.program = root / "onednn_peer"
        output([os.environ.get("CC", "cc"), "-O2", "-o", self.program, HERE / "onednn_peer.c", f"-I{root}/include",
                f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", "-ldnnl", "-lm"])

    def run(self, threads, mini_batch, repetitions, operation, sizes):
        return ([self.program, mini_batch, repetitions, WARM_UP_MS, operation, *sizes],
                {"OMP_NUM_THREADS": str(threads)}, float)


class StreamPeer:
    """STREAM's triad, compiled with gcc -O3 -fopenmp."""

    name = "STREAM triad, gcc -O3 -fopenmp"
    library = None

    def __init__(self):
        CACHE.mkdir(parents=True, exist_ok=True)
        self.program = CACHE / "stream_peer"
        output([os.environ.get("CC", "cc"), "-O3", "-fopenmp", "-o", self.program, HERE / "stream_peer.c"])

    def run(self, threads, mini_batch, repetitions, operation, sizes):
        return ([self.program, repetitions, WARM_UP_MS, *sizes],
                {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}, float)
