#include "inspector/inspector.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>

#include "inspector/environment.hpp"
#include "inspector/host.hpp"
#include "inspector/local_run.hpp"
#include "inspector/placement.hpp"
#include "inspector/protocol.hpp"
#include "inspector/uv.hpp"
#include "inspector/verify.hpp"
#include "specs/clock.hpp"
#include "specs/error.hpp"

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

std::optional<std::string> why_not_executable(const fs::path& pi) {
  std::error_code error;
  if (!fs::exists(pi, error)) return pi.string() + " does not exist";
  if (!fs::is_regular_file(pi, error)) return pi.string() + " is not a file";
  // access() would say yes to root for any file with one execute bit, as exec does.
  if (access(pi.c_str(), X_OK) != 0) return pi.string() + " is not executable; chmod +x it";
  return std::nullopt;
}

specs::Usage usage_of(const Supervision& report) {
  specs::Usage usage;
  usage.user_s = static_cast<double>(report.user_us) / 1e6;
  usage.system_s = static_cast<double>(report.system_us) / 1e6;
  usage.max_rss_bytes = static_cast<std::uint64_t>(report.max_rss_kib) * 1024;
  usage.minor_faults = report.minor_faults;
  usage.major_faults = report.major_faults;
  usage.voluntary_switches = report.voluntary;
  usage.involuntary_switches = report.involuntary;
  return usage;
}

void put_report(Inspection& result, PiReport report) {
  for (auto& [name, value] : report.parameters) result.parameters[name] = value;
  for (auto& phase : report.phases) result.phases.push_back(std::move(phase));
  result.samples_ns = std::move(report.samples_ns);
  result.work = report.work;
  result.check = report.check;
}

Verdict judge_check(const std::optional<specs::Check>& check) {
  if (!check || check->pass) return {};
  return {Outcome::wrong_result,
          fmt::format("the result differs from the reference ({}) by {:.3g}; the bound is {:.3g}",
                      check->reference, check->max_relative_error, check->bound)};
}

void put(Inspection& result, const Verdict& verdict) {
  result.outcome = verdict.outcome;
  result.reason = verdict.reason;
}

}  // namespace

struct Inspector::State {
  Context context;
  const specs::Catalog& catalog;
  specs::CampaignSpec limits;
  Sandbox sandbox;
  Environments environments;
  std::vector<Processor> processors;
  std::string fingerprint;
  // What prepare() last did; the phase is nameless once a result tells it.
  struct Build {
    specs::Phase phase;
    std::optional<CannotBuild> failure;
  };
  std::map<specs::Stack, Build> builds;

  State(Context given, const specs::Catalog& its_catalog, const specs::CampaignSpec& its_limits)
      : context(std::move(given)),
        catalog(its_catalog),
        limits(its_limits),
        sandbox(context.sandbox ? Sandbox::probe(context.supervisor) : Sandbox::none("not wanted")),
        environments(catalog, wheel_store(), std::make_unique<Packages>()),
        processors(usable_processors()),
        fingerprint(context.host.fingerprint()) {}

  WheelStore wheel_store() const {
    const UvOptions options{context.supervisor.parent_path(), context.offline, context.stop};
    auto uv = std::make_shared<Uv>(options);
    return {context.cache / "wheels", [uv](const WheelRequest& request, const fs::path& target) {
              return uv->install(request, target);
            }};
  }

  Inspection blank(const specs::Stack& stack, const specs::Workload& workload) const {
    Inspection result;
    result.stack = stack;
    result.workload = workload;
    result.parameters = workload.params;
    result.host = context.host;
    const bool on_gpu = stack.components.contains("gpu") && !context.host.gpus.empty();
    result.device = on_gpu ? context.host.gpus[0].uuid : fingerprint;
    result.runner = "local (" + sandbox.description() + ")";
    result.stackx_version = context.stackx_version;
    return result;
  }

  LocalRun plan_run(const StackEnvironment& environment, const specs::Workload& workload,
                    const Parameters& parameters) const {
    LocalRun what;
    what.supervisor = context.supervisor;
    what.argv = {context.pi.string(), workload.pi};
    if (!environment.library.empty()) {
      for (const auto& word : {std::string("--library"), environment.library.string(),
                               std::string("--component"), environment.component}) {
        what.argv.push_back(word);
      }
    }
    for (const auto& [name, value] : parameters) what.argv.push_back(name + "=" + value);
    what.variables = environment.variables;
    if (!environment.library_path.empty()) {
      what.variables["LD_LIBRARY_PATH"] = joined(environment.library_path);
    }
    what.visible = environment.visible;
    what.visible.push_back(context.pi);
    what.cpus = place(processors, thread_count(parameters));
    what.timeout_seconds = limits.timeout_seconds;
    what.memory_bytes = static_cast<std::uint64_t>(limits.memory_gib * (1 << 30));
    what.stop = context.stop;
    return what;
  }

  void execute(Inspection& result, const StackEnvironment& environment,
               const Parameters parameters) const {
    if (const auto why = why_not_executable(context.pi)) {
      return put(result, {Outcome::missing_pi, "the PI cannot be run: " + *why});
    }
    const auto what = plan_run(environment, result.workload, parameters);
    result.load_1m = load_now();
    const auto ran = run(what, sandbox);
    result.stdout_tail = tail(ran.process.out);
    result.stderr_tail = tail(ran.process.err);
    if (ran.supervision) put_supervision(result, *ran.supervision);
    if (const auto verdict = judge(what, ran); verdict.outcome != Outcome::ok) {
      return put(result, verdict);
    }
    read_output(result, environment, ran.process.out);
  }

  static void put_supervision(Inspection& result, const Supervision& report) {
    if (report.end == Supervision::End::not_started) return;
    result.usage = usage_of(report);
    result.phases.push_back({"run", report.start_ns, report.duration_ns});
    if (report.end == Supervision::End::exited) result.exit_code = report.status;
  }

  static void read_output(Inspection& result, const StackEnvironment& environment,
                          const std::string& text) {
    auto report = parse_pi_output(text);
    if (!report) return put(result, {report.error().outcome, report.error().reason});
    auto verified = verify(environment, *report);
    put_report(result, std::move(*report));
    result.loaded = std::move(verified.loaded);
    if (verified.wrong) return put(result, {Outcome::wrong_stack, *verified.wrong});
    put(result, judge_check(result.check));
  }
};

Inspector::Inspector(Context context, const specs::Catalog& catalog,
                     const specs::CampaignSpec& limits) {
  if (find_program(context.supervisor.string()).empty()) {
    throw broken_environment(fmt::format(
        "{}: not there or not executable; stackx-supervise belongs beside stackx, build it too",
        context.supervisor.string()));
  }
  context.supervisor = fs::canonical(context.supervisor);
  std::error_code not_there;  // a missing PI is an outcome, not an error
  if (const auto pi = fs::canonical(context.pi, not_there); !not_there) context.pi = pi;
  context.pi = fs::absolute(context.pi);
  context.cache = fs::absolute(context.cache).lexically_normal();
  if (context.cache.string().find_first_of(":;") != std::string::npos) {
    throw broken_environment(
        fmt::format("{}: the loader cannot search a directory with \":\" or \";\" in its name; set "
                    "XDG_CACHE_HOME to another one",
                    context.cache.string()));
  }
  state_ = std::make_unique<State>(std::move(context), catalog, limits);
}

Inspector::~Inspector() = default;

std::string Inspector::runner() const { return "local (" + state_->sandbox.description() + ")"; }

void Inspector::check(const specs::Stack& stack, const specs::Workload& workload) {
  Parameters settings;
  for (const auto& [name, version] : stack.components) {
    const auto* component = state_->catalog.find(name);
    const auto* entry = component != nullptr ? component->find(version) : nullptr;
    if (entry != nullptr) settings.insert(entry->parameters.begin(), entry->parameters.end());
  }
  (void)merged(workload, settings);
}

Prepared Inspector::prepare(const specs::Stack& stack,
                            const std::function<void(const std::string&)>& say) {
  const auto start = epoch_ns();
  const auto environment = state_->environments.get(stack, say, state_->context.stop);
  auto& build = state_->builds[stack];
  build.phase = {"build", start, std::max<std::int64_t>(epoch_ns() - start, 0)};
  build.failure.reset();
  if (environment) return {true, Outcome::ok, "", ""};
  build.failure = environment.error();
  build.failure->reason = tail(build.failure->reason);
  build.failure->log_tail = tail(build.failure->log_tail);
  return {false, build.failure->outcome, build.failure->reason, build.failure->log_tail};
}

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
    state_->execute(result, *environment, result.parameters);
  }
  result.finished = specs::rfc3339_utc(std::chrono::system_clock::now());
  return result;
}

}  // namespace stackx::inspector
