// Packages that no catalog holds, of which any version may exist: numpy, flask.
#pragma once

#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {

// One that some version suits whoever asks for it says nothing about the question. Throws Error(bad_input) for more requirements than
// can be judged.
void drop_what_says_nothing(PythonWorld& world, const Knowledge& knowledge, const Question& question);

}  // namespace stackx::advisor
