// Inspects one stack: materialise -> check -> calibrate -> measure, one fresh process, one result
// document.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "inspector/machine/gpu_devices.hpp"
#include "inspector/python/python_installer.hpp"
#include "inspector/run/pi_command.hpp"
#include "inspector/run/worker_place.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/project/plan.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

struct Context {
  specs::Host host;
  std::filesystem::path cache;       // $XDG_CACHE_HOME/stackx: wheels, environments, images
  std::filesystem::path own_cache;   // what is true of this machine alone (which engine works), where several share `cache`
  Pis pis;
  std::filesystem::path data;        // directory of the catalogs that come with stackx
  std::filesystem::path supervisor;  // the stackx-supervise program beside it
  bool offline = false;              // use what is cached, say what is missing
  FetchSource fetch_source;          // none: source archives are not built
  std::optional<specs::PiProgram> program;  // of pis.own, as the campaign was planned with it; none: as it is now
  std::string stackx_version;
  // Asked while something runs; true kills it at once. What inspect() returns then is to be
  // discarded.
  std::function<bool()> stop;
  bool sandbox = true;  // false: no bubblewrap even where it works
  // The GPU that stacks with one are measured on; nothing: none is visible, and they are refused.
  std::optional<GpuDevice> device;
  // This process's share of the CPUs, where several campaigns run side by side: block `first` of `of`.
  struct CpuShare {
    std::size_t block = 0, of = 1;
  } cpus;
  std::function<void(const std::string&)> say;  // hears that container engines are tried
  std::filesystem::path root = "/";  // below which /proc and /sys are read; tests have their own
  std::filesystem::path image_archives;  // the engine's images are saved there and loaded from there where it lacks them
};

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
