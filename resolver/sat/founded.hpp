// What the roots reach in a choice of versions, and what of it supports only itself.
//
// Solvability does not depend on it: let a choice meet all that is required, pinned and in conflict
// ((a) to (c) in resolver.hpp). Keep only what the roots reach, and repeat, because with fewer
// versions fewer conditions hold, until nothing changes. Every step keeps (a) to (c): a requirement
// that is active among fewer versions was active before, so what meets it was reached and stayed;
// pins, conflicts and names with two holders can only become fewer. What remains is a stack.
//
// Not so where versions must be named (specs::ByName): what meets a requirement may be brought by another alone, and go
// with that. Such problems are solved with support demanded from the start (Encoding::find).
#pragma once

#include <vector>

#include "resolver/problem.hpp"

namespace stackx::resolver {

// Whether the clause leads to what it needs: not a pin and not a conflict.
bool demands(const CompiledClause& clause);

// Somebody in the choice meets the need.
bool met(const Problem& problem, const Need& need, const Choice& choice);

class Foundation {
 public:
  explicit Foundation(const Problem& problem);

  // The stack inside a choice that meets (a) to (c), as far as the clauses of `enabled` (empty: all
  // clauses) lead.
  Choice founded_part(Choice choice, const std::vector<bool>& enabled = {}) const;

  // Components of the choice that are supported by each other and by nothing else: a smallest such
  // set, empty if there is none.
  std::vector<std::size_t> loop(const Choice& choice) const;

 private:
  std::vector<bool> reached(const Choice& choice, const std::vector<bool>& enabled) const;
  template <typename Visit>
  void each_supported(const Choice& choice, std::size_t clause, Visit visit) const;

  const Problem& problem_;
  std::vector<std::vector<std::size_t>> by_owner_;  // clauses that demand; last: nobody's
};

}  // namespace stackx::resolver
