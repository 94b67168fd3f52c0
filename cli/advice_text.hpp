// What `advise` prints: (1) what is valid on the hardware, (2) recommendations, the best evidence
// first, (3) what is not known and the command that settles it, (4) the stack to run. The same as one
// JSON document, whose members DESIGN names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/hardware_advice.hpp"

namespace stackx::cli {

struct AdviceTextOptions {
  std::size_t rows = 25;  // 0: all
  bool colour = false, explain = false;
};

std::string advice_text(const HardwareAdvice& advice, const AdviceTextOptions& options);
nlohmann::json advice_json(const HardwareAdvice& advice);

}  // namespace stackx::cli
