// Asks an independent implementation: writes questions to a file, runs one process, reads its
// answers.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace stackx::tests {

// The answer of tests/specs/<script> (a Python program), or none with the reason, when it says
// (exit status 77) that what it asks is not installed. Any other failure throws.
struct Answer {
  std::optional<nlohmann::json> json;
  std::string skipped;
};
Answer ask_oracle(const std::string& script, const nlohmann::json& questions);

}  // namespace stackx::tests
