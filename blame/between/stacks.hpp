// What lies between two stacks of a project's catalogs (blame/between/between.hpp): packages, images, settings, runtimes.
//
// Rules come from what a catalog has two versions demand: requirements, conditional ones, conflicts, names that only one may
// hold, the project's roots and pins. Of what may meet a requirement (whoever provides the name) each is asked at both ends.
#pragma once

#include "blame/between/between.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/project/project.hpp"

namespace stackx::blame {

// The result's project is `project` with other roots: its workloads, campaign and hardware. Hardware is the project's, whatever
// the stacks were measured on. Throws Error(bad_input) for a component or version that the catalog does not have, and for stacks
// that have nothing in common.
Between between_stacks(const specs::Stack& old_stack, const specs::Stack& new_stack, const specs::Project& project,
                       const specs::Catalog& catalog);

}  // namespace stackx::blame
