// A clash in words.
#pragma once

#include <string>
#include <vector>

#include "resolver/problem.hpp"

namespace stackx::resolver {

using Clash = std::vector<const CompiledClause*>;

// "1.13.0 to 1.15.2 (9 versions)".
std::string versions_in_words(const ComponentVersions& component, const VersionSet& versions);

// What the catalog has of a component, and what was left out of it: "1.0, 1.1; left out: 2.0b1 (pre-release)".
std::string known_versions(const Problem& problem, std::size_t component);

// "mkl 2024.2.2, 2025.3.1 need cpu.isa contains avx2": of the versions that say so only those that
// the roots and pins of the clash leave.
std::string clause_in_words(const Problem& problem, const Clash& clash,
                            const CompiledClause& clause);
// The same, as a sentence of its own: "python is pinned to ==3.8".
std::string clause_in_tree(const Problem& problem, const Clash& clash,
                           const CompiledClause& clause);

// "no version of python is both >=3.9 (every tensorflow) and ==3.8 (pin)".
std::vector<std::string> exclusions_in_words(const Problem& problem, const Clash& clash);

// Who provides the virtual components of the clash, and what exists where nothing is in range.
std::vector<std::string> notes_in_words(const Problem& problem, const Clash& clash);

// What leaving out or changing this root, pin or hardware gives, with a stack as its witness.
std::string fix_in_words(const Problem& problem, const CompiledClause& clause, const Choice& stack);

}  // namespace stackx::resolver
