// What the findings say together: what this machine can do, what not, and the sentence that says it.
//
// "basic" is what a machine is asked for that has neither GPU nor network: to advise, check and resolve by what is known, to
// measure on its processor, and to keep the results. A sandbox is not part of it: one's own code can be measured without.
#pragma once

#include <string>
#include <vector>

#include "workspace/doctor/finding.hpp"

namespace stackx::workspace {

struct Abilities {
  std::vector<std::string> can, cannot;  // "measure (sandboxed, CPU)", "run containers"
  std::vector<std::string> unsure;       // there was no answer, or nobody asked
  bool basic = false;
  std::string sentence() const;  // "This machine can advise, ...; it cannot measure GPUs."
};
Abilities abilities(const Findings& findings);

}  // namespace stackx::workspace
