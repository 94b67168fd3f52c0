// What packages need and no metadata asks for, so that no installer brings it: torch of torch-xla, neuronx-cc of torch-neuronx.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

struct Unbrought {
  std::string by, name, version;  // "torch-xla", "torch", "2.9.1"
};

// Of the chosen stack, without what was asked for. Of builds that no index here lists the metadata is not known: they do not count.
std::vector<Unbrought> unbrought(const Knowledge& knowledge, const std::vector<specs::PlacedDependency>& asked, const specs::Stack& chosen);

}  // namespace stackx::advisor
