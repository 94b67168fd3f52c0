// Which stacks of a Python project are measured: one for each release that the project asks for, or combination of releases of
// several packages, with everything else as new as can be, as an installer takes it. Where that is more than the sampler's
// number, the newest, and others drawn by its seed.
// Rejected: drawing among all valid stacks, as for projects of stackx, which say what varies: of torch==2.6.0 twenty that differ
// in jinja2 and sympy alone, for 3 GB of wheels.
#pragma once

#include <vector>

#include "resolver/resolver.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns {

// Asks for releases of a package: numpy+extra stands beside numpy, and Python is what they run on.
bool asks_for_releases(const specs::Requirement& requirement);

// Throws as Resolver::best does.
std::vector<specs::Stack> release_stacks(const resolver::Resolver& resolver, const specs::Project& project);

// What a campaign measures: these of a Python project (`of_releases`) that names neither stacks nor another sampler, else
// resolver::campaign_stacks.
std::vector<specs::Stack> measured_stacks(const resolver::Resolver& resolver, const workspace::Loaded& loaded, bool of_releases);

}  // namespace stackx::campaigns
