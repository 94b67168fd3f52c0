// How well it is known that the answer's stack is the one to run, and how fast: from the weakest to the strongest.
#pragma once

#include <optional>
#include <string_view>
#include <vector>
#include <string>

namespace stackx::advisor {

enum class Grade {
  newest,              // nothing is known of its speed
  predicted,           // the model says how fast; nobody measured it
  published,           // somebody else wrote a number down for it
  measured_elsewhere,  // with stackx, on the same model in another machine
  measured             // with stackx, on this machine
};
const char* to_string(Grade grade);  // "MEASURED ELSEWHERE"

// --require measured|published|predicted: what was measured elsewhere was measured.
std::vector<std::string> required_grades();
bool satisfies(Grade grade, std::string_view required);

}  // namespace stackx::advisor
