// Inspects one stack: materialise -> check -> calibrate -> measure, one fresh process, one result
// document.
#pragma once

#include <filesystem>
#include <string>

#include "specs/catalog.hpp"
#include "specs/inspection.hpp"
#include "specs/plan.hpp"

namespace stackx::inspector {

struct Context {
  specs::Host host;
  std::filesystem::path cache;       // $XDG_CACHE_HOME/stackx: environments, downloads
  std::filesystem::path pi;          // the stackx-pi program, or the one that --pi names
  std::filesystem::path supervisor;  // the stackx-supervise program beside it
  bool offline = false;              // use what is cached, say what is missing
  std::string stackx_version;
};

class Inspector {
 public:
  Inspector(Context context, const specs::Catalog& catalog, const specs::CampaignSpec& limits);
  ~Inspector();

  // Makes the stack's environment ready (cached by content), or says why not. Thread safe is not
  // needed. Called before round 1 for every arm, so that no measurement waits for a download.
  struct Prepared {
    bool ok = false;
    specs::Outcome outcome = specs::Outcome::ok;  // build_failed, unsupported
    std::string reason, log_tail;
  };
  Prepared prepare(const specs::Stack& stack);

  // Never throws for what the stack does; the outcome says it. Fills everything but campaign,
  // round, position, arm.
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload);

  std::string runner() const;  // "local (bubblewrap 0.8.0)"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stackx::inspector
