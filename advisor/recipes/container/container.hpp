// A recipe's container (container_steps.hpp): the base it needs, what is said of it.
#pragma once

#include "advisor/recipes/container/container_steps.hpp"
#include "advisor/recipes/parts.hpp"

namespace stackx::advisor {

// Adds to the notes of `parts`. The head is left empty.
ContainerText container_text(const Recipe& recipe, RecipeParts& parts);

}  // namespace stackx::advisor
