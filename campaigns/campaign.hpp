// Runs a plan: randomised interleaved rounds, each arm that the schedule wants once a round, resumable
// at any inspection.
//
// Environments of a round's arms are made before its first inspection, so that no measurement waits
// for a download; where all arms run, that is before the first round. An arm whose environment cannot
// be made leaves one result, in its first round, and is left out of later ones: repeating a failed
// download teaches nothing. So `planned` shrinks, and a resumed campaign (which tries again) adds no
// second result for that slot. `planned` counts what is left as if the arms of this round went on to
// the schedule's last: the most there can be. Budgets: inspections count over all runs of the plan, minutes from this
// start. `max_failed` counts failures of this plan seen by this run, without `unsupported`, which
// is a fact about the machine.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaigns/schedule.hpp"
#include "inspector/inspector.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns {

using Slot = std::pair<std::uint64_t, std::string>;  // (round, arm label)

struct Progress {
  std::uint64_t planned = 0, done = 0, failed = 0;
  double seconds_left = 0;  // estimated from what ran so far; negative while unknown
  std::string current;      // what is being built or run
};

// Where results and progress go: the campaign knows neither store nor terminal.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void result(const specs::Inspection& inspection) = 0;  // durable when it returns
  virtual void progress(const Progress& progress) = 0;
  virtual void say(const std::string& line) = 0;  // one-off remarks: wheels fetched, budget reached
  virtual void finished(std::uint64_t /*round*/) {}  // all of a round's inspections are done
};

enum class Ending { complete, budget, too_many_failures, interrupted };

using Seconds = std::function<double()>;  // a monotonic clock
double steady_seconds();

// Runs what `done` does not hold. SIGINT/SIGTERM (through `stop`) ends it; the inspection under way
// is discarded.
Ending run(const specs::Plan& plan, inspector::StackInspector& inspector, Schedule& schedule,
           const std::set<Slot>& done, Listener& listener, const std::function<bool()>& stop,
           const Seconds& now = steady_seconds);

// The plan for these stacks and workloads: arms in the given order (stacks, then workloads), then
// `sentinels` arms, drawn by the seed, repeated under a second name. `device`: UUID of the GPU. `program`: what
// measures, where it is not stackx's own.
specs::Plan make_plan(const specs::Project& project, const std::vector<specs::Stack>& stacks,
                      const std::string& created, const std::string& device = {},
                      const std::optional<specs::PiProgram>& program = {});

}  // namespace stackx::campaigns
