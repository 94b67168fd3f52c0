// How many stacks can work: exact, between proven bounds, or estimated.
#pragma once

#include "resolver/resolver.hpp"
#include "workspace/load.hpp"

namespace stackx::cli {

// `elapsed`: milliseconds.
void print_count(const workspace::Loaded& loaded, const resolver::Resolver& resolver, double elapsed, bool json);
void print_approximate_count(const workspace::Loaded& loaded, const resolver::Resolver& resolver,
                             const resolver::ApproximateCount& about, double elapsed, bool json);

}  // namespace stackx::cli
