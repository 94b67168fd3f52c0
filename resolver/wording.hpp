// A clash in words.
#pragma once

#include <string>
#include <vector>

#include "resolver/space.hpp"

namespace stackx::resolver {

using Clash = std::vector<const CompiledClause*>;

// "mkl 2024.2.2, 2025.3.1 need cpu.isa contains avx2": of the versions that say so only those that
// the roots and pins of the clash leave.
std::vector<std::string> clauses_in_words(const Problem& problem, const Clash& clash);

// Who provides the virtual components of the clash, and what exists where nothing is in range.
std::vector<std::string> notes_in_words(const Problem& problem, const Clash& clash);

// What leaving out this root, pin or hardware gives, with a stack as its witness.
std::string fix_in_words(const Problem& problem, const CompiledClause& clause, const Chosen& stack);

}  // namespace stackx::resolver
