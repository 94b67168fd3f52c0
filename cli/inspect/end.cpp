#include "cli/inspect/end.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "cli/advise/headlines.hpp"
#include "cli/output/print.hpp"
#include "resolver/resolver.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

const char* describe(campaigns::Ending ending) {
  switch (ending) {
    case campaigns::Ending::complete:
      return "complete";
    case campaigns::Ending::budget:
      return "budget used up";
    case campaigns::Ending::too_many_failures:
      return "stopped: too many failures";
    case campaigns::Ending::interrupted:
      return "interrupted; --resume goes on";
  }
  return "";
}

// As --hw of `advise` names what the campaign measured on.
std::string asked_hardware_of(const campaigns::DeviceCampaign& campaign) {
  const auto& loaded = campaign.job.loaded;
  const bool on_gpu = !campaign.plan.device.empty() && loaded.device && loaded.device->card < loaded.host.gpus.size();
  return on_gpu ? loaded.host.gpus[loaded.device->card].model : "host";
}

// "593 of the project's 609 valid stacks are not in this campaign."; empty where all are, or where nobody can count
// them.
std::string not_measured(const campaigns::DeviceCampaign& campaign) {
  if (!campaign.job.loaded.project.campaign.stacks.empty()) return "";  // asked for these alone
  std::set<specs::Stack> measured;
  for (const auto& arm : campaign.plan.arms) measured.insert(arm.stack);
  if (campaign.job.of_releases)  // the other stacks differ in what nobody asked for
    return measured.size() < campaign.job.loaded.project.campaign.sampler.count
               ? ""
               : fmt::format("At most {} stacks are measured: --sample N takes more.", measured.size());
  try {
    const auto valid = resolver::Resolver(campaign.job.loaded.project, campaign.job.loaded.catalog).count();
    if (valid <= measured.size()) return "";
    return fmt::format("{} of the project's {} valid stacks {} not in this campaign.",
                       resolver::BigInt(valid - measured.size()).str(), valid.str(), valid - measured.size() == 1 ? "is" : "are");
  } catch (const resolver::TooEntangled&) {
    return "";
  }
}

nlohmann::json end_json(const campaigns::DeviceCampaign& campaign, const campaigns::DeviceRun& ended,
                        const std::vector<Said>& said) {
  const auto by_name = [](const std::map<specs::Outcome, std::size_t>& outcomes) {
    nlohmann::json result = nlohmann::json::object();
    for (const auto& [outcome, n] : outcomes) result[specs::to_string(outcome)] = n;
    return result;
  };
  const auto& run = ended.run;
  nlohmann::json answers = nlohmann::json::array();
  for (const auto& one : said) {
    answers.push_back(analysis::to_json(one.headline));
    answers.back()["workload"] = one.workload.text();
  }
  return {{"answers", answers},
          {"campaign", campaign.plan.id},
          {"project", campaign.plan.project},
          {"ending", describe(run.ending)},
          {"planned", run.last.planned},
          {"done", run.last.done},
          {"outcomes", by_name(run.outcomes)},
          {"all_outcomes", by_name(run.all_outcomes)},
          {"seconds", run.seconds},
          {"notes", ended.notes}};
}

std::string outcomes_text(const campaigns::CampaignRun& run) {
  std::size_t now = 0, all = 0;
  std::string text;
  for (const auto& [outcome, n] : run.outcomes) now += n;
  for (const auto& [outcome, n] : run.all_outcomes) {
    all += n;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, specs::to_string(outcome));
  }
  const auto time = workspace::duration(run.seconds);
  if (now == all) return fmt::format("{} in {}", text.empty() ? "nothing new" : text, time);
  return fmt::format("{}; {} in {}", text, now == 0 ? "nothing new" : fmt::format("{} of them now,", now), time);
}

// What was measured earlier must not stand for a campaign of which nothing ran; "" where something did, or where the
// headlines say so themselves.
std::string nothing_ran(const campaigns::CampaignRun& run, const std::vector<Said>& said) {
  if (run.all_outcomes.empty() || run.all_outcomes.contains(specs::Outcome::ok)) return "";
  if (std::ranges::all_of(said, [](const Said& one) { return one.headline.verdict == "FAILED"; })) return "";
  std::size_t all = 0;
  for (const auto& [outcome, n] : run.all_outcomes) all += n;
  return fmt::format("Nothing was measured: {} of this campaign failed. From earlier campaigns:",
                     all == 1 ? "the one inspection" : fmt::format("all {} inspections", all));
}

}  // namespace

void say_end(const campaigns::DeviceCampaign& campaign, const campaigns::DeviceRun& ended, const Globals& globals) {
  const auto said = headlines(campaign.plan, asked_hardware_of(campaign), globals);
  if (globals.json) return print_json(end_json(campaign, ended, said));
  if (const auto line = nothing_ran(ended.run, said); !line.empty()) print_paragraph(line);
  const bool alike = said.size() > 1 && std::ranges::all_of(said, [&](const Said& one) { return one.headline.line == said.front().headline.line; });
  if (alike) print_paragraph(fmt::format("All {} workloads: {}", said.size(), said.front().headline.line));
  else if (said.size() > 1)
    for (const auto& [workload, headline] : said) print_paragraph(workload.text() + ": " + headline.line);
  else
    for (const auto& one : said) print_headline(one.headline);
  if (const auto line = not_measured(campaign); !line.empty()) print_paragraph(line);
  print_paragraph(fmt::format("campaign {}: {} of {} inspections done ({}), {}", campaign.plan.id.substr(0, 12), ended.run.last.done,
                    ended.run.last.planned, describe(ended.run.ending), outcomes_text(ended.run)));
  for (const auto& note : ended.notes) print_line(note, 2);
  if (const auto next = next_command(said, asked_hardware_of(campaign), campaign.plan); !next.empty()) print_paragraph({"Next:", next}, 2);
}

}  // namespace stackx::cli
