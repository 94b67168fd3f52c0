// What is compared of an inspection: a yardstick (specs/result/yardstick.hpp), with what blame must also say of programs that
// state no work and of runs that failed.
//
//   rate    work of a sample over its median time; of a program that states no work, samples a second
//   error   largest relative error of the program's check; 1 where it fails without one (crashed, timed out, ...)
// As a value for the search it is the log, larger is better; as a ratio for people it is NEW over OLD of the metric itself.
#pragma once

#include <optional>
#include <string>

#include "specs/result/inspection.hpp"
#include "specs/result/yardstick.hpp"

namespace stackx::blame {

using specs::Yardstick;

// In its unit (of times seconds, of memory bytes). None: the inspection failed, or does not have it.
std::optional<double> amount_of(const specs::Inspection& inspection, const Yardstick& metric);
std::string amount_in_words(double amount, const specs::Inspection& inspection, const Yardstick& metric);  // "312 GFLOP/s", "1.2 s", "195.5 MB"

// Of the amount: a log, larger is better.
std::optional<double> value_of(const specs::Inspection& inspection, const Yardstick& metric);

// "x0.76": of a log of values, as the metric itself has it.
double ratio_of(double log, const Yardstick& metric);

bool is_error(const Yardstick& metric);

}  // namespace stackx::blame
