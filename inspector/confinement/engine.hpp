// The container engine of this machine, and the options under which it works here.
//
// podman, else docker. An engine that is installed may still fail: a kernel that lets nobody raise limits, a
// runtime that cannot use this control group layout, no user namespaces. So runtimes, limits and control
// group managers are tried by running the supervisor in a container of its own, in the order of `attempts`,
// until one works; then which of memory, pids and cpuset limits do. The image of that container goes away with the
// trying. The answer is kept in
// <cache>/container-engine.json until engine, kernel, user or runtimes change.
// Rejected: reading the engine's own `info`, which says what it was configured with, not what works.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

struct Engine {
  std::filesystem::path program;      // /usr/bin/podman
  std::string kind;                   // "podman", "docker"
  std::string version;                // "4.3.1"
  std::string runtime;                // "runc", its own if the options name none; "" if unknown
  std::vector<std::string> options;   // before the subcommand: --runtime runc
  std::vector<std::string> limits;    // of run and build: --ulimit nofile=1024:1024
  bool memory = false, pids = false, cpuset = false;  // limits that control groups enforce here
  std::string cgroups;                // "v1", "v2", "hybrid", "none"
  bool rootless = false;
  std::vector<std::string> rejected;  // what was tried before, and why it did not work

  // The words of a subcommand: {"/usr/bin/podman", "--runtime", "runc", "run"}.
  std::vector<std::string> command(const std::string& subcommand) const;
  std::string description() const;  // "podman 4.3.1, runc, cgroups v1, nofile=1024:1024"
};

nlohmann::json to_json(const Engine& engine);

struct EngineSearch {
  std::filesystem::path cache;       // directory
  std::filesystem::path supervisor;  // static: it runs in an image that holds nothing else
  std::function<void(const std::string&)> say;  // hears that engines are being tried
  std::function<bool()> stop = {};              // ends the trying: then none is found, none remembered
  // How long an engine that hangs is waited for each time that something is put away.
  std::chrono::milliseconds housekeeping{10'000};
};

// What was found before, as long as that holds.
std::optional<Engine> remembered_engine(const EngineSearch& search);

// Why an engine that worked before does not work now, tried once; nothing if it does.
std::optional<std::string> why_no_more(const Engine& engine, const EngineSearch& search);

// The reason, if none works: what was tried, and what each said.
std::expected<Engine, std::string> find_engine(const EngineSearch& search);

}  // namespace stackx::inspector
