// A stack of the store, and which of its components are packages of Python: documents do not say, but name the files that were
// installed.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::workspace {

struct StoredStack {
  specs::Stack stack;
  std::set<std::string> packages;  // components
};

// By its id, or how that begins. `catalog`, if any, says what it declares; of the rest a component is a package if a document has
// a wheel or source archive of that name, or, where no document of the stack names any, if it has a version as PEP 440 has it.
// Throws Error(bad_input) if there is none, or several begin so.
StoredStack stored_stack(const std::string& id_or_prefix, const std::filesystem::path& store, const specs::Catalog* catalog);

}  // namespace stackx::workspace
