// What newer versions of a component did to the rate that others measured, summed up by component and
// kind of hardware (format stackx/upgrades/1, schemas/upgrades.json, data/upgrades.json).
//
//   { "$schema": "stackx/upgrades/1",
//     "upgrades": [
//       { "component": "torch", "architecture": "ampere",
//         "steps": { "n": 10708, "median": 1.0207, "slower": 0.034, "faster": 0.42, "p5": 0.98, "p95": 1.27 },
//         "newest": { "n": 2939, "within": 0.93, "median_loss": 0, "p95_loss": 0.067 },
//         "hardware": [ "NVIDIA GeForce RTX 3090" ], "sources": [ "pytorch-image-models (timm): ..." ] } ] }
//
// Made of the evidence that comes with stackx by `stackx query upgrades --json`, and kept in a file, so
// that who asks how often the newest was right need not read all evidence; a test compares the two.
// analysis/published/upgrades.hpp says what is counted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "specs/format/json.hpp"

namespace stackx::specs {

// Ratios of rates, the next version's over the one before: above 1 the newer is faster.
struct UpgradeSteps {
  std::size_t n = 0;
  double median = 1, slower = 0, faster = 0;  // shares of those beyond 3 %
  double p5 = 1, p95 = 1;
};

// Of workloads with three versions or more.
struct NewestAgainstBest {
  std::size_t n = 0;                    // workloads
  double within = 0;                    // share of those where the newest is within 3 % of the best
  double median_loss = 0, p95_loss = 0;  // best rate / newest rate - 1
};

struct Upgrade {
  std::string component;     // "torch"; "mlperf-round": a whole submission
  std::string architecture;  // "ampere", "cascade-lake"; a name as published where nobody knows more
  UpgradeSteps steps;
  std::optional<NewestAgainstBest> newest;
  std::vector<std::string> hardware;  // as published
  std::vector<std::string> sources;   // titles
};

std::vector<Upgrade> parse_upgrades(const Node& document);  // throws Error(bad_input)
std::vector<Upgrade> load_upgrades(const std::filesystem::path& data_directory);
// The document, an upgrade a line; equal ones have equal texts.
std::string upgrades_text(const std::vector<Upgrade>& upgrades);

}  // namespace stackx::specs
