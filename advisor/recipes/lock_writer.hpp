// Stacks as Python projects: one directory a stack, with Pipfile and Pipfile.lock, as Dependency Monkey writes them.
//
//   DIR/<first 12 digits of the stack id>/Pipfile       the project's roots, each at its version
//   DIR/<...>/Pipfile.lock                              every Python package, with the catalog's hashes
// What is no Python package (image, GPU, settings) has no place there. Written beside DIR and renamed when whole: DIR is
// there with all stacks, or not at all. A DIR that holds something is refused.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "specs/catalog/stack.hpp"
#include "specs/format/draft.hpp"
#include "specs/project/project.hpp"

namespace stackx::advisor {

class LockWriter {
 public:
  // `index_url` becomes the source named "pypi".
  LockWriter(std::filesystem::path directory, const specs::Project& project,
             const specs::Catalog& catalog, std::string index_url);

  void write(const specs::Stack& stack);  // a stack that comes twice stands there once
  std::size_t finish();                   // how many stacks

 private:
  std::filesystem::path directory_;
  std::optional<specs::Draft> draft_;
  const specs::Project& project_;
  const specs::Catalog& catalog_;
  std::string index_url_;
  std::set<std::string> written_;
};

}  // namespace stackx::advisor
