// The version graph of a problem, and its drawing in Graphviz' language.
//
// A vertex is the project, a virtual name, or a run of versions of a component that say the same
// and that everybody else treats alike: "1.13.0 to 1.15.2 (9 versions)". Versions that are excluded
// are runs of their own, by reason. A requirement is an edge to the run that meets it, or to the
// component as a whole where several do; it starts at the component as a whole where all versions
// that are left say it. So a picture of 30 components stays readable; one with an edge for every
// pair of versions that fit, which has tens of thousands, does not.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <optional>
#include <string>
#include <vector>

#include "resolver/problem.hpp"

namespace stackx::resolver {

struct VersionVertex {
  enum class Kind { project, virtual_name, versions };
  Kind kind = Kind::project;
  std::string label;
  std::size_t component = 0;  // of versions
  VersionSet versions;
  std::string excluded;  // why they are in no stack; empty if they may be
};

struct VersionEdge {
  enum class Kind { requirement, condition, conflict, pin, provides };
  Kind kind = Kind::requirement;
  std::string label;            // the range; empty for any version
  bool from_component = false;  // not only from the run where it starts
  bool to_component = false;
};

using VersionGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VersionVertex, VersionEdge>;

// `reasons` by component and version, as excluded() gives them (explain/excluded.hpp).
VersionGraph version_graph(const Problem& problem,
                           const std::vector<std::vector<std::string>>& reasons);

// For `dot`: one cluster a component, requirements solid, conditions dashed, conflicts red, pins
// blue, what is provided dotted, excluded versions grey with their reason. The same text on every
// machine.
std::string dot(const Problem& problem, const VersionGraph& graph);

}  // namespace stackx::resolver
