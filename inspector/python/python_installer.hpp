// Installs one wheel or source archive for a Python, into an empty directory, ready to be linked into
// environments: fetched by hash, bytecode compiled.
//
//   wheel  uv fetches and unpacks it; for Python 2, whose wheels uv would not choose, it unpacks what was fetched
//   sdist  it is fetched, and the wheels that its build requires are installed (PEP 518); then pip builds it
//
// pip runs under the stack's own Python, where the stack will run (in its image, or on this machine under
// bubblewrap), with a writable directory of its own and the limits of an inspection. That Python may be any program that
// a catalog names, so neither it nor what a source archive holds is ever run where there is a network or a setting of
// pip's (an index's password): what is fetched is fetched before, by uv and by us. What they wrote is looked at before it
// is used (untrusted_tree.hpp). Rejected: build isolation of pip's own, which installs and runs in one go; pip for the
// wheels of Python 2, which would have to be let out under that interpreter.
//
// Bytecode is compiled because a run has a read-only root: without, every process would compile all that it
// imports, 10 s of TensorFlow, and the import time would be wrong. Building needs pip, setuptools and
// wheel of an age that fits the Python: catalog build-tools.json.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspector/confinement/confinement.hpp"
#include "inspector/python/python_runtime.hpp"
#include "inspector/python/uv.hpp"
#include "inspector/python/wheels.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::inspector {

// A source archive that was written to a file, checked by its hash. Or a wheel.
struct FetchedSource {
  std::vector<std::string> build_requires;  // PEP 508; of a source archive
};
using FetchSource = std::function<std::expected<FetchedSource, BuildFailure>(const WheelRequest& request,
                                                                             const std::filesystem::path& file)>;

// Where an interpreter is, and how it is started there.
struct PythonPlace {
  PythonRuntime runtime;
  std::string image;  // empty: this machine

  // End of the key of what it made, bytecode above all: the tag alone where one of this machine's own Pythons made it.
  // One that a catalog named, or brought in an image, may make anything: only stacks that name the same use it.
  std::string owner() const;
};

class PythonInstaller {
 public:
  struct Settings {
    std::filesystem::path supervisor, bootstrap;  // kernels/python/bootstrap.py
    std::filesystem::path data;                   // directory with build-tools.json
    std::filesystem::path wheels;                 // root of the wheel store
    double build_seconds = 900;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;  // and of what a build writes
    std::uint64_t processes = 256;
    Exposure exposure = Exposure::confined;
    FetchSource fetch;  // none: source archives are not built
    bool offline = false;
    std::function<bool()> stop;
  };
  PythonInstaller(Settings settings, std::shared_ptr<Uv> uv, const Confiner& confiner)
      : settings_(std::move(settings)), uv_(std::move(uv)), confiner_(confiner) {}

  // For a WheelStore: `request.file` ends in .whl, or it is a source archive.
  using Result = std::expected<void, BuildFailure>;
  Result install(const WheelRequest& request, const PythonPlace& place, const std::filesystem::path& target,
                 const Say& say);

  // What the wheels of a stack require and it does not name, chosen once and kept in `folder` (completion.hpp). `label`: the
  // stack's package that begins the reason of a failure.
  std::expected<std::vector<ChosenWheel>, BuildFailure> choose(const std::string& label, const Completion& wanted,
                                                               const PythonPlace& place, const std::filesystem::path& folder,
                                                               const Say& say);

  // What a program of this machine prints that a catalog names: started where stacks run, with its installation in
  // sight and nothing else of the machine's. Nothing if it fails.
  std::optional<std::string> ask(const Words& argv, const std::vector<std::filesystem::path>& visible);

 private:
  Result unpack(const WheelRequest& request, const PythonPlace& place, const std::filesystem::path& target);
  Result build(const WheelRequest& request, const PythonPlace& place,
               const std::filesystem::path& target, const Say& say);
  // What a build runs with: a tree with pip and all that the build requires.
  std::expected<std::filesystem::path, BuildFailure> build_site(const PythonPlace& place, const FetchedSource& source,
                                                                const std::filesystem::path& directory,
                                                                const std::string& label, const Say& say);
  struct PipRun {
    Words arguments;
    std::filesystem::path site;      // holds pip
    std::filesystem::path writable;
    std::string label;               // begins the reason of a failure
  };
  Result pip(const PythonPlace& place, const PipRun& what);
  Result compile(const PythonPlace& place, const std::filesystem::path& target);
  struct Tools {
    std::filesystem::path site;
    std::map<std::string, specs::Version> versions;
    bool serve(const std::vector<std::string>& requirements) const;
  };
  std::expected<Tools, BuildFailure> tools(const PythonPlace& place, const Say& say);

  Settings settings_;
  std::shared_ptr<Uv> uv_;
  const Confiner& confiner_;
};

}  // namespace stackx::inspector
