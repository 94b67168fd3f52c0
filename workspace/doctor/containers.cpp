#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "inspector/confinement/engine.hpp"
#include "inspector/paths.hpp"
#include "inspector/process/interruption.hpp"
#include "inspector/process/process.hpp"
#include "workspace/doctor/install_command.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds trial{2500}, putting_away{700};
constexpr const char* no_images = "stacks with a base image cannot be measured";

// What is written while engines are tried, in place of the cache; empty if it cannot be made. Never freed, since a probe that
// is given up (side_by_side.hpp) still reads it while the process ends.
const fs::path& elsewhere() {
  static const auto* const path = new fs::path([] {
    std::error_code error;
    auto name = (fs::temp_directory_path(error) / "stackx-doctor-XXXXXX").string();
    return error || mkdtemp(name.data()) == nullptr ? std::string() : name;
  }());
  return *path;
}

void remove_elsewhere() {
  std::error_code ignored;
  if (!elsewhere().empty()) fs::remove_all(elsewhere(), ignored);
}

// Gone afterwards, also where the process ends before the trial does.
struct Elsewhere {
  Elsewhere() {
    static const int once = std::atexit(remove_elsewhere);
    (void)once;
  }
  ~Elsewhere() { remove_elsewhere(); }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  const fs::path& path = elsewhere();
};

using Found = std::expected<inspector::Engine, std::string>;

// What the cache remembers is tried once more, since a daemon may have stopped meanwhile; else what works is looked for.
Found try_engines(const fs::path& supervisor, const std::optional<inspector::Engine>& before, bool& late) {
  const inspector::Interruption interruption;  // what is written goes first
  const Elsewhere elsewhere;
  if (elsewhere.path.empty()) return std::unexpected("no temporary directory can be made");
  const auto due = std::chrono::steady_clock::now() + trial;
  const auto stop = [&] { return late = late || std::chrono::steady_clock::now() >= due; };
  const inspector::EngineSearch search{elsewhere.path, supervisor, {}, stop, putting_away};
  if (!before) return inspector::find_engine(search);
  if (auto why = inspector::why_no_more(*before, search)) return std::unexpected(fmt::format("{}: {}", before->kind, *why));
  return *before;
}

// "podman 4.3.1, runc, cgroups v2, rootless": what is asked for beside that, `stackx hw` tells.
std::string words_of(const inspector::Engine& engine) {
  auto text = fmt::format("{} {}, {}{}, cgroups {}", engine.kind, engine.version, engine.rootless ? "rootless" : "as root",
                          engine.runtime.empty() ? "" : ", " + engine.runtime, engine.cgroups);
  std::string limits;
  for (const auto& word : engine.limits)
    if (word != "--ulimit") limits += (limits.empty() ? "" : " ") + word;
  if (!limits.empty()) text += ", needs ulimits " + limits;
  return brief_words(text, 200);
}

Finding not_in_time(const std::optional<inspector::Engine>& before) {
  const auto late = fmt::format("not tried to the end within {}", seconds(trial));
  if (before)
    return {"containers", Status::unknown, fmt::format("{}; {} worked before", late, words_of(*before)), "", "stackx hw"};
  return {"containers", Status::unknown, late, std::string(no_images) + " if none works", "stackx hw"};
}

// The first time that a user calls podman, it makes its storage in the home directory: not for somebody who only asks.
bool would_make_storage() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  const auto data = variable("XDG_DATA_HOME").is_absolute() ? variable("XDG_DATA_HOME") : variable("HOME") / ".local/share";
  std::error_code error;
  return ::geteuid() != 0 && !fs::exists(data / "containers", error);
}

Finding containers(const Context& context) {
  const auto podman = inspector::find_program("podman"), docker = inspector::find_program("docker");
  if (podman.empty() && docker.empty())
    return {"containers", Status::poor, "neither podman nor docker is here", no_images, install_command("podman runc uidmap")};
  const auto supervisor = context.executable_directory / "stackx-supervise";
  if (inspector::find_program(supervisor.string()).empty())
    return {"containers", Status::unknown, "not tried without stackx-supervise", "", ""};
  if (!podman.empty() && would_make_storage())
    return {"containers", Status::unknown, "podman is here; it is not tried, since you have never used it and it would make its storage", "", "stackx hw"};
  const auto before = inspector::remembered_engine({inspector::cache_directory(), supervisor, {}, {}});
  bool late = false;
  const auto engine = try_engines(supervisor, before, late);
  if (engine) return {"containers", Status::ok, words_of(*engine) + "; a container ran", "", ""};
  if (late) return not_in_time(before);
  return {"containers", Status::poor, "no engine works: " + brief_words(engine.error(), 300), no_images, "stackx hw"};
}

Finding base_images(const Finding& containers) {
  if (!inspector::find_program("mmdebstrap").empty())
    return {"base images", Status::ok, "mmdebstrap makes those of Debian", "", ""};
  if (containers.status == Status::poor)
    return {"base images", Status::none, "no mmdebstrap, and no containers that would need it", "", ""};
  return {"base images", Status::poor, "mmdebstrap not found", "stacks on a Debian suite cannot be measured, only on images that an engine pulls",
          install_command("mmdebstrap debian-archive-keyring")};
}

}  // namespace

Findings look_at_containers(const Context& context) {
  auto first = containers(context);
  auto second = base_images(first);
  return {std::move(first), std::move(second)};
}

}  // namespace stackx::workspace
