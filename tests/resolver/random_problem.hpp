// Small random problems that hold everything a catalog can say: ranges, alternatives, conditions,
// conflicts, virtual components, attributes, pins, hardware, cycles, names that nobody declares, and in one of three versions
// that must be named.
#pragma once

#include <string>

#include "resolver/resolver.hpp"
#include "specs/project/project.hpp"

namespace stackx::test {

struct Problem {
  specs::Project project;
  specs::Catalog catalog;
};

bool must_be_named(const Problem& problem);  // some of its versions

// The same for the same seed everywhere. At most some hundred assignments.
Problem random_problem(std::uint64_t seed);

// Only what these clauses say is left: other roots, pins, hardware, requirements and conflicts are
// gone.
Problem only(const Problem& problem, const std::vector<resolver::Clause>& clauses);

std::string text(const Problem& problem);  // for a failing test's message

}  // namespace stackx::test
