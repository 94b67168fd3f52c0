// Which drivers what is chosen runs with, in words: ">=525.60.13"; of a branch that was asked about those in it, ">=525.60.13,<526".
#pragma once

#include <string>

#include "advisor/check/question.hpp"
#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {

// `chosen`: the world's catalog with the chosen versions alone. "" where no driver is asked for.
std::string drivers_in_words(const PythonWorld& world, specs::Catalog chosen, const Question& question);

// " (from 525.60.13 on)" where not every driver of the branch will do.
std::string where_in_the_branch(const std::string& drivers, const Question& question);

}  // namespace stackx::advisor
