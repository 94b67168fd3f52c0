// For which Pythons a question may be asked, where it names none.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// The Pythons that could matter, newest first: "3.15", ..., "2.7".
const std::vector<std::string>& known_pythons();

// Throws Error(bad_input) for "3.13t": CPython without its lock takes other wheels.
void refuse_free_threaded(const std::string& python);

// Those for which the question's packages have wheels, the best first: where the packages are newest, and of equal ones
// the most usual. Without looking at what they require: an order to try, not an answer.
std::vector<std::string> likely_pythons(const Knowledge& knowledge, const Question& question);

// These, the nearest to `python` first.
std::vector<std::string> pythons_from(const std::string& python, std::vector<std::string> pythons);

// By markers on the Python `there`: something that is asked for on the Python `here`.
bool leaves_out(const Knowledge& knowledge, const Question& question, const std::string& here, const std::string& there);

}  // namespace stackx::advisor
