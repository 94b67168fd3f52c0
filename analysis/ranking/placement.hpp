// On which nodes stacks were measured.
//
// A node is a host name together with a fingerprint: identical machines share the fingerprint, and machines of
// different makes may share a name ("localhost"). A container with a name of its own is a node of its own, for nothing
// says on which machine it ran. Two stacks are compared within nodes where they share rounds, for a
// round is of one node. Where they share none, or where medians stand side by side that come from other nodes, or from
// the same in other shares, nodes are compared, too; what is said here says so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

struct Ranking;

using NodeId = std::pair<std::string_view, std::string_view>;  // host name, fingerprint: of the measurement's
NodeId node_of(const store::Measurement& measurement);

// Node -> inspections that rank.
using Placement = std::map<NodeId, std::size_t>;
Placement placement_of(const StackRates& stack);
Placement placement_of(const std::vector<StackRates>& stacks);

bool apart(const Placement& a, const Placement& b);  // no node in common

// "n7"; with a part of the fingerprint where two nodes share the host name, and that alone where it is not known.
std::string name_of(const NodeId& node, const Placement& among);
// "A ran on n1, n2 only, B on n3 only"; where they have nodes in common, but other shares, "of A's 24 inspections 20 were on
// n1, of B's 24 3". Empty where nodes and shares are the same; shares that differ by a tenth at most are: an inspection
// fails here and there.
std::string difference_text(const std::string& a, const Placement& of_a, const std::string& b, const Placement& of_b,
                            const Placement& among);

// Which rows of a ranking compare nodes, too: those that share no round with the first and no node either, and those whose
// median is of the nodes in other shares than the others'. Empty where there is one node, or shares are the same.
std::vector<std::string> across_nodes(const Ranking& ranking, const Rates& rates);

}  // namespace stackx::analysis
