// Where nothing near to what was asked for runs: what is left of it that does, where builds for the machine are, other frameworks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advisor/check/check.hpp"
#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// Other requirements on the same machine.
Question instead_of(const Question& question, const std::vector<std::string>& asked);

// Sentences. What they propose is what `ask`, a check that looks for nothing else in turn, says yes to.
std::vector<std::string> otherwise(const Knowledge& knowledge, const Question& question, const std::function<Checked(Question)>& ask);

}  // namespace stackx::advisor
