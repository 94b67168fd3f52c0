// A Python stack's site-packages: a tree of hard links to the files of its installed wheels.
//
//   <root>/<key>/                        as `pip install --target` would lay it out
//   <root>/<key>/.stackx-environment.json  stackx/environment/1, written last: the wheels' keys
//   <root>/<key>.partial-<pid>/, <root>/<key>.lock   as in wheels.hpp
//
// The key is the SHA-256 of the wheels' keys. Stacks that differ in one wheel share the bytes of all others,
// and a tree costs its directories alone (bench/README.md says how long that takes). Where two
// wheels hold a file of one name, the later component's (by name) wins, as with pip. Rejected: one entry of
// sys.path for each wheel (40 look-ups an import, and packages that several wheels fill do not work). A copy where links
// cannot be made (another file system), and where no sandbox keeps the stack from writing to what others share
// (exposure.hpp).
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inspector/python/wheels.hpp"

namespace stackx::inspector {

class EnvironmentTrees {
 public:
  explicit EnvironmentTrees(std::filesystem::path root, Exposure exposure = Exposure::confined)
      : root_(std::move(root)), exposure_(exposure) {}

  // The directory, canonical. A tree with a file that lacks, is of no wheel or has another size (hash) is built again.
  std::expected<std::filesystem::path, BuildFailure> get(const std::vector<Wheel>& wheels,
                                                         const Say& say,
                                                         const std::function<bool()>& stop = {});

 private:
  std::filesystem::path root_;
  Exposure exposure_;
};

}  // namespace stackx::inspector
