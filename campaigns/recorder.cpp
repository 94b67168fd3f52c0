#include "campaigns/recorder.hpp"

#include <fmt/core.h>

#include <cmath>

#include "campaigns/build_check.hpp"
#include "workspace/words.hpp"

namespace stackx::campaigns {
namespace {

double seconds_of(const specs::Inspection& inspection, const char* phase) {
  for (const auto& known : inspection.phases)
    if (known.name == phase) return static_cast<double>(known.duration_ns) / 1e9;
  return 0;
}

void add(Throttling& all, const specs::SampleConditions& conditions, std::size_t samples) {
  if (conditions.columns.empty()) return;  // no GPU, or one that tells nothing
  all.samples += samples;
  all.throttled += conditions.throttled.size();
  const auto masks = conditions.columns.find("throttle");
  if (masks == conditions.columns.end()) return;
  for (const auto index : conditions.throttled)
    all.reasons |= static_cast<std::uint64_t>(masks->second[index]);
}

// [ 37/192]  0 failed  1 min 12 s left  4f1c09a2d7e1 mkl 2024.2.2
std::string progress_text(const Progress& progress) {
  const auto width = fmt::formatted_size("{}", progress.planned);
  const std::string left =
      progress.seconds_left < 0 ? "" : "  " + workspace::duration(progress.seconds_left) + " left";
  return fmt::format("[{:>{}}/{}]  {} failed{}  {}", progress.done, width, progress.planned,
                     progress.failed, left, progress.current);
}

}  // namespace

analysis::PilotInspection pilot_inspection(const specs::Inspection& inspection) {
  analysis::PilotInspection pilot;
  pilot.arm = inspection.arm;
  if (inspection.outcome != specs::Outcome::ok) return pilot;
  for (const auto sample : inspection.samples_ns) {
    if (sample <= 0) return {};
    pilot.log_rates.push_back(-std::log(static_cast<double>(sample)));
    pilot.sampling_seconds += static_cast<double>(sample) / 1e9;
  }
  pilot.seconds = seconds_of(inspection, "run");
  return pilot;
}

void CampaignRecorder::result(const specs::Inspection& inspection) {
  store::keep(inspection, spool_, store_);
  ++outcomes[inspection.outcome];
  if (const auto wrong = build_contradiction(inspection, catalog_); wrong && said_.insert(*wrong).second) line.say(*wrong);
  add(throttling, inspection.conditions, inspection.samples_ns.size());
  if (inspection.round < pilot_rounds)
    pilots_[inspection.workload].push_back(pilot_inspection(inspection));
}

void CampaignRecorder::progress(const Progress& progress) {
  line.show(progress_text(progress));
  last = progress;
}

void CampaignRecorder::finished(std::uint64_t round) {
  if (round + 1 != pilot_rounds) return;
  for (const auto& [workload, pilot] : pilots_)
    if (const auto design = analysis::two_level(pilot)) {
      if (pilots_.size() > 1) line.say(workload.text() + ":");
      for (const auto& text : analysis::lines(*design, width_)) line.say(text);
    }
}

}  // namespace stackx::campaigns
