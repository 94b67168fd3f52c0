// A search that really measures: its rounds are campaigns of the store, one for each set of stacks that it asks for.
//
// The campaigns of one question belong to the project "blame-<id>", the id being that of the question (stacks, workload,
// program, seed, limits; not the metric, which is read from the same inspections). So whoever asks again goes on where the
// store ends, after a kill as well, and what was measured for one metric serves another. A round is complete before the
// next is asked for; half a round is finished first. Rejected: one campaign with all stacks as arms (there are 2^groups),
// a file of its own with the state of the search (a second truth beside the store).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "blame/metric.hpp"
#include "blame/search/search.hpp"
#include "campaigns/run.hpp"
#include "inspector/inspector.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/campaign.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"

namespace stackx::blame {

struct Question {
  Lattice lattice;
  std::function<specs::Stack(const Subset&)> stack;
  specs::Workload workload;
  std::optional<specs::PiProgram> program;  // none: stackx's own
  specs::CampaignSpec limits;               // runner, seconds, memory of one inspection
  std::string device = {};                  // UUID of the GPU that is measured; "": none is
  Yardstick metric = {};
  Settings settings;

};

// What was spent on an answer, by earlier starts, too.
struct Cost {
  std::set<std::string> stacks;  // ids
  std::size_t inspections = 0, rounds = 0;
  double seconds = 0;  // that inspections took, with what lies between them, without pauses

  void add(const Cost& other);
};

struct Trial {
  Answer answer;
  bool interrupted = false, out_of_budget = false;
  std::size_t fresh = 0;               // inspections of this start; the store had the others
  Cost cost;
  std::vector<std::string> campaigns;  // ids
  std::optional<specs::Inspection> old_end, new_end;  // the last of each: what was really loaded, on which machine
  std::string old_amount, new_amount;  // medians, in words; empty: none
  std::string amount_remark;           // what is in the amounts of all (analysis/ranking/amount_remark.hpp)
};

// How the trial speaks of itself while it runs, a line each.
using SayLine = std::function<void(const std::string& line)>;

// "blame-3f2a09c1d2e4"
std::string project_name(const Question& question);

// What an inspection of this workload by this program took so far, with what lies between two; nothing before the first.
std::optional<double> usual_seconds(const std::filesystem::path& database, const Question& question);

// `stop` is asked between inspections: true ends it in order. `deadline`: steady seconds (campaigns::steady_seconds);
// no round begins after it.
Trial run_trial(const Question& question, inspector::StackInspector& inspector, store::Store& store, store::Spool& spool,
                const std::function<bool()>& stop, std::optional<double> deadline, const SayLine& say);

}  // namespace stackx::blame
