"""What is installed and running: component -> version, names normalised after PEP 503.

Distributions come from their metadata directories on sys.path, read here: importlib.metadata is missing before Python 3.8, and
pkg_resources often is. The first on sys.path wins, as for `import`.
"""

from __future__ import absolute_import

import io
import os
import re
import sys


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def python_version():
    info = sys.version_info
    suffix = {"alpha": "a", "beta": "b", "candidate": "rc", "final": ""}[info[3]]
    return "%d.%d.%d%s" % (info[0], info[1], info[2], suffix + str(info[4]) if suffix else "")


def metadata_file(directory, entry):
    """The file that holds Name and Version, or None."""
    path = os.path.join(directory, entry)
    if entry.endswith(".dist-info"):
        path = os.path.join(path, "METADATA")
    elif entry.endswith(".egg-info"):
        path = os.path.join(path, "PKG-INFO") if os.path.isdir(path) else path
    elif entry.endswith(".egg"):
        path = os.path.join(path, "EGG-INFO", "PKG-INFO")
    else:
        return None
    return path if os.path.isfile(path) else None


def read_metadata(path):
    found = {}
    with io.open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.strip():
                break  # the description follows
            key, colon, value = line.partition(":")
            if colon and key.lower() in ("name", "version"):
                found.setdefault(key.lower(), str(value.strip()))
    return found


def distributions(path=None):
    """name -> version of all that is installed."""
    found = {}
    for directory in sys.path if path is None else path:
        try:
            entries = sorted(os.listdir(directory or "."))
        except OSError:  # a zip, or what does not exist
            continue
        for entry in entries:
            file = metadata_file(directory or ".", entry)
            metadata = read_metadata(file) if file else {}
            if "name" in metadata and "version" in metadata:
                found.setdefault(normalised(metadata["name"]), metadata["version"])
    return found


def agreed(stated, installed):
    """What a framework states of itself, unless the metadata says the same more plainly (2.5.1 for 2.5.1+cu124)."""
    return installed if installed is not None and stated.split("+")[0] == installed.split("+")[0] else stated


def gpu_architectures():
    """What frameworks that are imported state of their build: {"torch-gpus": "sm_70 sm_80", "tensorflow-gpus": ...}."""
    found = {}
    torch, tensorflow = sys.modules.get("torch"), sys.modules.get("tensorflow")
    try:
        if torch is not None and torch.cuda.is_available():
            found["torch-gpus"] = " ".join(torch.cuda.get_arch_list())
    except Exception:  # pylint: disable=broad-except; an old release without the list, a broken driver: nothing is stated
        pass
    try:
        if tensorflow is not None and tensorflow.sysconfig.get_build_info().get("is_cuda_build"):
            found["tensorflow-gpus"] = " ".join(tensorflow.sysconfig.get_build_info()["cuda_compute_capabilities"])
    except Exception:  # pylint: disable=broad-except
        pass
    return {name: text for name, text in found.items() if text}


def loaded(framework=None, stated=None):
    found = distributions()
    found.update(gpu_architectures())
    if framework is not None and stated is not None:
        found[framework] = agreed(stated, found.get(framework))
    found["python"] = python_version()
    return found
