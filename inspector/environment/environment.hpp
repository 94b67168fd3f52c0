// A stack made ready to run: its base image made, its interpreter found, its wheels installed, its system
// packages checked, its settings merged.
//
//   native stack  no interpreter: the PI loads a library out of the wheels' own directories
//   Python stack  an image, an artifact or the component `python` brings an interpreter; the PI imports from
//                 a tree of all its wheels (or, without any, from the interpreter's own site-packages)
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inspector/environment/cannot_build.hpp"
#include "inspector/environment/images.hpp"
#include "inspector/environment/packages.hpp"
#include "inspector/environment/stack_python.hpp"
#include "inspector/process/process.hpp"
#include "inspector/python/wheels.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

// What a component of the stack put there.
struct Part {
  std::string component, version;
  std::string reports;  // see specs::VersionEntry
  specs::Kind kind = specs::Kind::package;
  std::vector<std::filesystem::path> directories;     // of its wheels
  std::vector<std::filesystem::path> shared_objects;  // in them
  // What the PI loads of it, symbolic links resolved, and what it brings beside that (the toolkit's
  // cudart and NVRTC); empty: none.
  std::filesystem::path library;
  std::vector<std::filesystem::path> partners;
  std::string package_version;    // the package manager's word, for system artifacts
};

struct StackEnvironment {
  std::vector<Part> parts;
  std::string component;  // whose library the PI loads; empty if no component has one
  std::filesystem::path library;
  std::vector<std::filesystem::path> partners;  // every other library that a part names
  std::vector<std::filesystem::path> library_path;  // for LD_LIBRARY_PATH
  std::vector<std::filesystem::path> visible;       // what the sandbox must show
  Environment variables;                            // exported by settings
  std::map<std::string, std::string> parameters;    // set by settings
  std::map<std::string, std::string> artifacts;     // file -> sha256
  std::map<std::string, std::string> installed;     // Debian package -> version, in the image
  std::optional<Image> image;
  std::optional<PythonRuntime> python;
  std::filesystem::path site;  // of a Python stack; empty: the interpreter's own
};

// Without one no container of the stack can be started.
bool has_base_image(const specs::Stack& stack, const specs::Catalog& catalog);

class Environments {
 public:
  // `images`: the container runner's, else null. `pythons` may be null where there are native stacks only.
  Environments(const specs::Catalog& catalog, WheelStore wheels, std::unique_ptr<Packages> packages,
               std::unique_ptr<StackPythons> pythons = nullptr,
               std::unique_ptr<Images> images = nullptr);

  // Kept per stack: the second call is a look-up. Failures are not kept. Throws Error(bad_input)
  // for stacks and catalogs that make no sense: an unknown version, two settings that export one
  // variable.
  std::expected<const StackEnvironment*, CannotBuild> get(const specs::Stack& stack, const Say& say,
                                                          const std::function<bool()>& stop = {});

 private:
  using Done = std::expected<void, CannotBuild>;
  struct Selected {
    const specs::Component* component;
    const specs::VersionEntry* entry;
  };
  static bool is_left_to_the_index(const Selected& selected);
  std::vector<Selected> look_up(const specs::Stack& stack) const;
  Done make_image(StackEnvironment& result, const std::vector<Selected>& selected, const Say& say);
  Done find_python(StackEnvironment& result, const std::vector<Selected>& selected);
  Done install_wheels(StackEnvironment& result, const std::vector<Selected>& selected,
                      const Say& say);
  Done add(StackEnvironment& result, const specs::Component& component,
           const specs::VersionEntry& entry, const Say& say, const std::function<bool()>& stop);
  Done add_wheel(StackEnvironment& result, Part& part, const specs::Artifact& artifact,
                 const Say& say, const std::function<bool()>& stop);
  Done add_system(StackEnvironment& result, Part& part, const specs::Artifact& artifact,
                  const specs::VersionEntry& entry);
  Done add_image_package(StackEnvironment& result, Part& part, const specs::Artifact& artifact,
                         const specs::VersionEntry& entry);
  Done add_path(StackEnvironment& result, Part& part, const specs::Artifact& artifact);
  Done add_hash(StackEnvironment& result, const Part& part, const std::filesystem::path& file);
  std::string hash_of(const std::filesystem::path& file);

  const specs::Catalog& catalog_;
  WheelStore wheels_;
  std::unique_ptr<Packages> packages_;
  std::unique_ptr<StackPythons> pythons_;
  std::unique_ptr<Images> images_;
  std::map<specs::Stack, StackEnvironment> ready_;
  std::map<std::string, Wheel> wheel_cache_;
  std::map<std::string, std::string> hashes_;  // path, size, time, inode -> sha256
};

}  // namespace stackx::inspector
