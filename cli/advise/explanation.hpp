// What an answer rests on, for `advise --explain`: (1) what is valid on the hardware, (2) what was measured, published and
// predicted, (3) what is not known and the command that settles it. The same as one JSON document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advisor/hardware_advice.hpp"
#include "advisor/not_known.hpp"
#include "analysis/text/table.hpp"

namespace stackx::cli {

struct ExplanationOptions {
  std::size_t rows = 25;  // 0: all
  bool colour = false;
  std::size_t width = analysis::page_width;
  std::string command;  // as it was given, to be given again with other options
};

std::string explanation(const advisor::HardwareAdvice& known, const advisor::NotKnown& open,
                        const ExplanationOptions& options);
nlohmann::json explanation_json(const advisor::HardwareAdvice& known, const advisor::NotKnown& open);
// Of that what stands beside the answer without --explain, at most 20 kB with it: eight of what was measured, which
// `stackx verify` reads.
nlohmann::json summary_json(const advisor::HardwareAdvice& known, const advisor::NotKnown& open);

}  // namespace stackx::cli
