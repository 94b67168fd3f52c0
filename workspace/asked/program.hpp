// --pi FILE|SHA256 of what answers from the store: the results of a PI that is not stackx's own, which stand apart from
// those of stackx's own unless they are asked for. The file is named as `inspect --pi` names it; as it is now.
#pragma once

#include <string>
#include <vector>

#include "store/questions/questions.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

// "" asks for what stackx's own PIs measured. Throws Error(bad_input) for what is neither a file nor a SHA-256 or its
// beginning (6 digits or more).
store::WhoseResults asked_program(const std::string& text, const Context& context);

// "24 inspections by /home/u/bench.py (not stackx's own PI) are left out: --pi 3fa9c1d2e4f0 shows them": one line a
// program; none where the filter asks for more than stackx's own.
std::vector<std::string> left_out(const store::Questions& questions, const store::QuestionFilter& filter);

}  // namespace stackx::workspace
