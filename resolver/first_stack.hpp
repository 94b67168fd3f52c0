// The first stack of a model, if it has one. Remembers hopeless subproblems.
#pragma once

#include "resolver/model.hpp"
#include "resolver/space.hpp"

namespace stackx::resolver {

std::optional<Chosen> first_stack(const Model& model);

}  // namespace stackx::resolver
