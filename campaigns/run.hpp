// Runs a plan from the command line: inspector, schedule, progress, Ctrl-C. What `inspect` and
// `verify` share.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"
#include "campaigns/job.hpp"
#include "campaigns/recorder.hpp"
#include "inspector/inspector.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"

namespace stackx::campaigns {

// Differences below this share do not matter, as `stackx advise` has it unless told otherwise.
inline constexpr double verdict_delta = 0.01;

struct CampaignOptions {
  const Job& job;
  bool offline = false;
  // Of several campaigns side by side, which this is: its share of the CPUs, and its name on stderr.
  inspector::Context::CpuShare share = {};
  std::string name = {};
};

struct CampaignRun {
  Ending ending = Ending::complete;
  Progress last;
  std::map<specs::Outcome, std::size_t> outcomes;      // of this start
  std::map<specs::Outcome, std::size_t> all_outcomes;  // of the campaign, earlier starts too
  double seconds = 0;
  std::vector<store::Measurement> measured;  // of the campaign, earlier starts too
  Throttling throttling;                     // of this start
};

// What an inspector needs of a machine and a user, for what `program` measures (none: stackx's own PIs).
inspector::Context inspector_context(const CampaignOptions& options, const std::optional<specs::PiProgram>& program,
                                     const workspace::Context& where);

// From then on the first SIGINT, SIGTERM, SIGUSR2 or SIGHUP makes interrupted() true, the second ends the process.
void listen_to_signals();
bool interrupted();

CampaignRun run_campaign(const specs::Plan& plan, const CampaignOptions& options,
                         store::Store& store, store::Spool& spool, const workspace::Context& context);

// What a campaign says of itself: its sentinels, how the machine drifted, what steal and load did.
std::vector<std::string> health(const std::vector<store::Measurement>& measured, const std::string& host);

// Of a result what schedules and the lines of finals look at: its place, its outcome, its samples. A document takes
// ten times as long to read.
specs::Inspection in_short(const store::Measurement& measurement);

std::vector<specs::Inspection> documents(const store::Store& store, const std::string& campaign);

// "17 arms x 12 rounds = 204 inspections"; what an adaptive strategy needs is known at its end only.
std::string size_text(const specs::Plan& plan);

// What is measured here must not be filed under another machine's name: throws Error(bad_input).
void check_hardware(const workspace::Loaded& loaded);

}  // namespace stackx::campaigns
