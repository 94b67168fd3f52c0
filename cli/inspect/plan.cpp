#include "cli/inspect/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "advisor/recipes/quoting.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/device_campaigns.hpp"
#include "campaigns/no_stack.hpp"
#include "campaigns/release_stacks.hpp"
#include "inspector/environment/environment.hpp"
#include "inspector/gpu_requirements.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/text_file.hpp"
#include "specs/project/own_pis.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

// What measures, where it is not stackx's own.
std::optional<specs::PiProgram> program_of(const fs::path& pi, const campaigns::Job& job) {
  if (job.program) return job.program;
  const fs::path& file = pi.empty() ? job.script : pi;
  return file.empty() ? std::nullopt : std::optional(specs::foreign_program(file));
}

// Without one there is no arm: a campaign of nothing, which would end at once as if all were well.
void require_workload(const specs::Project& project) {
  if (!project.workloads.empty()) return;
  throw bad_input(fmt::format("{}: says no workload: what is to be measured? Add it, as \"workload\": {{\"pi\": \"matmul\", \"params\": "
                              "{{\"m\": 512, \"n\": 512, \"k\": 512}}}} (`stackx workload list` names all; docs/inspect.md)",
                              project.file.string()));
}

// Before anything is fetched: what no PI of stackx measures would fail in every inspection.
void require_pis(const specs::Plan& plan, const fs::path& project) {
  if (plan.program) return;
  for (const auto& arm : plan.arms)
    specs::require_pi(project.string() + ": /workload", arm.workload.pi, arm.stack.components.contains("python"));
}

// The container runner starts no stack without one.
void require_images(const specs::Plan& plan, const workspace::Loaded& loaded) {
  if (plan.campaign.runner != "container") return;
  const bool some = std::ranges::any_of(plan.arms, [&](const auto& arm) { return inspector::has_base_image(arm.stack, loaded.catalog); });
  if (!some && !plan.arms.empty())
    throw bad_input(fmt::format("{}: the container runner needs a base image, and no stack of this project has one; require one "
                                "(catalog images.json: \"image\": \"*\"), or measure on this machine: --runner local",
                                loaded.project.file.string()));
}

// A campaign is measured by one program from its first round to its last: the plan's, unchanged. A plan may have been
// imported: what is run is what the user named, now or when the campaign began.
void check_program(specs::Plan& plan, const fs::path& pi, const campaigns::Job& job) {
  const auto refuse = [&](const std::string& why) {
    throw bad_input(fmt::format("--resume {}: {}; start a new campaign: its results are others", plan.id.substr(0, 12), why));
  };
  const bool named = !pi.empty() || !job.script.empty();
  if (!plan.program) {
    if (named) refuse(fmt::format("that campaign is measured by stackx's own PI, not by {}", program_of(pi, job)->path));
    return;
  }
  if (plan.program->plain && !workspace::is_allowed(*plan.program))  // --pi names a file, not its words and files
    throw bad_input(fmt::format("--resume {}: that campaign is measured by the command {}, which nobody ran here; start a "
                                "campaign of your own",
                                plan.id.substr(0, 12), plan.program->text()));
  if (!named && !workspace::is_allowed(*plan.program))
    throw bad_input(fmt::format("--resume {}: that campaign is measured by {}, a program that nobody named here; if it "
                                "is yours, name it: --pi FILE",
                                plan.id.substr(0, 12), plan.program->text()));
  const auto now = named ? *program_of(pi, job) : specs::foreign_program(plan.program->path);
  if (now.sha256 != plan.program->sha256)
    refuse(fmt::format("that campaign is measured by {}, and {} has the SHA-256 {}", plan.program->text(), now.path,
                       now.sha256.substr(0, 12)));
  if (now.plain && now.arguments != plan.program->arguments)
    refuse(fmt::format("that campaign is measured by {}, and not with other words", plan.program->text()));
  plan.program->path = now.path;
}

// The campaign to go on with: the one named, else the project's newest on this device; nothing if
// there is none yet.
std::optional<specs::Plan> plan_to_resume(const store::Store& store, const std::string& id,
                                          const std::string& project, const std::string& device) {
  if (!id.empty()) {
    auto plan = store.plan(id);
    if (!plan) throw bad_input(fmt::format("--resume {}: the store knows no such campaign; `stackx query --sql 'SELECT * FROM campaigns'` lists them, "
                                "and --resume alone takes the project's newest", id));
    if (plan->project != project)
      throw bad_input(fmt::format("--resume {}: that is a campaign of project {}, not of {}", id,
                                  plan->project, project));
    if (plan->block)
      throw bad_input(fmt::format("--resume {}: that is a start of a block of cluster campaign {}, which no other machine goes on "
                                  "with; stackx cluster collect {} submits what is missing",
                                  id, plan->block->cluster.substr(0, 12), plan->block->cluster.substr(0, 12)));
    if (!plan->device.empty() && plan->device != device)
      throw bad_input(fmt::format("--resume {}: that campaign measures on {}; give --device {}, on "
                                  "the machine that has it", id, plan->device, advisor::shell_quoted(plan->device)));
    return plan;
  }
  for (const auto& row : store.campaigns())
    if (row.project == project)
      if (auto plan = store.plan(row.id); plan && !plan->block && (plan->device.empty() || plan->device == device))
        return plan;
  return std::nullopt;
}

}  // namespace

specs::Plan new_plan(const campaigns::Job& job, const fs::path& pi) {
  const workspace::Loaded& loaded = job.loaded;
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  if (!job.refusal) require_workload(loaded.project);
  if (const auto why = resolver.explain())
    throw campaigns::NoStack(loaded.project.name, "", *why);
  const auto stacks = campaigns::measured_stacks(resolver, loaded, job.of_releases);
  auto plan = campaigns::make_plan(loaded.project, stacks,
                                   specs::rfc3339_utc(std::chrono::system_clock::now()),
                                   campaigns::device_for(stacks, loaded), program_of(pi, job));
  if (job.refusal) return plan;  // that is an outcome of its own
  require_pis(plan, loaded.project.file);
  require_images(plan, loaded);
  return plan;
}

specs::Plan plan_to_run(const campaigns::Job& job, const PlanChoice& choice, bool allow_paths, store::Store& store,
                        store::Spool& spool) {
  const workspace::Loaded& loaded = job.loaded;
  const std::string device = loaded.device ? loaded.device->uuid : "";
  std::optional<specs::Plan> plan;
  if (choice.resume) plan = plan_to_resume(store, *choice.resume, loaded.project.name, device);
  if (choice.resume && !plan) workspace::remark("no campaign of {} to resume: starting one\n", loaded.project.name);
  const bool is_new = !plan;
  if (is_new) {
    plan = new_plan(job, choice.pi);
  } else {
    check_program(*plan, choice.pi, job);
  }
  std::set<specs::Stack> stacks;  // each stands in an arm for every workload
  for (const auto& arm : plan->arms) stacks.insert(arm.stack);
  workspace::require_consent(loaded.catalog, {stacks.begin(), stacks.end()}, allow_paths);
  if (plan->program) workspace::allow_program(*plan->program);
  if (is_new) {
    spool.write(*plan);
    store.ingest(*plan);
  }
  for (const auto& stack : stacks) {
    if (const auto wrong = resolver::violation(loaded.project, loaded.catalog, stack))
      throw bad_input(
          fmt::format("campaign {}: stack {} is no longer valid: {}; the project or a catalog "
                      "changed since the "
                      "plan was made, start a new campaign",
                      plan->id.substr(0, 12), stack.short_id(), *wrong));
  }
  return *std::move(plan);
}

}  // namespace stackx::cli
