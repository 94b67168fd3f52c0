// The plan of a campaign (format stackx/plan/1): everything that decides what is run and in which
// order, so that a killed campaign goes on exactly where it was. Stored before the first
// inspection.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/project/pi_program.hpp"
#include "specs/project/project.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {

struct Arm {
  std::string label;  // unique here: short stack id, "/2" for workload 2, "+A" for a sentinel
  Stack stack;
  Workload workload;
  bool sentinel = false;  // repeats an earlier arm, to measure the false-positive rate
};

// Of a campaign on a cluster: which start of which block this is. Each start is a campaign of its own.
struct BlockOf {
  std::string cluster;  // id of the stackx/cluster/1
  std::string target;
  std::uint64_t block = 0;
  std::string attempt;  // unique in its block
  bool operator==(const BlockOf&) const = default;
};

struct Plan {
  std::string id;       // SHA-256 of the canonical JSON without `id`
  std::string project;  // the project's name
  std::string created;  // RFC 3339, UTC
  std::uint64_t seed = 0;
  std::string device;   // UUID of the GPU that it measures on; empty: no certain one
  std::optional<PiProgram> program;  // that measures, where it is not stackx's own; the arms' workloads say so, too
  std::optional<BlockOf> block;
  std::vector<Arm> arms;
  CampaignSpec campaign;  // rounds, budgets, limits, runner

  // The order of round `round` (from 0): a permutation of the arms, the same on every machine.
  std::vector<std::size_t> order(std::uint64_t round) const;
};

nlohmann::json to_json(const Plan& plan);
Plan plan_from(const Node& node);  // verifies the id
void seal(Plan& plan);

}  // namespace stackx::specs
