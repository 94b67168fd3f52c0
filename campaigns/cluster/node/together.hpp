// The inspector of a block with several nodes: what the first node does, the others do with it (helper.hpp).
//
// The first node alone has a plan, an order and results; it tells the others which arm is prepared or runs next, at which port the
// workers meet, and they tell it how their part ended. So every schedule works over nodes as on one, and a node that fails is known at
// once, by name: an environment that cannot be made there is one that cannot be made; a worker that ends ends the inspection, with its
// outcome; a node that is lost ends the start. Rejected: the same campaign on every node in step, where one that is a result ahead, or
// gives up an arm that others do not, leaves all waiting until the time is over.
//
// Messages: {"do": "prepare", "arm"}, {"do": "inspect", "arm", "rank", "size", "port"}, {"do": "stop"}, {"do": "end"};
// answers {"node", "secret", "rank", "wrong", "broken"} once, then {"ok", "outcome", "reason"} for each prepare and inspect.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaigns/cluster/node/wire.hpp"
#include "campaigns/job.hpp"
#include "inspector/inspector.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns::cluster {

// Another node of the block, as the first sees it.
struct Helper {
  Wire wire;
  std::string node;   // its name
  std::string wrong;  // why it is not what was asked for; "": it is
  std::string broken; // why nothing can be measured there; "": it can
};

// The others, in the order of their ranks. Throws Error(environment) where one has not come within `seconds`.
std::vector<Helper> await_helpers(const Meeting& meeting, std::uint64_t nodes, const std::string& secret, double seconds,
                                  const std::function<bool()>& stop);

class Together : public inspector::StackInspector {
 public:
  // `own` asks should_stop() while it runs something; what cannot be had on another node becomes a result by `refused`;
  // `stop`: the whole start is to end. All outlive it.
  using Refused = std::function<specs::Inspection(const Refusal&, const specs::Stack&, const specs::Workload&)>;
  Together(std::vector<Helper>& helpers, std::string own_node, const std::vector<specs::Arm>& arms, const specs::Catalog& catalog,
           Refused refused, std::function<bool()> stop);
  void use(inspector::StackInspector& own) { own_ = &own; }

  void check(const specs::Stack& stack, const specs::Workload& workload) override { own_->check(stack, workload); }
  inspector::Prepared prepare(const specs::Stack& stack, const std::function<void(const std::string&)>& say) override;
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) override;

  bool should_stop();                            // what `own` runs: another node has failed, or is lost
  const std::string& lost() const { return lost_; }  // why nothing more can be measured; "": it can

 private:
  struct Report {
    specs::Outcome outcome = specs::Outcome::ok;
    std::string reason;
  };
  void begin(const nlohmann::json& message, std::size_t helpers);
  void listen(int milliseconds);
  bool wait_for_all(double seconds);
  const specs::Arm& arm_of(const specs::Stack& stack, const specs::Workload* workload) const;
  std::optional<Report> failure() const;
  void settle(specs::Inspection& result);
  std::string name_of(std::size_t helper) const;

  std::vector<Helper>& helpers_;
  std::string own_node_;
  const std::vector<specs::Arm>& arms_;
  const specs::Catalog& catalog_;
  Refused refused_;
  std::function<bool()> stop_;
  inspector::StackInspector* own_ = nullptr;
  std::vector<std::optional<Report>> reports_;  // of those that take part in what is under way
  std::map<specs::Stack, Refusal> not_there_;   // what another node could not prepare
  std::set<specs::Stack> not_here_;             // what this one alone could not
  std::string lost_;
};

}  // namespace stackx::campaigns::cluster
