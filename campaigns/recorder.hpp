// Takes what a campaign produces: results become durable as files first, then part of the store;
// progress goes to the terminal; the pilot rounds tell how many inspections of how many samples it
// takes.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/statistics/two_level.hpp"
#include "campaigns/campaign.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"
#include "workspace/progress.hpp"

namespace stackx::campaigns {

// Samples of GPUs, and those during which something held the clocks down: which bits (NVML's), ever.
struct Throttling {
  std::uint64_t samples = 0, throttled = 0, reasons = 0;
};

class CampaignRecorder : public Listener {
 public:
  static constexpr std::uint64_t pilot_rounds = 3;

  // `width` of the interval that the two-level design is for, as a share of the median.
  // `name` begins its lines, where several campaigns run side by side.
  // What frameworks state of their builds is held against `catalog`.
  CampaignRecorder(store::Store& store, store::Spool& spool, const specs::Catalog& catalog, double width, std::string name = {})
      : line(std::move(name)), store_(store), spool_(spool), catalog_(catalog), width_(width) {}

  void result(const specs::Inspection& inspection) override;
  void progress(const Progress& progress) override;
  void say(const std::string& text) override { line.say(text); }
  void finished(std::uint64_t round) override;

  workspace::ProgressLine line;
  Progress last;
  std::map<specs::Outcome, std::size_t> outcomes;
  Throttling throttling;

 private:
  store::Store& store_;
  store::Spool& spool_;
  const specs::Catalog& catalog_;
  std::set<std::string> said_;  // contradictions, each once
  double width_;
  std::map<specs::Workload, std::vector<analysis::PilotInspection>> pilots_;
};

// What the pilot wants to know of an inspection; no samples if it failed.
analysis::PilotInspection pilot_inspection(const specs::Inspection& inspection);

}  // namespace stackx::campaigns
