// Which version change makes how much of a difference, and what a stack that nobody ran should reach.
//
// The additive model (additive_model.hpp) on one log rate a stack (stack_values.hpp), or the log of what else is asked about:
// memory, energy, an error. An effect is a ratio of rates: version `to` of a component over version `from`, everything else the same. Given
// are the steps between successive versions that can be compared, and the first to the last of
// more than two; where they are names and no versions, each against the one that most stacks hold.
// Versions that cannot be compared are named with the components they cannot be told
// apart from. Every interval is at the confidence stated, not all of them together. Interactions
// count as noise: an effect is what the version does on average over the stacks measured, and the
// leave-one-out error says how much that misses. What a node does to all stacks alike is in no effect, for a value is
// what a stack is worth beside the others of its rounds, which are of one node; `nodes` says how much that was.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/effects/additive_model.hpp"
#include "analysis/effects/stack_values.hpp"
#include "analysis/statistics/nodes.hpp"
#include "specs/catalog/score.hpp"

namespace stackx::analysis {

struct Effect {
  std::string component, from, to;  // "": absent
  bool overall = false;             // first to last, not a step
  double ratio = 1;
  std::optional<Interval> ci;  // of the ratio; absent without degrees of freedom
  std::size_t stacks_from = 0, stacks_to = 0;

  bool clear() const { return ci && (ci->low > 1 || ci->high < 1); }
};

// No version of one group can be compared with one of another. Of being absent against present, which
// takes other components along nearly always (another library has to come), it is an entry of its own.
struct Confounded {
  std::string component;
  bool presence = false;  // the first group is being absent, the second all versions
  std::vector<std::vector<std::string>> groups;
  std::vector<std::string> with;  // components that would have to be held still (not always unique)
};

// Each stack predicted from all the others.
struct Accuracy {
  std::size_t stacks = 0;
  double median_error = 0;  // |predicted / measured - 1|
  double rms_log = 0;       // root mean square of log(predicted / measured)
  std::size_t covered = 0;  // stacks inside the interval predicted for them
};

struct Effects {
  std::string hw;
  specs::Workload workload;
  specs::Yardstick yardstick;
  std::string unit;
  double confidence = 0.95;
  std::vector<StackValue> values;
  std::vector<Effect> effects;  // clear ones, strongest first; then those nearest to it
  std::vector<Confounded> confounded;
  std::vector<std::string> constant;      // "cpu rocket-lake": the same in all stacks
  std::optional<Accuracy> accuracy;       // none below 3 stacks
  std::optional<Nodes> nodes;             // where several measured
  std::unique_ptr<AdditiveModel> model;   // null without any value, and where why_none says another reason
  std::string why_none;
  std::vector<std::string> notes;
};

struct EffectsOptions {
  double confidence = 0.95;
  std::string this_host = {};           // fingerprint
  std::vector<std::string> components = {};  // only these are reported; empty: all
  double delta = 0.01;                  // a node off by less is not called odd
  specs::Yardstick yardstick = {};      // the measurements were read with it
};

// `workload` may leave parameters open (analysis/published/workload_choice.hpp). Throws Error(bad_input) for a component
// that no stack has.
Effects effects(const std::vector<store::Measurement>& measurements,
                const specs::Workload& workload, const EffectsOptions& options);

// Scores for what else adds up over a stack: the ridge's log effect over that of being absent, in
// 10^-6, so that the order of sums is the order of predictions. A version that was never measured has
// the mean effect, 0, over that of being absent. Of what is better when smaller they are negative: the highest is the best.
specs::Scores scores(const Effects& effects, const std::string& component, const std::vector<std::string>& versions);

nlohmann::json to_json(const Effects& effects);
nlohmann::json scores_document(const Effects& effects);  // stackx/score/1, of what was measured
std::string csv(const Effects& effects);
std::string headline(const Effects& effects);  // what matters most, in a sentence
std::string table(const Effects& effects, bool colour, std::size_t width);
std::string accuracy_text(const Effects& effects);  // one sentence

}  // namespace stackx::analysis
