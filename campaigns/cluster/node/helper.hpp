// What a block's nodes but the first do: what the first tells them (together.hpp), until it says that all is done or is gone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "campaigns/cluster/node/wire.hpp"
#include "inspector/inspector.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns::cluster {

class Helping {
 public:
  // `stop`: the whole start is to end.
  Helping(Wire& wire, const std::vector<specs::Arm>& arms, std::function<bool()> stop);
  void use(inspector::StackInspector& own) { own_ = &own; }

  enum class End { done, first_is_gone, stopped };
  End run();

  bool should_stop();  // what `own` runs: the first says so, or is gone

 private:
  nlohmann::json answer(const nlohmann::json& order);
  nlohmann::json inspected(const specs::Arm& arm, const nlohmann::json& order);

  Wire& wire_;
  std::map<std::string, const specs::Arm*> arms_;
  std::function<bool()> stop_;
  inspector::StackInspector* own_ = nullptr;
  std::vector<nlohmann::json> later_;  // came while something ran
  bool told_to_stop_ = false;
};

}  // namespace stackx::campaigns::cluster
