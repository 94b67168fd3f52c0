// Why a project has no valid stack, or none with a version, as text and as JSON.
#pragma once

#include <functional>
#include <string>

#include "cli/commands.hpp"
#include "resolver/resolver.hpp"

namespace stackx::cli {

inline constexpr const char* no_valid_stack = "no valid stack.";

// `what`: no_valid_stack, or "numpy 2.0 is in no valid stack."
std::string unsolvable_text(const std::string& project, const resolver::Unsolvable& why, const std::string& what);
void print_unsolvable(const std::string& project, const resolver::Unsolvable& why, const std::string& what, bool json);

// Of what throws campaigns::NoStack: that is printed, and the answer is no.
void answering_no_stack(const std::function<void()>& run, Globals& globals);

}  // namespace stackx::cli
