// What `advise` prints: (1) what is valid on the hardware, (2) recommendations, the best evidence
// first, (3) what is not known and the command that settles it, (4) the stack to run. The same as one
// JSON document, whose members DESIGN names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advisor/hardware_advice.hpp"
#include "advisor/not_known.hpp"
#include "advisor/recipes/recipe.hpp"

namespace stackx::cli {

struct AdviceTextOptions {
  std::size_t rows = 25;  // 0: all
  bool colour = false, explain = false;
  std::string command;  // as it was given, to be given again with other options
};

std::string advice_text(const advisor::HardwareAdvice& advice, const advisor::NotKnown& open,
                        const AdviceTextOptions& options);
nlohmann::json advice_json(const advisor::HardwareAdvice& advice, const advisor::NotKnown& open);

// The stack to run as a recipe. Throws Error(bad_input) where there is none.
std::string advice_recipe(const advisor::HardwareAdvice& advice, advisor::RecipeFormat format,
                          const advisor::Knowledge& knowledge);

}  // namespace stackx::cli
