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
  std::size_t rounds = 0;  // of the campaign that settle() writes; 0: there is none
  double effect = 0.05;    // the difference that it finds
  bool needs_program = false;  // stackx has no PI for the workload: the campaign runs the user's
  std::string to_settle;   // its summary: "3 stacks, 13 rounds, about 32 min, finds differences of 5%. (...)"
};

NotKnown not_known(const HardwareAdvice& advice, double delta);

// The campaign that runs the candidates, and its project file. `delta`: the ranking's. `pythons`: releases that are on this
// machine ("3.12"), the newest first: a candidate runs on the first of them that it may, since few have the newest that it is
// valid with. Throws Error(bad_input) where there is nothing to run.
SettlingCampaign settle(const HardwareAdvice& advice, const NotKnown& open, double delta,
                        const std::vector<std::string>& pythons = {});

}  // namespace stackx::advisor
