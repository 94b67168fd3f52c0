// What is compared of an inspection: its rate, time, peak memory, import time, or error.
//
//   rate    work of a sample over its median time; of a program that states no work, samples a second
//   time    median time of the samples
//   memory  most that the program's processes held at once (rusage)
//   import  what the program's phase "load" or "import" took, as stackx's own PIs record it; of the PI import its samples
//   error   largest relative error of the program's check; 1 where it fails without one (crashed, timed out, ...)
// As a value for the search it is the log, larger is better; as a ratio for people it is NEW over OLD of the metric itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/result/inspection.hpp"

namespace stackx::blame {

enum class Metric { rate, time, memory, import, error };

const char* to_string(Metric metric);
std::optional<Metric> metric_from(std::string_view name);
std::vector<std::string> metric_names();

bool is_smaller_better(Metric metric);

// In its unit. None: the inspection failed, or does not have it.
std::optional<double> amount_of(const specs::Inspection& inspection, Metric metric);
std::string amount_in_words(double amount, const specs::Inspection& inspection, Metric metric);  // "312 GFLOP/s", "1.2 s", "195.5 MB"

// Of the amount: a log, larger is better.
std::optional<double> value_of(const specs::Inspection& inspection, Metric metric);

// "x0.76": of a log of values, as the metric itself has it.
double ratio_of(double log, Metric metric);

}  // namespace stackx::blame
