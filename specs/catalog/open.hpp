// Open components: an order of versions, not a list of them. NVIDIA's drivers, a machine's glibc: any version text is
// one, and what matters is only on which side of a few thresholds it lies.
//
// A catalog marks such a component `"open": true`; a version that it lists says what holds from there up to the next
// listed one. Requirements name thresholds, too (driver >=525.60.13). split_open() makes the component a list of
// classes that no requirement can tell apart further, each by its least version: so the resolver needs to know nothing
// of all this, and what it says of a class holds for all versions in it. Classes next to each other print as ranges.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"

namespace stackx::specs {

// Versions that the requirements of `catalog`, and `more` on this very component, tell apart: the ends of their clauses
// and, for ends that are exclusive, the least that follows.
void split_open(Catalog& catalog, const std::vector<Requirement>& more = {});

// Adds the version if the component is open and it is none yet: with what the listed one before it says. Null where
// the text is no version of its scheme or the component is not open.
const VersionEntry* add_open(Component& component, const std::string& version);

// "0.0.1" after 525: the least version that is above `version` and below everything that a person would name.
std::string just_above(const std::string& version);

// Of an open component's classes, those that are possible, as ranges: ">=525.60.13", ">=418.39,<471", "any".
std::string ranges_in_words(const Component& component, const std::set<std::string>& possible);

}  // namespace stackx::specs
