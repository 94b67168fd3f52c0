#include "inspector/inspector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ranges>

#include "inspector/cache/cache_use.hpp"
#include "inspector/confinement/supervised_run.hpp"
#include "inspector/environment/environment.hpp"
#include "inspector/environment/shown_paths.hpp"
#include "inspector/gpu_requirements.hpp"
#include "inspector/machine/gpu/energy.hpp"
#include "inspector/machine/gpu/memory.hpp"
#include "inspector/machine/host.hpp"
#include "inspector/machine/processor_time.hpp"
#include "inspector/machine/rapl.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/meters/device_memory_meter.hpp"
#include "inspector/meters/energy_meter.hpp"
#include "inspector/process/placement.hpp"
#include "inspector/process/secrets.hpp"
#include "inspector/run/findings.hpp"
#include "inspector/run/measuring_program.hpp"
#include "inspector/runner.hpp"
#include "inspector/workshop.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/result/plausibility.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Inspection;
using specs::Outcome;
using Parameters = std::map<std::string, std::string>;

std::int64_t epoch_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Arguments end at a NUL byte: what follows it would be lost without a word.
void refuse_nul(const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    throw bad_input("a workload's name, parameters and settings cannot hold a NUL character");
  }
}

Parameters merged(const specs::Workload& workload, const Parameters& settings) {
  Parameters result = workload.params;
  for (const auto& [name, value] : settings) {
    const auto [known, is_new] = result.emplace(name, value);
    if (!is_new) {
      throw bad_input(
          fmt::format("workload {}: parameter \"{}\" is also set by a setting of the stack "
                      "({}={}); take it out "
                      "of the workload, or pin the setting",
                      workload.text(), name, name, value));
    }
  }
  for (const auto& [name, value] : result) {
    refuse_nul(name);
    refuse_nul(value);
  }
  refuse_nul(workload.pi);
  return result;
}

std::size_t thread_count(const Parameters& parameters) {
  std::size_t count = 0;
  if (const auto threads = parameters.find("threads"); threads != parameters.end()) {
    const auto& text = threads->second;
    std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return count;  // 0: all processors
}

std::string joined(const std::vector<fs::path>& directories) {
  std::string result;
  for (const auto& directory : directories) {
    if (!result.empty()) result += ':';
    result += directory.string();
  }
  return result;
}

// "nvidia.com/gpu=0", or "nvidia.com/gpu=0:1" for an instance of MIG: the names that every version
// of nvidia-ctk gives; only later ones know UUIDs, too.
std::string cdi_name(const GpuDevice& device, const specs::Host& host) {
  const auto& parts = host.gpus[device.card].mig;
  const auto part = std::ranges::find(parts, device.uuid, &specs::MigInstance::uuid);
  return fmt::format("nvidia.com/gpu={}{}", device.card,
                     part == parts.end() ? "" : fmt::format(":{}", part - parts.begin()));
}

}  // namespace

struct Inspector::State {
  Context context;
  CacheUse use;
  const specs::Catalog& catalog;
  specs::CampaignSpec limits;
  Runner runner;
  Environments environments;
  std::vector<Processor> processors;
  std::string fingerprint;
  Secrets secrets;
  MeasuringProgram program;
  specs::RateLimits rates;
  EnergyMeter energy;
  std::shared_ptr<GpuMemory> gpu_memory;
  bool reads_gpu = false;
  std::optional<WorkerPlace> worker;  // among other nodes' inspectors
  // What prepare() last did; the phase is nameless once a result tells it.
  struct Build {
    specs::Phase phase;
    std::optional<CannotBuild> failure;
  };
  std::map<specs::Stack, Build> builds;

  State(Context given, const specs::Catalog& its_catalog, const specs::CampaignSpec& its_limits)
      : context(std::move(given)),
        use(context.cache),
        catalog(its_catalog),
        limits(its_limits),
        runner(make_runner(context, limits.runner)),
        environments(make_environments(context, catalog, limits, runner)),
        processors(share_of(usable_processors(), context.cpus.block, context.cpus.of)),
        fingerprint(context.host.fingerprint()),
        program(context.pis, context.program),
        rates(context.host) {
    if (auto rapl = Rapl::find(Tree(context.root))) energy.add(std::move(*rapl));
  }

  // What cannot run here is refused before anything is fetched.
  std::expected<const StackEnvironment*, CannotBuild> make(const specs::Stack& stack,
                                                           const Say& say) {
    if (!context.for_other_machines && needs_gpu(stack, catalog))
      if (auto why = why_not_on(context.device, context.host, stack, catalog))
        return std::unexpected(CannotBuild{Outcome::unsupported, std::move(*why), ""});
    return environments.get(stack, say, context.stop);
  }

  // What is the user's own and the PI needs, where the sandbox runs it as another user than root.
  std::optional<std::string> why_unreadable() const {
    const auto is_hidden = [&](const fs::path& path, mode_t needs) {
      struct stat status {};
      return !path.empty() && runner.exposure() != Exposure::open && stat(path.c_str(), &status) == 0 &&
             (!readable_inside(status) || (geteuid() == 0 && (status.st_mode & needs) != needs));
    };
    constexpr const char* because = "root's inspections run as another user";
    if (is_hidden(context.pis.own, 0)) return fmt::format("{}; chmod a+r {}", because, context.pis.own.string());
    const auto files = program.planned().files;
    if (is_hidden(files, S_IXOTH)) return fmt::format("{}; chmod a+rx {}", because, files);
    return std::nullopt;
  }

  std::optional<std::string> why_no_files() const {
    const auto files = program.planned().files;
    std::error_code error;
    if (files.empty()) return std::nullopt;
    if (!fs::is_directory(files, error)) return files + (fs::exists(files, error) ? " is not a directory" : " does not exist");
    return why_not_shown(fs::canonical(files, error));  // a link by now, or a plan of somebody else's
  }

  Inspection blank(const specs::Stack& stack, const specs::Workload& workload) const {
    Inspection result;
    result.stack = stack;
    result.workload = workload;
    result.program = program.planned();
    result.workload.program = result.program->identity();
    result.parameters = workload.params;
    result.host = context.host;
    const bool on_gpu = context.device && uses_gpu(stack, workload, catalog);
    result.device = on_gpu ? context.device->uuid : fingerprint;
    result.runner = runner.description();
    if (worker) {
      result.runner += ", with the network";
      result.nodes = worker->nodes;
    }
    result.stackx_version = context.stackx_version;
    return result;
  }

  std::vector<GpuDevice> gpus_of(const specs::Workload& workload) const {
    return devices_for(*context.device, visible_devices(context.host), context.host, workload);
  }

  SupervisedRun plan_run(const specs::Stack& stack, const StackEnvironment& environment,
                         const specs::Workload& workload, const Parameters& parameters) const {
    const auto planned = program.planned();
    auto command = planned.plain ? plain_command(context.pis, environment, planned)
                                 : pi_command(context.pis, environment, workload.pi, parameters);
    SupervisedRun what;
    what.supervisor = context.supervisor;
    what.argv = std::move(command.argv);
    what.variables = environment.variables;
    auto library_path = environment.library_path;
    std::optional<fs::path> drivers;
    if (context.device && uses_gpu(stack, workload, catalog)) {
      what.variables["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(gpus_of(workload) | std::views::transform(&GpuDevice::uuid), ","));
      // CUDA counts in the order of the system's tools, should a stack's own code use indices.
      what.variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
      if (!environment.image) drivers = driver_directory();
      if (drivers && !is_searched_anyway(*drivers)) library_path.push_back(*drivers);
    }
    if (!library_path.empty()) what.variables["LD_LIBRARY_PATH"] = joined(library_path);
    auto& confinement = what.confinement;
    confinement.visible = environment.visible;
    if (drivers) confinement.visible.push_back(*drivers);
    confinement.visible.insert(confinement.visible.end(), command.visible.begin(),
                               command.visible.end());
    confinement.directory = planned.files;
    confinement.memory_bytes = limits.memory_bytes();
    confinement.processes = limits.processes;
    confinement.cpus = place(processors, limits.cpus > 0 ? limits.cpus : thread_count(parameters));
    if (environment.image) confinement.image = environment.image->id;
    if (worker) {
      confinement.peers = true;
      for (const auto& [name, value] : words_of(*worker)) what.variables[name] = value;
      what.variables.merge(hints_of(*worker));
    }
    what.timeout_seconds = limits.timeout_seconds;
    what.stop = context.stop;
    return what;
  }

  void execute(Inspection& result, const StackEnvironment& environment,
               const Parameters parameters) {
    if (const auto why = why_no_pi(context.pis, environment)) {
      return put(result, {Outcome::missing_pi, "the PI cannot be run: " + *why});
    }
    if (const auto why = why_no_files()) return put(result, {Outcome::missing_pi, "the PI's files cannot be shown: " + *why});
    if (const auto why = why_unreadable()) return put(result, {Outcome::missing_pi, "the PI cannot be read: " + *why});
    const auto running = program.running(environment);
    if (!running) return put(result, {Outcome::missing_pi, "the PI is not run: " + running.error()});
    result.program = *running;
    auto what = plan_run(result.stack, environment, result.workload, parameters);
    const bool on_gpu = context.device && uses_gpu(result.stack, result.workload, catalog);
    if (environment.image && on_gpu) {
      if (!has_cdi())
        return put(result, {Outcome::unsupported,
                            "the stack has a GPU, and no CDI specification describes it to "
                            "containers; nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"});
      for (const auto& gpu : gpus_of(result.workload)) what.confinement.gpus.push_back(cdi_name(gpu, context.host));
    }
    watch_counters(on_gpu);
    result.load_1m = load_now();
    const Tree machine(context.root);
    const auto before = read_processor_time(machine);
    energy.begin();
    const RunMark mark;
    if (on_gpu) what.mark = mark.word();
    DeviceMemoryMeter device_memory(on_gpu ? gpu_memory : nullptr, mark);
    const auto ran = run(what, *runner.confiner);
    const auto held = device_memory.end();
    energy.end();
    result.steal = share_of_steal(before, read_processor_time(machine));
    result.stdout_tail = tail(secrets.masked(ran.process.out));
    result.stderr_tail = tail(secrets.masked(ran.process.err));
    if (ran.start && runner.engine) result.phases.push_back({specs::container_start, ran.start->start_ns, ran.start->duration_ns});
    if (ran.supervision) put_supervision(result, *ran.supervision);
    if (const auto verdict = judge(what, ran); verdict.outcome != Outcome::ok) {
      return put(result, verdict);
    }
    if (worker && !worker->is_first()) return;  // the first tells what they measured
    put_output(result, environment, program.planned(), secrets, ran);
    if (result.outcome != Outcome::ok) return;
    put_memory_together(result, ran.supervision->together_bytes);
    result.device_memory = held;
    result.energy = energy.drawn(result.phases);
    if (!on_gpu) result.energy.erase(specs::nvml_source);
    if (on_gpu && gpus_of(result.workload).size() > 1) forget_one_gpu(result);
    if (auto why = specs::why_implausible(rates.of(result.device, result.workload), result.work, result.samples_ns))
      put(result, {Outcome::implausible, std::move(*why)});
  }

  // Of several, what one of them drew and held is not the work's.
  static void forget_one_gpu(Inspection& result) {
    result.device_memory.reset();
    result.energy.erase(specs::nvml_source);
    result.conditions.columns.erase("energy_j");
  }

  // Waits for a second before the first run, where there is a counter.
  void watch_counters(bool on_gpu) {
    if (on_gpu && !reads_gpu) {
      energy.add(gpu_energy(context.device->uuid));
      gpu_memory = inspector::gpu_memory(context.device->uuid);
    }
    reads_gpu = reads_gpu || on_gpu;
    energy.watch_idle(context.stop);
  }
};

Inspector::Inspector(Context context, const specs::Catalog& catalog, const specs::CampaignSpec& limits)
    : state_(std::make_unique<State>(resolved(std::move(context)), catalog, limits)) {}

Inspector::~Inspector() = default;

std::string Inspector::runner() const { return state_->runner.description(); }

void Inspector::check(const specs::Stack& stack, const specs::Workload& workload) {
  Parameters settings;
  for (const auto& [name, version] : stack.components) {
    if (const auto* entry = state_->catalog.find(name, version)) settings.insert(entry->parameters.begin(), entry->parameters.end());
  }
  (void)merged(workload, settings);
}

Prepared Inspector::prepare(const specs::Stack& stack,
                            const std::function<void(const std::string&)>& say) {
  const auto start = epoch_ns();
  const auto environment = state_->make(stack, say);
  auto& build = state_->builds[stack];
  build.phase = {"build", start, std::max<std::int64_t>(epoch_ns() - start, 0)};
  build.failure.reset();
  if (environment) return {true, Outcome::ok, "", ""};
  build.failure = environment.error();
  build.failure->reason = tail(state_->secrets.masked(build.failure->reason));
  build.failure->log_tail = tail(state_->secrets.masked(build.failure->log_tail));
  return {false, build.failure->outcome, build.failure->reason, build.failure->log_tail};
}

void Inspector::join(const std::optional<WorkerPlace>& place) { state_->worker = place; }

Inspection Inspector::inspect(const specs::Stack& stack, const specs::Workload& workload) {
  auto result = state_->blank(stack, workload);
  if (!state_->builds.contains(stack)) prepare(stack, {});
  const auto build = state_->builds.at(stack);
  if (!build.failure) state_->builds.at(stack).phase = {};
  if (!build.phase.name.empty()) result.phases.push_back(build.phase);
  if (build.failure) {
    put(result, {build.failure->outcome, build.failure->reason});
    result.stderr_tail = build.failure->log_tail;
  } else {
    const auto* environment = state_->environments.get(stack, {}).value();  // ready: a look-up
    result.parameters = merged(workload, environment->parameters);
    result.artifacts = environment->artifacts;
    result.loaded = environment->installed;
    state_->execute(result, *environment, result.parameters);
  }
  result.reason = state_->secrets.masked(std::move(result.reason));
  result.finished = specs::rfc3339_utc(std::chrono::system_clock::now());
  return result;
}

}  // namespace stackx::inspector
