// A recipe's container (container_steps.hpp): the base it needs, what is said of it.
#pragma once

#include "advisor/recipes/container_steps.hpp"
#include "advisor/recipes/parts.hpp"

namespace stackx::advisor {

// Adds to the notes of `parts`. The head is left empty.
ContainerText container_text(const Recipe& recipe, RecipeParts& parts);
// The stack whose files are brought: none where the answer is packages, whose base brings them; their settings stay.
specs::Stack recipe_stack(const Recipe& recipe);

}  // namespace stackx::advisor
