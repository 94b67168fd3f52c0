// What a chosen release works with alone, where something brings another: torch 2.2 beside NumPy 2. No metadata says it (it is the
// facts' `beside`), so an installer takes the newer one, and what is said is a note: of what was asked for in versions that do
// not go together python_world.hpp makes a No.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

struct Bound {
  std::string package, version, other, range;  // torch 2.2.0 works with numpy <2 alone
};

// Each once. By what the question, its constraints and the metadata of the chosen releases ask of the other package.
std::vector<Bound> unbound_beside(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen);
// The same in sentences.
std::vector<std::string> newer_beside(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen);

}  // namespace stackx::advisor
