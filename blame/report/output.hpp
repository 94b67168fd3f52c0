// A finding for people, for an issue, for programs (stackx/blame/1, specs/schemas/blame.json); and what is told before
// anything is measured.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "blame/report/finding.hpp"

namespace stackx::blame {

struct Asked;

// What finding one culprit usually takes.
struct Expected {
  std::size_t inspections = 0;
  std::optional<double> seconds = {};  // none: nothing of the kind was measured yet
  std::size_t allowed = std::numeric_limits<std::size_t>::max();  // by the budget
  bool versions = false;  // will be sought afterwards
};

// "20 packages differ, in 12 groups; ...", each group and why it hangs together, where it is measured, what others report of NEW.
std::string plan_text(const Asked& asked, const Expected& expected, std::size_t width);
nlohmann::json plan_json(const Asked& asked, const Expected& expected);

std::string finding_text(const Finding& finding, const Named& named, std::size_t width);
std::string finding_markdown(const Finding& finding, const Named& named, const Trial& trial);
nlohmann::json finding_json(const Finding& finding, const Between& between, const Trial& trial, const Settings& settings, const Named& named);

}  // namespace stackx::blame
