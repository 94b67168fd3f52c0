#include "inspector/confinement/engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "inspector/confinement/container.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/interruption.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "inspector/process/supervision.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Json;
using specs::Node;

constexpr const char* schema = "stackx/container-engine/1";
constexpr const char* probe_image = "localhost/stackx-probe";

fs::path find_administrator_program(const std::string& name) {
  if (const auto found = find_program(name); !found.empty()) return found;
  for (const char* directory : {"/usr/sbin/", "/usr/local/sbin/", "/sbin/"})
    if (const auto found = find_program(directory + name); !found.empty()) return found;
  return {};
}

// What may work, the usual first. Each list's first entry is "as the engine is configured".
struct Attempts {
  std::vector<std::string> runtimes{""};
  std::vector<Words> limits{{}};
  std::vector<Words> managers{{}};
};

Words own_limits() {
  const auto ulimit = [](__rlimit_resource resource, const char* name, rlim_t most) {
    rlimit limit{};
    getrlimit(resource, &limit);
    const auto value = std::min(limit.rlim_max, most);
    return fmt::format("{}={}:{}", name, value, value);
  };
  return {"--ulimit", ulimit(RLIMIT_NOFILE, "nofile", 1024), "--ulimit",
          ulimit(RLIMIT_NPROC, "nproc", 4096)};
}

Attempts attempts_for(const std::string& kind) {
  Attempts attempts;
  if (kind == "podman") {
    for (const char* runtime : {"crun", "runc", "youki"})
      if (!find_administrator_program(runtime).empty()) attempts.runtimes.emplace_back(runtime);
    attempts.managers = {{}, {"--cgroup-manager", "cgroupfs"}};
  }
  attempts.limits.push_back(own_limits());
  return attempts;
}

std::string first_line(const std::string& text) {
  return trim(std::string_view(text).substr(0, text.find('\n')));
}

// Engines put the reason last: "Error: runc: ...: operation not permitted: OCI permission denied".
std::string complaint(const Finished& finished) {
  auto text = trim(finished.err);
  const auto newline = text.rfind('\n');
  if (newline != text.npos) text = text.substr(newline + 1);
  return text.empty() ? "it ended without a word" : tail(text, 300);
}

Finished run_engine(const Words& words, const std::function<bool()>& stop,
                    std::chrono::milliseconds deadline = std::chrono::seconds(60)) {
  Command command;
  command.argv = words;
  command.environment = engine_environment();
  command.stop = stop;
  command.deadline = deadline;
  return run(command);
}

bool is_stopped(const EngineSearch& search) { return search.stop && search.stop(); }

// An image that holds the supervisor and nothing else, for as long as engines are tried with it. Its tag is the process:
// two may try at a time, and what one left that was killed goes away with the next.
class ProbeImage {
 public:
  ProbeImage(Engine engine, const EngineSearch& search) : engine_(std::move(engine)), housekeeping_(search.housekeeping) {
    remove_forgotten(search.stop);
    std::error_code error;
    fs::create_directories(search.cache, error);
    const auto archive = search.cache / fmt::format("probe-{}.tar", getpid());
    const auto packed = run_engine({"tar", "--create", "--file", archive.string(), "--directory",
                                    search.supervisor.parent_path().string(),
                                    search.supervisor.filename().string()},
                                   search.stop);
    const auto imported = packed.ok() ? call("import", {archive.string(), name()}, search.stop) : packed;
    fs::remove(archive, error);
    if (!imported.ok()) failure_ = complaint(imported);
  }
  ~ProbeImage() { remove(name()); }  // whatever happened: an import may be stopped when it is done
  ProbeImage(const ProbeImage&) = delete;
  ProbeImage& operator=(const ProbeImage&) = delete;

  const std::optional<std::string>& failure() const { return failure_; }
  static std::string name() { return fmt::format("{}:{}", probe_image, getpid()); }

 private:
  Finished call(const char* subcommand, std::initializer_list<std::string> more, const std::function<bool()>& stop,
                std::chrono::milliseconds deadline = std::chrono::seconds(60)) const {
    auto words = engine_.command(subcommand);
    append(words, more);
    return run_engine(words, stop, deadline);
  }
  void remove(const std::string& image) const { call("rmi", {"--force", image}, {}, housekeeping_); }
  void remove_forgotten(const std::function<bool()>& stop) const {
    const auto listed = call("images", {"--format", "{{.Repository}}:{{.Tag}}", probe_image}, stop, housekeeping_);
    for (const auto& image : words(listed.out, "\n")) {
      const auto pid = std::atoi(image.substr(std::min(image.rfind(':') + 1, image.size())).c_str());
      if (pid > 0 && image.starts_with(probe_image) && kill(pid, 0) != 0 && errno == ESRCH) remove(image);
    }
  }

  Engine engine_;
  std::chrono::milliseconds housekeeping_;
  std::optional<std::string> failure_;
};

// Nothing if the supervisor ran there and reported through its channel.
std::optional<std::string> try_run(const Engine& engine, const EngineSearch& search) {
  const Container container(engine, search.supervisor, search.housekeeping);
  Confinement confinement;
  confinement.memory_bytes = std::uint64_t{256} << 20;
  confinement.cpus = {0};
  confinement.image = ProbeImage::name();
  Command command;
  command.argv = container.wrap(confinement);
  append(command.argv, {search.supervisor.string(), "--seconds", "10", "--memory", "100000000",
                        "--processes", "10", "--tasks", "100", "--", search.supervisor.string(), "--true"});
  command.environment = engine_environment();
  command.channel = true;
  command.stop = search.stop;
  command.deadline = std::chrono::seconds(30);
  command.grace = std::min(command.grace, search.housekeeping);
  const auto finished = run(command);
  if (finished.end != End::exited) container.clean_up(command.argv);
  const auto report = supervision_from(finished.channel);
  const bool limited = engine.memory || engine.pids || engine.cpuset;
  // podman without root and control groups v2: "Resource limits are not supported and ignored on ..."
  if (finished.ok() && limited && finished.err.find("ignored") != std::string::npos)
    return complaint(finished);
  if (finished.ok() && report && report->end == Supervision::End::exited && report->status == 0)
    return std::nullopt;
  return finished.ok() ? "the supervisor's report did not come through" : complaint(finished);
}

std::string describe(const Engine& engine) {
  Words words = engine.options;
  for (const auto& word : engine.limits)
    if (word != "--ulimit") words.push_back(word);
  return words.empty() ? "as configured" : fmt::format("{}", fmt::join(words, " "));
}

// The first combination that works.
bool settle(Engine& engine, const EngineSearch& search) {
  const auto attempts = attempts_for(engine.kind);
  for (const auto& manager : attempts.managers)
    for (const auto& runtime : attempts.runtimes)
      for (const auto& limits : attempts.limits) {
        engine.runtime = runtime;
        engine.options = runtime.empty() ? Words{} : Words{"--runtime", runtime};
        engine.options.insert(engine.options.end(), manager.begin(), manager.end());
        engine.limits = limits;
        const auto why = try_run(engine, search);
        if (!why) return true;
        if (is_stopped(search)) return false;
        engine.rejected.push_back(fmt::format("{}: {}", describe(engine), *why));
      }
  return false;
}

// All limits at once, else each by itself.
void settle_limits(Engine& engine, const EngineSearch& search) {
  const auto with = [&](bool memory, bool pids, bool cpuset) {
    Engine tried = engine;
    tried.memory = memory, tried.pids = pids, tried.cpuset = cpuset;
    const auto why = try_run(tried, search);
    if (why && memory + pids + cpuset == 1)
      engine.rejected.push_back(
          fmt::format("limit of {}: {}", memory ? "memory" : pids ? "processes" : "CPUs", *why));
    return !why;
  };
  if (with(true, true, true)) {
    engine.memory = engine.pids = engine.cpuset = true;
    return;
  }
  engine.memory = with(true, false, false);
  engine.pids = with(false, true, false);
  engine.cpuset = with(false, false, true);
}

std::string control_groups() {
  const Tree tree;
  if (tree.exists("/sys/fs/cgroup/cgroup.controllers")) return "v2";
  if (tree.exists("/sys/fs/cgroup/unified/cgroup.controllers")) return "hybrid";
  return tree.exists("/sys/fs/cgroup/memory") || tree.exists("/sys/fs/cgroup/cpuset") ? "v1" : "none";
}

// "4.3.1" of "podman version 4.3.1", "Docker version 28.2.2, build e6534b4".
std::string version_of(const fs::path& program, const EngineSearch& search) {
  for (auto& word : words(first_line(run_engine({program.string(), "--version"}, search.stop).out), " ,"))
    if (!word.empty() && word[0] >= '0' && word[0] <= '9') return word;
  return "";
}

// podman is what its user is; docker's daemon need not be.
bool is_rootless(const std::string& kind, const fs::path& program, const EngineSearch& search) {
  if (kind == "podman") return getuid() != 0;
  const auto told = run_engine({program.string(), "info", "--format", "{{.SecurityOptions}}"}, search.stop);
  return told.out.find("name=rootless") != std::string::npos;
}

// What the engine takes where it is not told.
std::string default_runtime(const Engine& engine, const EngineSearch& search) {
  auto words = engine.command("info");
  append(words, {"--format",
                 engine.kind == "podman" ? "{{.Host.OCIRuntime.Name}}" : "{{.DefaultRuntime}}"});
  const auto told = run_engine(words, search.stop);
  return told.ok() ? first_line(told.out) : "";
}

// What the answer depends on.
std::string key(const EngineSearch& search) {
  utsname system{};
  uname(&system);
  std::string text = fmt::format("{} {} uid {}", system.sysname, system.release, getuid());
  for (const char* name : {"podman", "docker", "crun", "runc", "youki"}) {
    const auto program = find_administrator_program(name);
    std::error_code error;
    const auto time = program.empty() ? fs::file_time_type() : fs::last_write_time(program, error);
    if (!program.empty())
      text += fmt::format("; {} {}", program.string(), time.time_since_epoch().count());
  }
  for (const auto& limit : own_limits()) text += " " + limit;
  if (const char* daemon = std::getenv("DOCKER_HOST")) text += fmt::format("; {}", daemon);
  return text + "; " + search.supervisor.string();
}

fs::path answer_file(const EngineSearch& search) { return search.cache / "container-engine.json"; }

Engine engine_from(const Node& node) {
  Engine engine;
  engine.program = node.at("program").text();
  engine.kind = node.at("kind").text();
  engine.version = node.at("version").text();
  engine.runtime = node.at("runtime").text();
  engine.options = node.at("options").texts();
  engine.limits = node.at("limits").texts();
  engine.memory = node.at("memory").boolean();
  engine.pids = node.at("pids").boolean();
  engine.cpuset = node.at("cpuset").boolean();
  engine.cgroups = node.at("cgroups").text();
  engine.rootless = node.at("rootless").boolean();
  engine.rejected = node.at("rejected").texts();
  return engine;
}

// Not being able to keep it costs time only.
void remember(const Engine& engine, const EngineSearch& search) {
  auto document = to_json(engine);
  document["$schema"] = schema;
  document["key"] = key(search);
  std::error_code ignored;
  fs::create_directories(search.cache, ignored);
  const auto part = search.cache / fmt::format("container-engine.{}.part", getpid());
  std::ofstream(part) << document.dump(2) << '\n';
  fs::rename(part, answer_file(search), ignored);
}

std::string name_of(const Engine& engine) {
  return engine.version.empty() ? engine.kind : engine.kind + " " + engine.version;
}

std::expected<Engine, std::string> probe(const std::string& kind, const EngineSearch& search) {
  Engine engine;
  engine.kind = kind;
  engine.program = find_program(kind);
  if (engine.program.empty()) return std::unexpected(kind + ": not found");
  engine.version = version_of(engine.program, search);
  engine.cgroups = control_groups();
  engine.rootless = is_rootless(kind, engine.program, search);
  const auto unfinished = name_of(engine) + ": not tried to the end";
  if (is_stopped(search)) return std::unexpected(unfinished);
  if (search.say) search.say("trying " + name_of(engine));
  const ProbeImage image(engine, search);
  if (image.failure()) return std::unexpected(name_of(engine) + ": " + *image.failure());
  if (!settle(engine, search))
    return std::unexpected(fmt::format("{}: {}", name_of(engine), fmt::join(engine.rejected, "; ")));
  if (engine.runtime.empty()) engine.runtime = default_runtime(engine, search);
  settle_limits(engine, search);
  if (is_stopped(search)) return std::unexpected(unfinished);
  return engine;
}

}  // namespace

Words Engine::command(const std::string& subcommand) const {
  Words words{program.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(subcommand);
  return words;
}

std::string Engine::description() const {
  std::string text = kind + " " + version;
  if (!runtime.empty()) text += ", " + runtime;
  text += fmt::format(", cgroups {}{}", cgroups, rootless ? ", rootless" : "");
  for (const auto& word : limits)
    if (word != "--ulimit") text += ", " + word;
  for (const auto& [works, what] :
       {std::pair(memory, "memory"), std::pair(pids, "pids"), std::pair(cpuset, "cpuset")})
    if (!works) text += fmt::format(", no {} limit", what);
  return text;
}

Json to_json(const Engine& engine) {
  return {{"program", engine.program.string()}, {"kind", engine.kind},
          {"version", engine.version},          {"runtime", engine.runtime},
          {"options", engine.options},          {"limits", engine.limits},
          {"memory", engine.memory},            {"pids", engine.pids},
          {"cpuset", engine.cpuset},            {"cgroups", engine.cgroups},
          {"rootless", engine.rootless},        {"rejected", engine.rejected}};
}

std::optional<Engine> remembered_engine(const EngineSearch& search) {
  std::error_code error;
  if (!fs::exists(answer_file(search), error)) return std::nullopt;
  try {
    const auto node = Node::parse_file(answer_file(search));
    node.schema(schema);
    return node.at("key").text() == key(search) ? std::optional(engine_from(node)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // of another version, or cut short: ask again
  }
}

std::optional<std::string> why_no_more(const Engine& engine, const EngineSearch& wanted) {
  const Interruption interruption;
  auto search = wanted;
  search.stop = [&] { return interruption.came() || (wanted.stop && wanted.stop()); };
  const ProbeImage image(engine, search);
  return image.failure() ? image.failure() : try_run(engine, search);
}

std::expected<Engine, std::string> find_engine(const EngineSearch& wanted) {
  if (auto engine = remembered_engine(wanted)) return *engine;
  const Interruption interruption;  // the image goes first
  auto search = wanted;
  search.stop = [&] { return interruption.came() || (wanted.stop && wanted.stop()); };
  std::string reasons;
  for (const char* kind : {"podman", "docker"}) {
    auto engine = probe(kind, search);
    if (engine) {
      remember(*engine, search);
      return engine;
    }
    reasons += (reasons.empty() ? "" : "; ") + engine.error();
  }
  return std::unexpected(reasons);
}

}  // namespace stackx::inspector
