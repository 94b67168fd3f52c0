// A release that no catalog has, in words: "no torch 2.16.0 is known; the nearest known is 2.15.0", and of an index of PyTorch's that
// nobody has seen: for what there are such.
#pragma once

#include <string>

#include "advisor/check/question.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

std::string unknown_in_words(const PythonWorld::Unknown& unknown, const Question& question, const Knowledge& knowledge);

}  // namespace stackx::advisor
