// The Python side of a stack: which interpreter runs it, which of a version's files suit that one, and the
// tree that all of them make.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspector/python/completion.hpp"
#include "inspector/python/python_installer.hpp"
#include "inspector/python/tree.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::inspector {

class StackPythons {
 public:
  StackPythons(std::filesystem::path cache, std::shared_ptr<PythonInstaller> installer,
               std::function<bool()> stop = {}, Exposure exposure = Exposure::confined);

  // An interpreter of this machine; the reason names those that are here.
  std::expected<PythonRuntime, BuildFailure> local(const std::string& version);
  std::expected<PythonRuntime, BuildFailure> local_program(const std::filesystem::path& program);

  // The best of the version's wheels, else its source archive built; outcome `unsupported` if it has files
  // and none is for this Python, nothing if it has no files of Python at all.
  struct Installed {
    Wheel wheel;
    const specs::Artifact* artifact;
  };
  std::expected<std::optional<Installed>, BuildFailure> install(const specs::Component& component,
                                                                const specs::VersionEntry& entry,
                                                                const PythonPlace& place,
                                                                const Say& say);

  // What the stack's packages require and it does not name, and those that the catalog names no file of.
  struct Added {
    ChosenWheel chosen;
    Wheel wheel;
  };
  std::expected<std::vector<Added>, BuildFailure> complete(const std::vector<NamedWheel>& packages, const PythonPlace& place,
                                                           const Say& say);

  std::expected<std::filesystem::path, BuildFailure> tree(const std::vector<Wheel>& wheels,
                                                          const Say& say);

 private:
  std::expected<Wheel, BuildFailure> fetch(const WheelRequest& request, const PythonPlace& place, const Say& say);
  const std::vector<Interpreter>& interpreters(const std::string& release);

  std::filesystem::path cache_;
  std::shared_ptr<PythonInstaller> installer_;
  std::function<bool()> stop_;
  Exposure exposure_;
  EnvironmentTrees trees_;
  std::map<std::string, std::vector<Interpreter>> interpreters_;  // by the release that was looked for; "": all
};

// The wheel that pip would take, else the source archive; nullptr if neither is there or suits.
const specs::Artifact* choose(const std::vector<specs::Artifact>& artifacts,
                              const specs::Target& target);

}  // namespace stackx::inspector
