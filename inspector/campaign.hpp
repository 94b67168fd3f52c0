// Runs a plan: randomised interleaved rounds, each arm once a round, resumable at any inspection.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "inspector/inspector.hpp"
#include "specs/plan.hpp"

namespace stackx::inspector {

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
  virtual void say(
      const std::string& line) = 0;  // one-off remarks: environments built, budget reached
};

enum class Ending { complete, budget, too_many_failures, interrupted };

// Runs what `done` does not hold. SIGINT/SIGTERM (through `stop`) ends it after the current
// inspection is discarded.
Ending run(const specs::Plan& plan, Inspector& inspector, const std::set<Slot>& done,
           Listener& listener, const std::function<bool()>& stop);

// The plan for these stacks and workloads: arms in the given order, then `sentinels` repeated ones.
specs::Plan make_plan(const specs::Project& project, const std::vector<specs::Stack>& stacks,
                      const std::string& created);

}  // namespace stackx::inspector
