#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/text/words.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/python/interpreters.hpp"
#include "inspector/python/uv.hpp"
#include "specs/error.hpp"
#include "workspace/doctor/install_command.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {
namespace {

constexpr const char* no_wheels = "what is not installed here cannot be measured: no wheel can be unpacked";

// "3.11.7, 3.9.2": each release once, the newest first.
std::string releases(const std::vector<inspector::Interpreter>& interpreters) {
  constexpr std::size_t most = 8;
  std::vector<std::string> versions;
  for (const auto& one : interpreters)
    if (std::ranges::find(versions, one.version) == versions.end()) versions.push_back(one.version);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, versions.size()); ++i) text += (i == 0 ? "" : ", ") + versions[i];
  return versions.size() > most ? fmt::format("{} and {} more", text, versions.size() - most) : text;
}

Finding pythons() {
  const auto due = std::chrono::steady_clock::now() + moment;
  bool late = false;
  const inspector::Start in_time = [&](const std::vector<std::string>& argv) -> std::optional<std::string> {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      late = true;
      return std::nullopt;
    }
    auto answer = ask(argv, inspector::tool_environment(), std::min(left, moment / 2));
    return answer.ok ? std::optional(std::move(answer.text)) : std::nullopt;
  };
  const auto all = inspector::find_interpreters(inspector::usual_interpreter_places(), in_time);
  const auto unasked = late ? fmt::format(" (not all were asked within {})", seconds(moment)) : "";
  std::vector<inspector::Interpreter> installed, virtual_ones;
  for (const auto& one : all) (one.environment.empty() ? installed : virtual_ones).push_back(one);
  if (all.empty())
    return {"Python", late ? Status::unknown : Status::poor, "no interpreter was found" + unasked, "frameworks can be measured in containers alone",
            install_command("python3 python3-pip")};
  auto found = "Python " + brief_words(releases(installed.empty() ? virtual_ones : installed)) + unasked;
  if (!virtual_ones.empty()) found += ", " + analysis::counted(virtual_ones.size(), "virtual environment");
  return {"Python", Status::ok, found, "", ""};
}

// Where the system's Python is not pip's to change (PEP 668), uv goes into an environment of its own.
std::string uv_command() {
  const auto answer = ask({"python3", "-c",
                           "import os, sys, sysconfig\n"
                           "print(sys.prefix == sys.base_prefix and os.path.exists(sysconfig.get_path('stdlib') + '/EXTERNALLY-MANAGED'))"},
                          inspector::installer_environment(), moment / 2);
  if (brief_words(answer.text) != "True") return "python3 -m pip install uv";
  return "python3 -m venv ~/.uv && ~/.uv/bin/pip install uv && export STACKX_UV=~/.uv/bin/uv";
}

Finding without_uv(const std::string& why) {
  const auto pip = ask({"python3", "-m", "pip", "--version"}, inspector::installer_environment());
  if (!pip.ok) return {"uv", Status::poor, why + ", nor pip", no_wheels, install_command("python3-pip python3-venv")};
  return {"uv", Status::poor, fmt::format("{}; pip {} is here, and can install it", why, version_in(pip.text)), no_wheels,
          uv_command()};
}

Finding uv(const Context& context) {
  inspector::Words words;
  try {
    words = inspector::find_uv(context.executable_directory, {}, moment);
  } catch (const Error& error) {  // $STACKX_UV names none
    return {"uv", Status::poor, brief_words(error.what(), 200), no_wheels, "Unset $STACKX_UV, or name a uv in it"};
  }
  if (words.empty()) return without_uv("uv not found");
  const auto place = words.size() == 1 ? std::filesystem::path(words.front()).lexically_normal().string() : "python3 -m uv";
  words.emplace_back("--version");
  const auto answer = ask(words, inspector::installer_environment());
  if (!answer.ok) return {"uv", Status::poor, fmt::format("{} does not run: {}", place, answer.why), no_wheels, uv_command()};
  const auto version = version_in(answer.text);
  return {"uv", Status::ok, fmt::format("uv {} ({})", version.empty() ? "of an unknown version" : version, place), "", ""};
}

}  // namespace

Findings look_at_python() { return {pythons()}; }

Findings look_at_uv(const Context& context) { return {uv(context)}; }

}  // namespace stackx::workspace
