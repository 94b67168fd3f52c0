// The project: root requirements, hardware, workload, catalogs, campaign (format stackx/project/1).
//
// `requires` and `hardware` are the roots: present in every stack. `pins` restrict a component only where it
// is selected. Catalog names are looked up beside the project file, then in the data directory.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "specs/catalog.hpp"
#include "specs/workload.hpp"

namespace stackx::specs {

// How a campaign chooses stacks.
//   uniform     `count` independent uniform draws without repetition
//   stratified  the same, in equal shares over the providers of the virtual component `by` (what a stratum cannot
//               fill goes to the others), so that a library with a single stack is not drowned by one with hundreds
//   all         every stack
struct SamplerSpec {
  enum class Kind { uniform, stratified, all } kind = Kind::uniform;
  std::string by;
  std::uint64_t count = 20;
  std::uint64_t seed = 0;
};

struct CampaignSpec {
  SamplerSpec sampler;
  std::uint64_t rounds = 10;
  std::optional<std::uint64_t> budget_inspections;
  std::optional<double> budget_minutes;
  std::string runner = "local";
  std::uint64_t parallel = 1;
  std::uint64_t max_failed = 50;  // stop after so many failed inspections
  std::uint64_t sentinels = 0;    // arms repeated under a second name
  double timeout_seconds = 120;   // of one inspection's run
  double memory_gib = 4;          // of one inspection's processes together
};

struct Project {
  std::string name;
  std::filesystem::path file;
  std::vector<std::string> catalogs;
  std::vector<Requirement> requires_;
  std::map<std::string, std::string> hardware;  // component -> a version of it, or "host"
  std::vector<Requirement> pins;
  std::vector<Workload> workloads;  // lists already crossed
  CampaignSpec campaign;
};

// A project with the catalogs it names, merged and checked: requirement keys are parsed with the
// versioning of the component they name.
struct LoadedProject {
  Project project;
  Catalog catalog;
};
LoadedProject load_project(const std::filesystem::path& file, const std::filesystem::path& data_directory);

}  // namespace stackx::specs
