// Installs one wheel or source archive for a Python, into an empty directory, ready to be linked into
// environments: fetched by hash, bytecode compiled.
//
//   wheel  uv fetches and unpacks it; for Python 2, whose wheels uv does not take, pip does
//   sdist  pip builds it
//
// pip runs under the stack's own Python, where the stack will run (in its image, or on this machine under
// bubblewrap), with network, a writable directory of its own, and limits.
//
// Bytecode is compiled because a run has a read-only root: without, every process would compile all that it
// imports, 10 s of TensorFlow, and the import time would be wrong. Building needs pip, setuptools and
// wheel of an age that fits the Python: catalog build-tools.json.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "inspector/environment/python_runtime.hpp"
#include "inspector/environment/uv.hpp"
#include "inspector/environment/wheels.hpp"
#include "inspector/run/confinement.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::inspector {

// Where an interpreter is, and how it is started there.
struct PythonPlace {
  PythonRuntime runtime;
  std::string image;  // empty: this machine
};

class PythonInstaller {
 public:
  struct Settings {
    std::filesystem::path supervisor, bootstrap;  // kernels/python/bootstrap.py
    std::filesystem::path data;                   // directory with build-tools.json
    std::filesystem::path wheels;                 // root of the wheel store
    double build_seconds = 900;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;
    bool offline = false;
    std::function<bool()> stop;
  };
  PythonInstaller(Settings settings, std::shared_ptr<Uv> uv, const Confiner& confiner)
      : settings_(std::move(settings)), uv_(std::move(uv)), confiner_(confiner) {}

  // For a WheelStore: `request.file` ends in .whl, or it is a source archive.
  using Result = std::expected<void, BuildFailure>;
  Result install(const WheelRequest& request, const PythonPlace& place, const std::filesystem::path& target,
                 const Say& say);

 private:
  Result unpack(const WheelRequest& request, const PythonPlace& place,
                const std::filesystem::path& target, const Say& say);
  Result build(const WheelRequest& request, const PythonPlace& place,
               const std::filesystem::path& target, const Say& say);
  // `pip ARGUMENTS` there, with `writable` to write to; `what` begins the reason of a failure.
  Result pip(const PythonPlace& place, const Words& arguments, const std::filesystem::path& writable,
             const std::string& what, const Say& say);
  Result compile(const PythonPlace& place, const std::filesystem::path& target);
  std::expected<std::filesystem::path, BuildFailure> tools(const PythonPlace& place, const Say& say);

  Settings settings_;
  std::shared_ptr<Uv> uv_;
  const Confiner& confiner_;
};

}  // namespace stackx::inspector
