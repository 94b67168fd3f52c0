// What every answer has besides yes, no and unknown: what was not judged, what to know of it, the facts that it rests on.
#pragma once

#include "advisor/check/check.hpp"
#include "advisor/check/on_python.hpp"

namespace stackx::advisor {

// Nothing where the index was not asked.
bool is_not_on_index(const Knowledge& knowledge, const Question& question, const std::string& name);

// Into an answer that has its sentences. Stacks lose what stands for ranges of packages that nobody knows.
void finish(Checked& answer, const Knowledge& knowledge, const Question& question, const OnPython& here);

}  // namespace stackx::advisor
