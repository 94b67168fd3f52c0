// What `advise` knows of a workload on some hardware, from the best evidence to the weakest: what was
// measured, what others have published, what the model predicts; which stacks are valid there; what
// the user runs today. Gathered here; answer/advice.hpp makes the answer of it.
//
// Nothing is moved from one grade to another: a published stack keeps the versions that its source states. Where a family
// is asked for, all numbers of a published table are at one shape, and predictions are made for the shape of the first.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advisor/asked_space.hpp"
#include "advisor/candidate/candidate.hpp"
#include "advisor/candidate/driver_rows.hpp"
#include "advisor/candidate/wish.hpp"
#include "advisor/own_advice.hpp"
#include "advisor/predicted_rows.hpp"
#include "advisor/selection.hpp"
#include "analysis/published/ranking.hpp"
#include "analysis/ranking/ranking.hpp"
#include "specs/project/model_name.hpp"
#include "specs/result/upgrade.hpp"

namespace stackx::advisor {

struct AdviceOptions : SpaceOptions {
  SelectionOptions selection;
  analysis::Options analysis;
  std::optional<double> price;  // of a device-hour
  bool documents = false;       // every result with its id, also those that only predictions rest on
};

// The stack of the catalogs to run: what was measured and leads, else the newest.
struct Chosen {
  specs::Stack named;    // as the evidence names it
  NearestStack valid;    // what of it the catalogs do not know
  std::string evidence;  // "measured", "measured-elsewhere", "predicted", "none"
  std::string rests_on;  // a line
  specs::Workload workload;
};

// What others published on the hardware of another family that does the same kind of work.
struct NearEvidence {
  std::string family;
  analysis::PublishedRanking published;
};

struct HardwareAdvice : AskedSpace {
  Selection selection;
  specs::Yardstick yardstick;       // that stacks are compared by
  std::unique_ptr<specs::Accelerators> accelerators;
  const specs::Accelerator* accelerator = nullptr;  // that the name stands for; null: none
  std::optional<OwnAdvice> own_advice;
  std::optional<Wish> wish;            // of Python packages; absent where none is asked for
  std::optional<Candidate> candidate;  // the newest of them that is valid; with a lock the lock's own, valid or not

  std::vector<DriverRow> by_driver;    // of the newest, as driver_rows has them

  analysis::Ranking measured;              // may be empty
  analysis::PublishedRanking published;    // may be empty
  std::vector<specs::Published> found;     // what it was made from
  std::vector<specs::Published> learned;   // where some is left out: all of it, which the predictions point into
  std::size_t left_out = 0;                // results that the user's project or machine excludes
  std::optional<NearEvidence> near;        // where nothing was measured or published of the workload itself
  std::vector<specs::Upgrade> upgrades;    // what newer versions did elsewhere
  std::vector<specs::Published> family;    // the rest of the workload's family, on other hardware
  specs::Stack latest;  // of the catalogs: the candidate's, else the newest with the usual library; or empty
  PredictedRows predicted;
  std::optional<double> price;
  std::optional<specs::ModelName> model;   // that was named for the workload, or in it: "llama-3-70b"
  std::optional<Chosen> chosen;            // absent: nothing to recommend
  std::set<std::string> packages;          // of a measured one that the catalogs do not know whole: what a package index has
};

// Of a measured row, by its place; nothing where the peak is not known, as of processors, whose clock
// under load nobody states.
struct MeasuredShare {
  double share;
  specs::Peak peak;
};
std::optional<MeasuredShare> measured_peak_share(const HardwareAdvice& advice, std::size_t row);

// Throws Error(bad_input) for hardware, workloads and files that nobody knows. `knowledge` is first asked for when the
// evidence is being read.
HardwareAdvice hardware_advice(const AdviceOptions& options, const std::function<const Knowledge&()>& knowledge,
                               const workspace::Context& context);

}  // namespace stackx::advisor
