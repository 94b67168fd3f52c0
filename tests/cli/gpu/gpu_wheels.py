"""NVIDIA's libraries out of their wheels, without a GPU: each is loaded by the PIs' own loader, every function that the table
kernels/cuda/device/abi.inc says its version has is resolved, and the table is compiled against the headers in the wheel.

Which wheels there are, is read off the catalogs cuda.json, cuda-wheels.json and cudnn-wheels.json. cuBLAS and cuDNN are 300 to 800 MB each: one
wheel after the other is fetched, looked at and deleted (bench/gpu-wheels/run); the tests take small ones and keep them.
"""

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PREFIXES = {"nvidia-cublas": "cublas", "nvidia-cudnn": "cudnn", "nvidia-cuda-nvrtc": "nvrtc", "nvidia-cuda-runtime": "cudart"}
# What is loaded from each. The others in there are loaded by these, or none of ours.
LOADED = {"cublas": r"libcublas(Lt)?\.so\.", "cudnn": r"libcudnn\.so\.", "nvrtc": r"libnvrtc\.so\.", "cudart": r"libcudart\.so\."}
# In place of headers that come with the compiler only, in wheels of their own: nothing of them is an ABI.
STANDINS = {
    "crt/host_config.h": "",
    "crt/host_defines.h": "\n".join(f"#define {macro}" for macro in (
        "__no_return__", "__noinline__", "__forceinline__ inline", "__align__(n) __attribute__((aligned(n)))",
        "__builtin_align__(n) __attribute__((aligned(n)))", "__import__", "__export__", "__cdecl", "__annotate__(a)",
        "__location__(a)", "CUDARTAPI", "CUDARTAPI_CDECL", "__specialization_static static", "__host__", "__device__",
        "__global__", "__shared__", "__constant__", "__managed__", "__grid_constant__", "__cluster_dims__(...)",
        "__device_builtin__", "__device_builtin_texture_type__", "__device_builtin_surface_type__", "__cudart_builtin__",
        "__nv_pure__")) + "\n",
    "nv/target": "#define NV_IF_TARGET(...)\n#define NV_IF_ELSE_TARGET(...)\n",
}


# One that has pip: ./run makes it; Debian's own need not.
PYTHON = next((str(path) for path in [ROOT / ".venv/bin/python"] if path.exists()), sys.executable)


class CannotFetch(Exception):
    """No network, or the index does not have it: of the machine, not of stackx."""


@dataclasses.dataclass(frozen=True)
class Wheel:
    package: str
    version: str
    file: str
    sha256: str
    size: int
    cuda: str  # the newest release of CUDA in cuda.json that it goes with: whose runtime has the headers it includes

    @property
    def library(self):
        return next(name for prefix, name in PREFIXES.items() if self.package.startswith(prefix))


def number(version):
    return tuple(int(part) for part in re.findall(r"\d+", version.split("+")[0]))


def components(*names):
    result = {}
    for name in names:
        result.update(json.loads((ROOT / "specs/data" / f"{name}.json").read_text())["components"])
    return result


@functools.cache
def toolkits():
    """CUDA release -> its wheels, of those that have them."""
    releases = components("cuda")["cuda"]["versions"]
    return {release: [Wheel(one["package"], one["package_version"], one["file"], one["sha256"], one["size"], release)
                      for one in entry["artifacts"]]
            for release, entry in releases.items() if "artifacts" in entry}


def release_for(requirement, releases):
    """The newest release that "==12.9.*", "==12.9.1" or one of several such allows; where none does, the newest of that major."""
    for one in requirement["any"] if isinstance(requirement, dict) else [requirement]:
        wanted = number(one)
        for size in (len(wanted), 1):
            fitting = [release for release in releases if number(release)[:size] == wanted[:size]]
            if fitting:
                return max(fitting, key=number)
    raise ValueError(requirement)


def all_wheels():
    """Every wheel of the catalogs, once, the newest first."""
    found = {wheel.sha256: wheel for wheels in toolkits().values() for wheel in wheels}
    for component in components("cuda-wheels", "cudnn-wheels").values():
        for entry in component["versions"].values():
            for one in entry.get("artifacts", ()):
                release = release_for(entry["requires"]["cuda"], toolkits())
                found.setdefault(one["sha256"], Wheel(one["package"], one["package_version"], one["file"], one["sha256"],
                                                      one["size"], release))
    return sorted(found.values(), key=lambda wheel: (wheel.library, number(wheel.version), wheel.package), reverse=True)


def partners(wheel):
    """What it does not load without: cuBLAS, of cuDNN before 8.9, which later loads it when it calls it."""
    if wheel.library != "cudnn" or number(wheel.version) >= (8, 9):
        return []
    major = wheel.package[-2:]
    return [max((one for one in all_wheels() if one.package == f"nvidia-cublas-cu{major}"), key=lambda one: number(one.version))]


def newest_of_each_minor(wheels):
    chosen = {}
    for wheel in wheels:
        chosen.setdefault((wheel.package, number(wheel.version)[:2]), wheel)
    return list(chosen.values())


def fetch(wheel, directory):
    """Libraries and headers of the wheel below `directory`; the wheel itself goes again."""
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix="fetch-") as scratch:
        done = subprocess.run([PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir",
                               "--no-deps", "--only-binary", ":all:", "--dest", scratch, f"{wheel.package}=={wheel.version}"],
                              capture_output=True, text=True)
        file = pathlib.Path(scratch) / wheel.file
        if done.returncode != 0 or not file.exists():
            raise CannotFetch(f"{wheel.package} {wheel.version}: {done.stderr.strip() or 'pip fetched another file'}")
        with file.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != wheel.sha256:
                raise AssertionError(f"{wheel.file}: not the SHA-256 of the catalog")
        with zipfile.ZipFile(file) as archive:
            archive.extractall(directory, [name for name in archive.namelist() if "/lib/" in name or "/include/" in name])


def kept(wheel, cache):
    """Like fetch(), once: <cache>/<file without .whl>."""
    directory = cache / wheel.file.removesuffix(".whl")
    if not directory.exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = directory.with_name(f"{directory.name}.partial-{os.getpid()}")
        try:
            fetch(wheel, partial)
            partial.rename(directory)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return directory


def libraries(wheel, directory):
    return sorted(path for path in directory.rglob("*") if re.match(LOADED[wheel.library], path.name))


def resolve(program, files, library_path=()):
    """What resolve_symbols says of each file. Partners are found as the inspector shows them: through LD_LIBRARY_PATH."""
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, library_path)))
    done = subprocess.run([str(program), *map(str, files)], capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{program} ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_headers(includes, scratch, compiler="g++"):
    """{"cublas": {"version": 120901, "functions": 8}, ...} of what the table was checked against, or the compiler's error."""
    standins = scratch / "standins"
    for name, text in STANDINS.items():
        (standins / name).parent.mkdir(parents=True, exist_ok=True)
        (standins / name).write_text(text)
    there = {path.name for directory in includes for path in directory.glob("*.h")}
    headers = {"cudart": "cuda_runtime_api.h", "driver": "cuda.h", "nvrtc": "nvrtc.h", "cublas": "cublas_v2.h",
               "cublaslt": "cublasLt.h", "cudnn": "cudnn.h", "nvml": "nvml.h"}
    skipped = [f"-DSTACKX_SKIP_{library}" for library, header in headers.items() if header not in there]  # a toolkit's of this machine
    program = scratch / "abi_check"
    done = subprocess.run([compiler, "-std=c++23", "-w", "-DSTACKX_ABI_REPORT", *skipped, f"-I{ROOT}", "-isystem", str(standins),
                           *(word for directory in includes for word in ("-isystem", str(directory))),
                           str(ROOT / "kernels/cuda/device/abi_check.cpp"), "-o", str(program)], capture_output=True, text=True)
    if done.returncode != 0:
        return "\n".join([line for line in done.stderr.splitlines() if "error:" in line][:5])
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return {name: {"version": int(version), "functions": int(functions)}
            for name, version, functions in re.findall(r"^(\w+) (-?\d+): (\d+) functions$", said, re.MULTILINE)}


def include_directories(directory):
    return [path for path in directory.rglob("include") if path.is_dir()]
