// Overlays: catalogs that add to others or correct them. They are marked `"overlay": true`; the user's own lie in
// $XDG_CONFIG_HOME/stackx/catalogs, or are named by --catalog.
//
// A component that others declare gains the overlay's versions; a version that they list becomes the overlay's, whole;
// aliases and facts are added. A component that nobody else declares is declared. Rejected: merging a version member by
// member, after which no file says any more what a version requires.
#pragma once

#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/fact.hpp"

namespace stackx::specs {

void lay_over(Catalog& catalog, const Catalog& overlay);

// What of an overlay concerns the catalog (load_catalogs()'s `usual`).
Catalog part_for(const Catalog& catalog, Catalog overlay);

// What facts say of the versions that the catalog lists: for which GPUs they are built, what they require beside.
void apply_facts(Catalog& catalog, const std::vector<Fact>& facts);

// Requirements name components, not their aliases, from here on. Throws Error(bad_input) where an alias is a component
// or belongs to two.
void resolve_aliases(Catalog& catalog);

}  // namespace stackx::specs
