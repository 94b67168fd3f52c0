// A catalog made from the package index, as `catalog import pypi` has it: what a person asks for (specs/catalog/imported.hpp),
// turned into what the index is asked, and what came of it. `watch` asks the same again. No command line is known here.
#pragma once

#include <string>
#include <vector>

#include "pypi/catalog/closure.hpp"
#include "pypi/catalog/targets.hpp"
#include "pypi/index/index.hpp"
#include "specs/catalog/imported.hpp"

namespace stackx::workspace {

struct IndexCatalog {
  std::vector<pypi::Root> roots;
  pypi::Closure closure;
  std::string text;  // stackx/catalog/1, checked
};

// Throws Error(bad_input) for what nobody can be asked; needs no index, and is part of index_catalog().
void check_asked(const specs::Imported& asked);

// Throws as check_asked() does, Error(environment) where no index can be reached or none of the files
// came. The same bytes for the same facts and day.
IndexCatalog index_catalog(const specs::Imported& asked, pypi::Index& index);

}  // namespace stackx::workspace
