// What the store knows of a watched project: everything that was measured for its workload on such hardware, by whatever
// campaign of the project, and the campaigns of earlier passes. This is all the state there is.
//
// A campaign of a pass is a plan of the project "watch-ID"; its first arm is the stack that was advised then, its sentinel
// repeats that, all other arms are newcomers. ID is of the project's name, the workload and the program that measures: a
// benchmark that was edited is another question, and begins anew. Where nothing ran in a campaign, what failed at the program
// (blames_program) does not count: the next pass tries the same stacks again.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/project/plan.hpp"
#include "store/store.hpp"
#include "watch/settling.hpp"

namespace stackx::watch {

struct Subject {
  std::string project;  // its name
  specs::Workload workload;
  std::optional<specs::PiProgram> program;  // none: stackx's own
  std::string device;                       // as asked for with --device

  std::string id() const;  // "watch-3f2a09c1d2e4"
};

// Whose measurements count: this machine's model of processor, a GPU's, or what a cluster's target is.
struct Hardware {
  std::string name;         // "zen4", "NVIDIA H100 80GB HBM3"
  bool is_asked = false;    // of the store by its name; else it is the processor of the machine at hand
  std::string fingerprint;  // of the machine at hand
};

// Of a campaign on a cluster all starts of its blocks are one: their rounds stand one after the other.
struct PastCampaign {
  specs::Plan plan;                // of several starts one that has all arms
  std::set<std::string> ids;       // of its campaigns in the store: one a start
  SettlingRule rule;               // on a cluster the rounds that there are are all
  std::vector<ArmResult> results;  // sentinels left out
  SettlingProgress progress;
  std::size_t inspections = 0;     // sentinels, too
  std::set<std::string> hosts;     // that measured, by fingerprint
  double seconds = 0;              // that these took
  const specs::Stack& advised() const { return plan.arms.front().stack; }
  std::string id() const { return plan.block ? plan.block->cluster : plan.id; }
  Settling settled() const;
  // All its stacks were started, and none ran: that is the program's doing, or the machine's, and says nothing of a stack.
  bool blames_program() const;
  std::vector<specs::Stack> newcomers() const;  // in the plan's order
};

class History {
 public:
  // Reads the store, once.
  // `again`: what failed does not count as measured. Nor does what ran in campaigns that `gave_up` takes, by their ids.
  History(const store::Store& store, const Subject& subject, const Hardware& hardware, const SettlingRule& rule, bool again = false,
          const std::function<bool(const std::string& campaign)>& gave_up = {});

  bool is_empty() const { return measurements_.empty(); }
  const std::vector<store::Measurement>& measurements() const { return measurements_; }
  const std::map<std::string, std::set<std::string>>& versions() const { return versions_; }  // component -> measured, ok or failed
  const std::set<specs::Stack>& stacks() const { return stacks_; }  // measured, ok or failed
  bool ran(const specs::Stack& stack) const { return ran_.contains(stack); }
  bool only_failed(const specs::Stack& stack) const { return stacks_.contains(stack) && !ran_.contains(stack); }
  const std::optional<PastCampaign>& last() const { return last_; }  // the newest campaign of a pass
  const std::set<std::string>& later() const { return later_; }      // campaigns of the project that began after that one, by others

  // Versions held by anything but these campaigns: what was known when it was planned.
  std::map<std::string, std::set<std::string>> versions_without(const std::set<std::string>& campaigns) const;

 private:
  std::vector<store::Measurement> measurements_;
  std::map<std::string, std::set<std::string>> versions_;
  std::set<specs::Stack> stacks_, ran_;
  std::optional<PastCampaign> last_;
  std::set<std::string> later_;
};

}  // namespace stackx::watch
