"""Which BLAS, oneDNN, CUDA and cuDNN this process really loaded, as they say themselves.

Looks at every mapped shared object (as threadpoolctl does) and asks the functions below. A symbol is found through a library's
dependencies too, so dladdr decides whom it belongs to. Libraries linked in without exported symbols (oneDNN inside TensorFlow's
wheels) stay unseen; the framework's build information names those. CUDA's are asked only in files of their own name: TensorFlow
exports stubs under the same names, which look for a CUDA that may not be there (1.15's cublasGetProperty then never returns).
"""

from __future__ import absolute_import, division

import ctypes
import os
import re

from stackx_pi.protocol import mapped_files

SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|util|z|ffi|stdc\+\+|gcc_s|resolv|nss_\w+|crypt\w*|ssl|expat|bz2|lzma|sqlite3|"
                    r"python[0-9.]*m?)[.-]|ld-linux|.*\.cpython-.*/lib-dynload/|.*/lib-dynload/")
OPENBLAS_NAMES = [(prefix, suffix) for prefix in ("", "scipy_") for suffix in ("", "64_", "_64")]


class DlInfo(ctypes.Structure):
    _fields_ = [("fname", ctypes.c_char_p), ("fbase", ctypes.c_void_p), ("sname", ctypes.c_char_p),
                ("saddr", ctypes.c_void_p)]


class DnnlVersion(ctypes.Structure):
    _fields_ = [("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int), ("hash", ctypes.c_char_p)]


def text_of(raw):
    return raw.decode("utf-8", "replace").strip() if raw is not None else ""


class SharedObject(object):
    def __init__(self, path):
        self.path = path
        # Only what is loaded already is looked at.
        self._handle = ctypes.CDLL(path, mode=getattr(os, "RTLD_NOLOAD", 4) | getattr(os, "RTLD_LAZY", 1))
        self._dladdr = ctypes.CDLL(None).dladdr
        self._dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(DlInfo)]

    def function(self, name, result, *arguments):
        """The function, if it is this very file's; else None."""
        try:
            found = getattr(self._handle, name)
        except AttributeError:
            return None
        info = DlInfo()
        if not self._dladdr(ctypes.cast(found, ctypes.c_void_p), ctypes.byref(info)) or not info.fname:
            return None
        if os.path.realpath(text_of(info.fname)) != os.path.realpath(self.path):
            return None
        found.restype, found.argtypes = result, list(arguments)
        return found


def openblas(library):
    for prefix, suffix in OPENBLAS_NAMES:
        config = library.function(prefix + "openblas_get_config" + suffix, ctypes.c_char_p)
        if config is None:
            continue
        found = {"kind": "openblas", "config": text_of(config())}
        version = re.match(r"OpenBLAS (\S+)", found["config"])
        if version:
            found["version"] = version.group(1)
        core = library.function(prefix + "openblas_get_corename" + suffix, ctypes.c_char_p)
        if core is not None:
            found["core"] = text_of(core())
        threads = library.function(prefix + "openblas_get_num_threads" + suffix, ctypes.c_int)
        if threads is not None:
            found["threads"] = threads()
        return found
    return None


def mkl(library):
    write = library.function("mkl_get_version_string", None, ctypes.c_char_p, ctypes.c_int)
    write = write or library.function("MKL_Get_Version_String", None, ctypes.c_char_p, ctypes.c_int)
    if write is None:
        return None
    buffer = ctypes.create_string_buffer(256)
    write(buffer, 256)
    found = {"kind": "mkl", "config": text_of(buffer.value)}
    version = re.search(r"Version (\S+)", found["config"])
    if version:
        found["version"] = version.group(1)
    threads = library.function("MKL_Get_Max_Threads", ctypes.c_int)
    if threads is not None:
        found["threads"] = threads()
    return found


def onednn(library):
    for name in ("dnnl_version", "mkldnn_version"):
        version = library.function(name, ctypes.POINTER(DnnlVersion))
        if version is not None:
            it = version().contents
            return {"kind": "onednn", "version": "%d.%d.%d" % (it.major, it.minor, it.patch), "hash": text_of(it.hash)}
    return None


def blis(library):
    version = library.function("bli_info_get_version_str", ctypes.c_char_p)
    return None if version is None else {"kind": "blis", "version": text_of(version())}


def cuda(library):
    if "libcudart" not in os.path.basename(library.path):
        return None
    version = library.function("cudaRuntimeGetVersion", ctypes.c_int, ctypes.POINTER(ctypes.c_int))
    number = ctypes.c_int()
    if version is None or version(ctypes.byref(number)) != 0:
        return None
    return {"kind": "cuda", "version": "%d.%d" % (number.value // 1000, number.value % 1000 // 10)}


def cudnn(library):
    if "libcudnn" not in os.path.basename(library.path):
        return None
    version = library.function("cudnnGetVersion", ctypes.c_size_t)
    if version is None:
        return None
    number = version()  # 8902 is 8.9.2; from 9 on 90100 is 9.1.0
    major = 10000 if number >= 90000 else 1000
    return {"kind": "cudnn", "version": "%d.%d.%d" % (number // major, number % major // 100, number % 100)}


def cublas(library):
    if "libcublas" not in os.path.basename(library.path):
        return None
    get = library.function("cublasGetProperty", ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int))
    if get is None:
        return None
    numbers = []
    for which in range(3):
        value = ctypes.c_int()
        if get(which, ctypes.byref(value)) != 0:
            return None
        numbers.append(str(value.value))
    return {"kind": "cublas", "version": ".".join(numbers)}


PROBES = (openblas, mkl, onednn, blis, cuda, cudnn, cublas)


def loaded_libraries(paths=None):
    """[{"kind", "path", "version", ...}]"""
    found = []
    for path in mapped_files() if paths is None else paths:
        if SYSTEM.match(os.path.basename(path)) or "/lib-dynload/" in path:
            continue
        try:
            library = SharedObject(path)
        except OSError:  # mapped as a file, not loaded
            continue
        for probe in PROBES:
            answer = probe(library)
            if answer is not None:
                found.append(dict(answer, path=path))
    return found
