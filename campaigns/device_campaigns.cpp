#include "campaigns/device_campaigns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <thread>

#include "campaigns/adaptive_schedule.hpp"
#include "inspector/gpu_requirements.hpp"
#include "inspector/machine/host.hpp"

namespace stackx::campaigns {
namespace {

DeviceRun run_one(const DeviceCampaign& campaign, const CampaignOptions& options,
                  const std::filesystem::path& database, const workspace::Context& context) {
  store::Store store = store::Store::open(database);
  store::Spool spool(database);
  DeviceRun result;
  result.run = run_campaign(campaign.plan, options, store, spool, context);
  std::vector<specs::Inspection> results;
  if (campaign.plan.campaign.strategy.kind == specs::StrategySpec::Kind::race)
    std::ranges::transform(result.run.measured, std::back_inserter(results), in_short);
  result.notes = final_lines(campaign.plan, results, verdict_delta);
  std::ranges::move(health(result.run.measured, campaign.job.loaded.host.fingerprint()), std::back_inserter(result.notes));
  if (const auto& seen = result.run.throttling; seen.throttled > 0)
    result.notes.push_back(fmt::format(
        "{} of {} samples were taken while something held the GPU's clocks down ({}); they are marked "
        "in the documents (\"throttled\")",
        seen.throttled, seen.samples, specs::throttle_reasons(seen.reasons & ~specs::harmless_throttling)));
  return result;
}

}  // namespace

std::vector<std::string> asked_devices(const std::vector<std::string>& words,
                                       const workspace::Context& context) {
  if (words.empty()) return {""};
  const auto visible = inspector::visible_devices(inspector::detect_host(context.data_directory()));
  std::vector<std::string> uuids;
  for (const auto& device : inspector::choose_devices(visible, words)) uuids.push_back(device.uuid);
  if (uuids.empty()) uuids.emplace_back();  // "all" of none: each inspection says what is missing
  return uuids;
}

std::string device_for(const std::vector<specs::Stack>& stacks, const workspace::Loaded& loaded) {
  const auto& workloads = loaded.project.workloads;
  const bool on_gpu = std::ranges::any_of(stacks, [&](const specs::Stack& stack) {
    return inspector::needs_gpu(stack, loaded.catalog) ||
           std::ranges::any_of(workloads, [&](const auto& workload) { return inspector::uses_gpu(stack, workload, loaded.catalog); });
  });
  return on_gpu && loaded.device ? loaded.device->uuid : "";
}

std::vector<DeviceRun> run_side_by_side(const std::vector<DeviceCampaign>& campaigns,
                                        bool offline, const std::filesystem::path& database,
                                        const workspace::Context& context) {
  std::vector<DeviceRun> results(campaigns.size());
  std::vector<std::exception_ptr> errors(campaigns.size());
  const auto run = [&](std::size_t i) noexcept {
    try {
      CampaignOptions options{campaigns[i].job, offline, {i, campaigns.size()}, {}};
      if (campaigns.size() > 1)
        options.name = fmt::format("{}: ", campaigns[i].plan.device.substr(0, 12));
      results[i] = run_one(campaigns[i], options, database, context);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < campaigns.size(); ++i) others.emplace_back(run, i);
    run(0);
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
  return results;
}

}  // namespace stackx::campaigns
