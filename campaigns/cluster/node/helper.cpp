#include "campaigns/cluster/node/helper.hpp"

#include <fmt/format.h>

#include "specs/format/json.hpp"
#include "workspace/output.hpp"

namespace stackx::campaigns::cluster {
namespace {

nlohmann::json report(specs::Outcome outcome, const std::string& reason) {
  return {{"outcome", specs::to_string(outcome)}, {"reason", specs::to_utf8(reason)}};
}

std::uint64_t number_in(const nlohmann::json& order, const char* name) {
  const auto found = order.find(name);
  return found != order.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

bool says(const nlohmann::json& order, const char* name, const char* what) {
  const auto found = order.find(name);
  return found != order.end() && *found == what;
}

}  // namespace

Helping::Helping(Wire& wire, const std::vector<specs::Arm>& arms, std::function<bool()> stop) : wire_(wire), stop_(std::move(stop)) {
  for (const auto& arm : arms) arms_[arm.label] = &arm;
}

bool Helping::should_stop() {
  while (auto order = wire_.next(0)) {
    if (says(*order, "do", "stop") || says(*order, "do", "end")) told_to_stop_ = true;
    if (!says(*order, "do", "stop")) later_.push_back(std::move(*order));
  }
  return told_to_stop_ || !wire_.is_open() || stop_();
}

Helping::End Helping::run() {
  for (;;) {
    if (stop_()) return End::stopped;
    std::optional<nlohmann::json> order;
    if (!later_.empty()) {
      order = std::move(later_.front());
      later_.erase(later_.begin());
    } else {
      order = wire_.next(200);
    }
    if (!order && !wire_.is_open()) return End::first_is_gone;
    if (!order || says(*order, "do", "stop")) continue;  // what it was to stop has just ended
    if (says(*order, "do", "end")) return End::done;
    told_to_stop_ = false;
    wire_.send(answer(*order));
  }
}

nlohmann::json Helping::answer(const nlohmann::json& order) {
  const auto label = order.find("arm");
  const auto arm = label != order.end() && label->is_string() ? arms_.find(label->get<std::string>()) : arms_.end();
  if (arm == arms_.end()) return report(specs::Outcome::failed, "the first node names an arm that this one does not know");
  try {
    if (says(order, "do", "inspect")) return inspected(*arm->second, order);
    const auto prepared = own_->prepare(arm->second->stack, [](const std::string& line) { workspace::say("{}\n", line); });
    return report(prepared.ok ? specs::Outcome::ok : prepared.outcome, prepared.reason);
  } catch (const std::exception& error) {
    return report(specs::Outcome::failed, error.what());
  }
}

nlohmann::json Helping::inspected(const specs::Arm& arm, const nlohmann::json& order) {
  own_->join(inspector::WorkerPlace{number_in(order, "rank"), number_in(order, "size"), wire_.other_address(),
                                    static_cast<std::uint16_t>(number_in(order, "port")), wire_.interface(), {}});
  const auto result = own_->inspect(arm.stack, arm.workload);
  if (result.outcome != specs::Outcome::ok) workspace::say("{}: {}: {}\n", arm.label, specs::to_string(result.outcome), result.reason);
  return report(result.outcome, result.reason);
}

}  // namespace stackx::campaigns::cluster
