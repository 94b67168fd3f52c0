// A clash as a tree: what the project demands at the top, below each clause those of the components
// that it selects; pins and whatever no other clause leads to follow at the top. Each clause stands
// once, where the way from the top is shortest.
//
//   the project needs tensorflow
//   └─ every tensorflow needs python >=3.9
//   python is pinned to ==3.8
#pragma once

#include "resolver/explain/wording.hpp"

namespace stackx::resolver {

std::vector<Reason> explanation_tree(const Problem& problem, const Clash& clash);

// One line a clause.
std::vector<std::string> drawn(const std::vector<Reason>& tree);

}  // namespace stackx::resolver
