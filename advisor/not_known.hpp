// What the evidence leaves open, and the campaign that would settle it on such a machine.
#pragma once

#include <string>
#include <vector>

#include "advisor/hardware_advice.hpp"
#include "advisor/settling_campaign.hpp"

namespace stackx::advisor {

struct NotKnown {
  std::vector<std::string> lines;        // sentences
  std::vector<specs::Stack> candidates;  // valid stacks to run against each other; the first is advised
  ExpectedSpread spread;
  std::size_t rounds = 0;  // by the spread, for stacks that are equal; 0: more than 10,000
};

NotKnown not_known(const HardwareAdvice& advice, double delta);

// The project file that runs the candidates. Throws Error(bad_input) where there is nothing to run.
SettlingCampaign settle(const HardwareAdvice& advice, const NotKnown& open, double delta);

}  // namespace stackx::advisor
