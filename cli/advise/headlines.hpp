// What `advise` would begin with for each workload of a plan, once it was measured: what a campaign ends with.
#pragma once

#include <string>
#include <vector>

#include "analysis/ranking/headline/headline.hpp"
#include "specs/project/plan.hpp"
#include "workspace/context.hpp"

namespace stackx::cli {

struct Said {
  specs::Workload workload;
  analysis::Headline headline;
};

// By all that was measured of it on `hw` (as --hw of `advise`), in earlier campaigns too. A workload without any is left out.
std::vector<Said> headlines(const specs::Plan& plan, const std::string& hw, const workspace::Context& context);

// On stdout, a paragraph each: its line, after what it is of, then what it rests on.
void print_headline(const analysis::Headline& headline, const std::string& of = "");

// What asks for the ranking, and for the best as something to install; "" where nothing was measured.
std::string next_command(const std::vector<Said>& said, const std::string& hw, const specs::Plan& plan);

}  // namespace stackx::cli
