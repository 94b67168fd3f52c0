// BLAS libraries that are installed here: where they lie, and what they say of themselves.
//
// Looked at are files that are called like one (libopenblas, libscipy_openblas, libblis, libmkl_rt, libblas, libdnnl)
// among those the loader knows (ldconfig -p, $LD_LIBRARY_PATH), in the usual directories and in Python
// environments. Each is loaded by a PI in a process of its own, with the environment that a run has, and multiplies
// two 2 x 2 matrices: what works here works there. It tells its version, its threading, the width of its integers;
// with settings exported, whether it takes them (a kernel of OpenBLAS, a threading layer of MKL). The reference BLAS
// cannot tell its version: its file name (libblas.so.3.11.0) or its Debian package does. What has no version is
// left out. Files of the same content count once. Rejected: versions from path names (they lie: libopenblas.so.0).
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inspector/discover/python_environments.hpp"
#include "inspector/discover/remark.hpp"
#include "inspector/environment/packages.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/process.hpp"

namespace stackx::inspector {

struct LibraryAnswer {
  std::string kind;       // openblas, mkl, blis, netlib, onednn
  std::string version;    // as it reports it; empty if it does not
  std::string interface;  // lp64, ilp64; empty
  std::string threading;  // pthreads, openmp, sequential, ...; empty
  std::string core;       // kernels that it chose
};
// Loads it in a process of its own with these variables; the error is one line.
using AskLibrary = std::function<std::expected<LibraryAnswer, std::string>(
    const std::filesystem::path&, const Environment&)>;
AskLibrary ask_with(const std::filesystem::path& pi);

struct BlasLibrary {
  std::string component;  // "local-openblas-pthreads", "local-openblas64-pthreads", "local-mkl"
  std::string version;    // "0.3.21+debian.ds.4", "0.3.29+numpy.2.2.6", "0.3.28+file.1a2b3c4d"
  std::string provides;   // "0.3.21"
  std::string reports;    // as it reports it; empty if it does not
  LibraryAnswer answer;
  std::filesystem::path file;  // symbolic links resolved
  std::vector<std::string>
      settings;  // values of its setting that it takes: openblas-coretype, mkl-threading
};

bool is_blas_name(const std::string& file_name);

// "libX.so.0 (libc6,x86-64) => /path" lines of `ldconfig -p`.
std::vector<std::filesystem::path> parse_loader_cache(const std::string& text);

std::vector<std::filesystem::path> loader_files();  // those that it prints here

// Files that are called like a BLAS library, in the directories and in the environments; links as found.
std::vector<std::filesystem::path> find_blas_files(
    const std::vector<std::filesystem::path>& directories,
    const std::vector<PythonEnvironment>& environments);

// /usr/lib/*/{openblas*,blis*,blas*,mkl*}, /usr/local/lib, $LD_LIBRARY_PATH, $MKLROOT, $OPENBLAS_HOME,
// /opt/intel/oneapi, /opt/*/lib.
std::vector<std::filesystem::path> usual_blas_directories();

// `core_types` and `layers`: the values of openblas-coretype and mkl-threading with what each exports.
struct Settings {
  std::vector<std::pair<std::string, Environment>> core_types, layers;
};
std::vector<BlasLibrary> ask_libraries(const std::vector<std::filesystem::path>& files,
                                       const AskLibrary& ask, const Settings& settings,
                                       Packages& packages,
                                       const std::vector<PythonEnvironment>& environments,
                                       const Remarks& remarks);

}  // namespace stackx::inspector
