// The fastest stacks of some hardware, of some workload, or what is known of one stack: `stackx query best`.
#pragma once

#include "serve/pages/asked.hpp"

namespace stackx::serve::pages {

enum class Told { hardware, workload, stack };  // what the page is about, and a row need not say again

// A section; "" where nothing is known. Throws Refusal.
std::string best_section(const Asked& asked, Parameters parameters, Told told, const std::string& title);

}  // namespace stackx::serve::pages
