// The plan that `inspect` runs: a new one of what it is asked to inspect, or that of a campaign which goes on. What would fail
// in every inspection of it is refused here, before anything is fetched.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "campaigns/job.hpp"
#include "specs/project/plan.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"

namespace stackx::cli {

struct PlanChoice {
  std::filesystem::path pi;           // what measures, of the user's own; "" for the script of the job or stackx's own
  std::optional<std::string> resume;  // the campaign to go on with; "": the newest of the project
};

// Throws Error(bad_input) where no inspection of it could succeed, campaigns::NoStack.
specs::Plan new_plan(const campaigns::Job& job, const std::filesystem::path& pi);

// A new one, durable before its first inspection, or the one to go on with. Throws as new_plan, Error(bad_input) where it may not run.
specs::Plan plan_to_run(const campaigns::Job& job, const PlanChoice& choice, bool allow_paths, store::Store& store,
                        store::Spool& spool);

}  // namespace stackx::cli
