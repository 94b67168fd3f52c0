// What changing the user's own stack would bring, or that nothing shows a reason to: "stay"; where the
// catalogs call it invalid and nobody measured it here, it cannot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/own_stack.hpp"
#include "advisor/valid_space.hpp"
#include "analysis/published/ranking.hpp"
#include "analysis/ranking/ranking.hpp"

namespace stackx::advisor {

struct OwnAdvice {
  bool stay = true;
  std::vector<std::string> lines;  // sentences
  std::string change;              // "changing cuda 9.0.103 -> 10.1.243 brought x1.777 [...] over 160 shapes"; or ""
  std::optional<analysis::Recommendation> measured;  // the user's stack, where it was measured
};

// In the ranking of what was measured, the row that holds every version of the lock; in each
// published table the row that agrees best: the same components to major and minor version, with the
// CUDA of the valid stack that is nearest to the lock.
OwnAdvice own_advice(const OwnStack& own, const NearestStack& valid,
                     const analysis::Ranking& measured,
                     const analysis::PublishedRanking& published);

}  // namespace stackx::advisor
