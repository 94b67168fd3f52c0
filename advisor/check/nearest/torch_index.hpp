// One of PyTorch's indexes beside the usual one: its build of the same torch has code for a GPU for which the usual one has none
// (torch 2.7.0+cu128 on Blackwell, 2.8.0+cu129 on aarch64). Nothing else changes, so this is nearer than another version.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/check/check.hpp"

namespace stackx::advisor {

// Indexes that have a build of the torch in `stack` with code for the GPU, the newest CUDA first: "cu129", "cu126".
std::vector<std::string> labels_of_torch(const Knowledge& knowledge, const Question& question, const specs::Stack& stack);

// That index becomes part of what is installed.
void name_index(const std::string& label, Nearest& nearest);
// "PyTorch's index for cu128 beside the usual one"
Change beside_the_usual(const std::string& label);

// What is asked for as it is, where it takes torch along: of `chosen`, which an installer would take.
std::optional<Nearest> nearest_with_index(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen, const Ask& ask);

}  // namespace stackx::advisor
