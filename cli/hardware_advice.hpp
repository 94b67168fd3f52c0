// What `advise` knows of a workload on some hardware, from the best evidence to the weakest: what was
// measured, what others have published, what the model predicts; which stacks are valid there; what
// the user runs today. Gathered here; advice_text.cpp and advice_json.cpp say it.
//
// Nothing is moved from one grade to another: a published stack keeps the versions that its source
// states, and the valid stack nearest to it stands beside. Where a family is asked for, all numbers
// of a published table are at one shape, and predictions are made for the shape of the first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/published_ranking.hpp"
#include "analysis/ranking.hpp"
#include "cli/own_advice.hpp"
#include "cli/predicted_rows.hpp"
#include "cli/recommendation_type.hpp"
#include "cli/selection.hpp"
#include "cli/valid_space.hpp"
#include "specs/workload_family.hpp"

namespace stackx::cli {

struct AdviceOptions {
  SelectionOptions selection;
  analysis::Options analysis;
  RecommendationType type = RecommendationType::performance;
  std::filesystem::path advisories;  // of type security
  std::filesystem::path lock, project;  // project: of Python, or of stackx itself
  specs::PythonContext context;  // of lock and project
  std::optional<double> price;   // of a device-hour
};

// The stack to run: what is recommended first, as a valid stack.
struct Chosen {
  specs::Stack named;    // as the evidence names it
  NearestStack valid;    // the stack of the catalogs nearest to it; what was measured, as it was
  std::string evidence;  // "measured", "measured-elsewhere", "published", "predicted", "none"
  std::string rests_on;  // a line
  specs::Workload workload;
};

struct HardwareAdvice {
  Selection selection;
  std::unique_ptr<specs::Accelerators> accelerators;
  const specs::Accelerator* accelerator = nullptr;  // that the name stands for; null: none
  std::unique_ptr<ValidSpace> space;                // null: `no_space` says why
  std::string no_space;
  std::optional<resolver::Unsolvable> impossible;
  std::vector<std::string> nearest_that_works;  // where it is impossible: sentences
  std::vector<std::string> not_in_catalogs;     // packages of lock or project
  std::optional<OwnStack> own;
  std::optional<NearestStack> own_valid;
  std::optional<OwnAdvice> own_advice;
  Prepared prepared;  // what the type took out of the catalogs
  std::map<std::string, std::string> roots;  // of the space's project: component -> range

  analysis::Ranking measured;              // may be empty
  analysis::PublishedRanking published;    // may be empty
  std::vector<specs::Published> found;     // what it was made from
  std::vector<specs::Published> family;    // published of the workload's family, on any hardware
  specs::Stack latest;  // the newest with the library that computes in the chosen one; or empty
  PredictedRows predicted;
  std::optional<double> price;
  std::optional<Chosen> chosen;            // absent: nothing to recommend

  bool recommends() const { return chosen.has_value(); }
};

// Of a measured row, by its place; nothing where the peak is not known, as of processors, whose clock
// under load nobody states.
struct MeasuredShare {
  double share;
  specs::Peak peak;
};
std::optional<MeasuredShare> measured_peak_share(const HardwareAdvice& advice, std::size_t row);

// Throws Error(bad_input) for hardware, workloads and files that nobody knows.
HardwareAdvice hardware_advice(const AdviceOptions& options, const Globals& globals);

}  // namespace stackx::cli
