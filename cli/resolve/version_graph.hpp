// The version graph of a project on stdout, as Graphviz's dot or, drawn by it, as SVG.
#pragma once

#include <string>

#include "resolver/resolver.hpp"

namespace stackx::cli {

// `format`: "dot" or "svg". Throws Error(environment) where svg is asked for and dot is missing.
void write_graph(const resolver::Resolver& resolver, const std::string& format);

}  // namespace stackx::cli
