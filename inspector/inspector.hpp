// Inspects one stack: materialise -> check -> calibrate -> measure, one fresh process, one result
// document.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "inspector/context.hpp"
#include "inspector/run/worker_place.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/project/plan.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

struct Prepared {
  bool ok = false;
  specs::Outcome outcome = specs::Outcome::ok;  // build_failed, unsupported, ...
  std::string reason, log_tail;
};

// What a campaign needs of an inspector; tests put their own in its place.
class StackInspector {
 public:
  virtual ~StackInspector() = default;

  // Throws Error(bad_input) for what can never run: a parameter set by the workload and by a
  // setting.
  virtual void check(const specs::Stack& stack, const specs::Workload& workload) = 0;

  // Makes the stack's environment ready (cached by content), or says why not. Called for every arm
  // before the first round, so that no measurement waits for a download. `say` hears of downloads.
  virtual Prepared prepare(const specs::Stack& stack,
                           const std::function<void(const std::string&)>& say) = 0;

  // Never throws for what the stack does; the outcome says it. Prepares first if nobody has; after
  // a failed prepare() it reports that failure and does not try again. Fills everything but
  // campaign, round, position, arm and id (seal the document once those stand).
  virtual specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) = 0;

  // From now on inspections are one worker's of several nodes' (nothing: of this machine alone). Of any but the first worker
  // they tell how its PI ended, and nothing else: it prints no document.
  virtual void join(const std::optional<WorkerPlace>& place) { (void)place; }
};

// The runners `local` and `container`, as the campaign says. Not thread safe: measurements that run at once
// disturb each other.
class Inspector : public StackInspector {
 public:
  // `catalog` must outlive the inspector. Throws Error(environment) if the supervisor is missing, or no
  // container engine works where one is asked for, Error(bad_input) for other runners.
  Inspector(Context context, const specs::Catalog& catalog, const specs::CampaignSpec& limits);
  ~Inspector() override;

  using Prepared = inspector::Prepared;
  void check(const specs::Stack& stack, const specs::Workload& workload) override;
  Prepared prepare(const specs::Stack& stack,
                   const std::function<void(const std::string&)>& say = {}) override;
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) override;
  void join(const std::optional<WorkerPlace>& place) override;

  std::string runner() const;  // "local (bubblewrap 0.8.0)", "container (podman 4.3.1, runc, ...)"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stackx::inspector
