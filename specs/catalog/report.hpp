// What people report of versions of a package that got slower or heavier, with what to do about it: release notes and issues, not
// measurements. It decides no answer; it says where to look (format stackx/reports/1, schemas/reports.json, data/reports.json).
//
//   {"$schema": "stackx/reports/1", "reports": [
//     {"package": "torch", "versions": "==2.9.1", "on": "gpu", "gpu": ">=8.0", "text": "3D convolutions in bfloat16 are ...",
//      "remedy": "cuDNN 9.15, ...", "unless": {"nvidia-cudnn-cu12": ">=9.15"}, "source": {"url": ..., "read": "2026-11-30"}} ]}
// `versions`: those it is so in, one range. `on`: "gpu" or "cpu"; `gpu`: compute capabilities. `unless`: any of these beside
// it mends it. `changed`: true of a new default: it is told where one version is compared with another, not of each that
// has it. Rejected: a key of facts, which decide answers.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "specs/format/json.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::specs {

struct Report {
  std::string package;
  SpecifierSet versions;
  bool on_gpu = true;
  SpecifierSet gpus;     // of compute capabilities
  bool changed = false;
  std::map<std::string, SpecifierSet> unless;
  std::string text, remedy, source;

  // `packages`: versions by name; one that is no version is not meant. `compute_capability` "": of a processor.
  bool concerns(const std::map<std::string, std::string>& packages, const std::string& compute_capability) const;
  // "torch 2.9.1: 3D convolutions ...; torch 2.10, or ... (https://...)"
  std::string about(const std::string& version) const;
};

std::vector<Report> parse_reports(const Node& document);  // throws Error(bad_input)
std::vector<Report> load_reports(const std::filesystem::path& data_directory);

}  // namespace stackx::specs
