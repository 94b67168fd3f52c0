#include "campaigns/cluster/node/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "campaigns/campaign.hpp"
#include "campaigns/cluster/workers.hpp"
#include "specs/error.hpp"

namespace stackx::campaigns::cluster {
namespace {

using specs::Outcome;

constexpr double grace = 3;          // seconds: of two nodes' failures the second may be the cause of the first
constexpr double until_stopped = 20;  // an inspection that is told to stop, and its workers' end after the first's
constexpr double longest_preparation = 1800;  // after the first node's own
constexpr int at_once = 100;         // milliseconds between two looks at what the user wants

std::string text_in(const nlohmann::json& message, const char* name) {
  const auto found = message.find(name);
  return found != message.end() && found->is_string() ? found->get<std::string>() : "";
}

std::uint64_t rank_in(const nlohmann::json& message) {
  const auto found = message.find("rank");
  return found != message.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string missing_nodes(const std::vector<std::optional<Helper>>& come) {
  std::string numbers;
  for (std::size_t i = 0; i < come.size(); ++i)
    if (!come[i]) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", i + 2);
  return numbers;
}

}  // namespace

std::vector<Helper> await_helpers(const Meeting& meeting, std::uint64_t nodes, const std::string& secret, double seconds,
                                  const std::function<bool()>& stop) {
  Door door(meeting.port);
  std::vector<std::optional<Helper>> come(nodes - 1);
  const double end = steady_seconds() + seconds;
  while (std::ranges::any_of(come, [](const auto& one) { return !one; })) {
    if (stop() || steady_seconds() >= end)
      throw broken_environment(fmt::format("of the {} nodes of this block, number {} {} not come to {}:{} within {:.0f} s: their logs say why",
                                           nodes, missing_nodes(come), nodes > 2 ? "have" : "has", meeting.host, meeting.port, seconds));
    auto wire = door.open(at_once);
    if (!wire) continue;
    const auto hello = wire->next(5000);
    if (!hello || text_in(*hello, "secret") != secret) continue;  // somebody else's
    const auto rank = rank_in(*hello);
    if (rank == 0 || rank >= nodes) continue;
    come[rank - 1].emplace(Helper{std::move(*wire), text_in(*hello, "node"), text_in(*hello, "wrong"), text_in(*hello, "broken")});  // of two the later lives
  }
  std::vector<Helper> helpers;
  for (auto& one : come) helpers.push_back(std::move(*one));
  return helpers;
}

Together::Together(std::vector<Helper>& helpers, std::string own_node, const std::vector<specs::Arm>& arms, const specs::Catalog& catalog,
                   Refused refused, std::function<bool()> stop)
    : helpers_(helpers),
      own_node_(std::move(own_node)),
      arms_(arms),
      catalog_(catalog),
      refused_(std::move(refused)),
      stop_(std::move(stop)) {}

std::string Together::name_of(std::size_t helper) const {
  return fmt::format("on {} (node {} of {})", helpers_[helper].node, helper + 2, helpers_.size() + 1);
}

const specs::Arm& Together::arm_of(const specs::Stack& stack, const specs::Workload* workload) const {
  const auto found = std::ranges::find_if(arms_, [&](const specs::Arm& arm) {
    return arm.stack == stack && (workload == nullptr || arm.workload == *workload);
  });
  if (found == arms_.end()) throw std::logic_error("an inspection that is in no arm of the block's plan");
  return *found;
}

void Together::begin(const nlohmann::json& message, std::size_t helpers) {
  reports_.assign(helpers, std::nullopt);
  for (std::size_t i = 0; i < helpers; ++i) {
    auto told = message;
    told["rank"] = i + 1;
    helpers_[i].wire.send(told);
  }
}

// What has come of the others.
void Together::listen(int milliseconds) {
  for (std::size_t i = 0; i < helpers_.size(); ++i) {
    auto& wire = helpers_[i].wire;
    while (const auto message = wire.next(milliseconds)) {
      if (i >= reports_.size() || reports_[i]) continue;
      const auto outcome = specs::outcome_from(text_in(*message, "outcome"));
      reports_[i] = Report{outcome.value_or(Outcome::failed), text_in(*message, "reason")};
    }
    if (!wire.is_open() && lost_.empty()) lost_ = fmt::format("{}: its program has ended, or it cannot be reached any more", name_of(i));
  }
}

bool Together::wait_for_all(double seconds) {
  const double end = steady_seconds() + seconds;
  const auto missing = [&] { return std::ranges::any_of(reports_, [](const auto& one) { return !one; }); };
  for (listen(0); missing() && lost_.empty() && !stop_() && steady_seconds() < end;) listen(at_once / static_cast<int>(helpers_.size()) + 1);
  return !missing();
}

std::optional<Together::Report> Together::failure() const {
  std::optional<Report> found;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (!reports_[i] || reports_[i]->outcome == Outcome::ok) continue;
    const bool tells_more = !found || (found->outcome == Outcome::failed && reports_[i]->outcome != Outcome::failed);
    if (tells_more) found = Report{reports_[i]->outcome, name_of(i) + ": " + reports_[i]->reason};
  }
  return found;
}

bool Together::should_stop() {
  listen(0);
  return !lost_.empty() || failure().has_value();
}

inspector::Prepared Together::prepare(const specs::Stack& stack, const std::function<void(const std::string&)>& say) {
  begin({{"do", "prepare"}, {"arm", arm_of(stack, nullptr).label}}, helpers_.size());
  auto own = own_->prepare(stack, say);
  if (!wait_for_all(longest_preparation) && lost_.empty()) lost_ = "another node has not prepared what it should have in half an hour";
  const auto failed = failure();
  reports_.clear();
  if (!failed && !own.ok) not_here_.insert(stack);
  if (!failed) return own;
  not_there_[stack] = {failed->outcome, failed->reason};
  return {false, failed->outcome, failed->reason, ""};
}

specs::Inspection Together::inspect(const specs::Stack& stack, const specs::Workload& workload) {
  if (const auto known = not_there_.find(stack); known != not_there_.end()) return refused_(known->second, stack, workload);
  const auto& arm = arm_of(stack, &workload);
  const auto workers = std::min<std::size_t>(workers_of(arm, catalog_), helpers_.size() + 1);
  if (workers == 1 || not_here_.contains(stack)) {
    own_->join(std::nullopt);
    return own_->inspect(stack, workload);
  }
  inspector::WorkerPlace place{0, workers, helpers_.front().wire.own_address(), two_free_ports(), helpers_.front().wire.interface(), {own_node_}};
  for (std::size_t i = 0; i + 1 < workers; ++i) place.nodes.push_back(helpers_[i].node);
  own_->join(place);
  begin({{"do", "inspect"}, {"arm", arm.label}, {"size", workers}, {"port", place.port}}, workers - 1);
  auto result = own_->inspect(stack, workload);
  settle(result);
  reports_.clear();
  return result;
}

// The others' part of what has ended here: the result is right only if theirs is.
void Together::settle(specs::Inspection& result) {
  const bool failed_first = result.outcome != Outcome::ok && !failure();  // before anybody was told to stop
  if (!wait_for_all(result.outcome == Outcome::ok ? until_stopped : grace)) {
    const auto before = failure();
    for (std::size_t i = 0; i < reports_.size(); ++i)
      if (!reports_[i]) helpers_[i].wire.send({{"do", "stop"}});
    if (!before && result.outcome == Outcome::ok) {
      result.outcome = Outcome::left_processes;
      result.reason = "workers on other nodes went on after the first had ended";
    }
    if (!wait_for_all(until_stopped) && lost_.empty()) lost_ = "another node does not stop what it is told to";
    if (!before) return;  // who was stopped says so
    result.outcome = before->outcome;
    result.reason = before->reason;
    return;
  }
  const auto failed = failure();
  if (!failed) return;
  const bool tells_more = !failed_first || (result.outcome == Outcome::failed && failed->outcome != Outcome::failed);
  if (tells_more) result.outcome = failed->outcome;
  result.reason = failed_first ? fmt::format("{}; {}", result.reason, failed->reason) : failed->reason;
}

}  // namespace stackx::campaigns::cluster
