// Which stacks of a Python project are measured: one for each release that the project asks for, or combination of releases of
// several packages, with everything else as new as can be, as an installer takes it. Where that is more than the sampler's
// number, the newest, and others drawn by its seed.
// Rejected: drawing among all valid stacks, as for projects of stackx, which say what varies: of torch==2.6.0 twenty that differ
// in jinja2 and sympy alone, for 3 GB of wheels.
#pragma once

#include <vector>

#include "resolver/resolver.hpp"
#include "specs/project/project.hpp"

namespace stackx::campaigns {

// Throws as Resolver::best does.
std::vector<specs::Stack> release_stacks(const resolver::Resolver& resolver, const specs::Project& project);

}  // namespace stackx::campaigns
