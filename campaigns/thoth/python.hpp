// Which Python runs the stack of a Thoth document: an image's, else an interpreter of this machine.
//
// Amun names a base image by a reference that need not exist any more (quay.io/thoth-station/s2i-thoth-ubi8-py36): what
// counts is the Python in it, so it is mapped to the catalog's image that holds the same release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspector/python/interpreters.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::campaigns {

struct PythonPlace {
  std::string python;  // "3.9": the stack's version
  std::string full;    // "3.9.18" where an interpreter says so, else the same
  std::string image;   // version of the component `image`; "" for an interpreter
  std::filesystem::path program;
  std::string platform;  // of its wheels: "manylinux_2_31_x86_64"
};

class Pythons {
 public:
  // `runner` "local": images do not count; "container": interpreters do not; "": images first, where a runtime is there.
  Pythons(const specs::Catalog& images, std::vector<inspector::Interpreter> interpreters,
          const std::string& runner, bool has_runtime);

  // Of wheels for this machine, where nothing more is known: "linux x86_64".
  static std::string usual_platform();

  std::optional<PythonPlace> serving(const std::string& python) const;
  // Other releases of the same major version, the nearest minor version first, of two as near the later.
  std::vector<std::string> near(const std::string& python) const;
  std::string text()
      const;  // what is there: "images: bullseye (Python 3.9), ...; interpreters: 3.11.2 (/usr/bin/python3.11)"

 private:
  struct Image {
    std::string version, python;  // "3.9"
    std::string glibc;            // "2.31"; "" if the catalog does not say
  };
  std::vector<Image> images_;
  std::vector<inspector::Interpreter> interpreters_;
};

// "3.6" in "quay.io/thoth-station/s2i-thoth-ubi8-py36"; "" where the reference does not say.
std::string python_of_base(const std::string& base);

}  // namespace stackx::campaigns
