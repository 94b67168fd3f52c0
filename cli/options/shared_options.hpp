// Options that several commands have.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "advisor/selection.hpp"
#include "cli/commands.hpp"
#include "specs/project/campaign.hpp"
#include "specs/python/project.hpp"
#include "specs/result/yardstick.hpp"

namespace stackx::cli {

// The positional PROJECT, and what a requirements.txt, Pipfile or pyproject.toml does not say.
struct ProjectOptions {
  std::filesystem::path file;
  specs::PythonContext context;
};
void add_project_options(Command command, ProjectOptions& options);

// --extra, --group: what a project's file has optional.
void add_optional_parts(Command command, std::set<std::string>& extras, std::set<std::string>& groups);

void add_selection_options(Command command, advisor::SelectionOptions& options);

// --pi: whose results, where not those of stackx's own PIs.
void add_pi_option(Command command, std::string& program);

// --metric: what stacks are compared by, the rate unless something else is asked for.
void add_metric_option(Command command, std::string& word);
specs::Yardstick yardstick_of(const std::string& word);  // of a word that the option let pass

// --delta: differences below this many percent do not matter.
void add_delta_option(Command command, double& percent);

// --budget: "400" inspections, "90s", "30m", "2h". Throws Error(bad_input).
void read_budget(const std::string& text, specs::CampaignSpec& campaign);

// Says that there is nothing, and what there is; the answer is no. `empty` is the rest of the
// document of --json.
void nothing_measured(const advisor::Selection& selection, const nlohmann::json& empty, Globals& globals);

}  // namespace stackx::cli
