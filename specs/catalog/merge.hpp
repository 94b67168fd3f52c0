// One component that several catalogs declare: GPUs of gpus.json and of `catalog discover`, a setting that two of them copy.
//
// Versions of any of them are versions of it. What two say of one version must be the same: where they differ, an error
// names both files, the place and both values. Facts that only one states (attributes) are added; `aliases`, among
// attributes too, are names and add up; descriptions and sources are for people. The order of the files does not matter:
// of the listed orders that of the longest list counts, what it lacks follows.
//
// A version that is installed here (all its artifacts are `path`) beside one that is published: one version, which needs no
// download. What the installed one lacks it has of the published (a toolkit does not say which driver it wants); it requires
// what either says.
//
// Rejected: that `catalog discover` leaves out the GPU where gpus.json is named (a catalog does not know beside which it
// will stand); that one file wins (an overlay does, and says so: overlay.hpp); joining requirements or artifacts of two published
// ones (no file says any more what a version requires).
#pragma once

#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/format/json.hpp"

namespace stackx::specs {

struct Declaration {
  Node node;  // in its document
  Component component;
};

// Declarations of one name, one or more.
Component merge(std::vector<Declaration> declarations);

// Names, sources and left-out versions of `added` that `known` has not; what is listed is not left out.
void add_beside_versions(Component& known, const Component& added);

}  // namespace stackx::specs
