// The metrics a published result may be in: name, unit, which way is better, and what the value is
// as a rate in the units that analysis uses.
//
// One table, read by the readers of published results, by the importers and by the queries, so that
// "elapsed_ms" is one thing everywhere. A metric that is not here is refused with the nearest name:
// numbers whose direction nobody knows cannot be ranked. Rejected: free-text units per row, which
// make every comparison guess.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "specs/project/workload.hpp"

namespace stackx::specs {

class Node;

struct Metric {
  std::string_view name;  // "elapsed_ms"
  std::string_view unit;  // for people: "ms"
  bool smaller_is_better;
  std::string_view description;
  std::string_view rate_unit;  // "GFLOP/s", "GB/s", "items/s", or "" if it is no rate by itself
  double to_rate;              // value * to_rate is in rate_unit
  double to_base;              // value * to_base is in seconds, joules, bytes, operations, items (a second)
  std::string_view word = {};  // "time": what `--metric` calls it, where inspections are compared by it (yardstick.hpp)
  std::string_view noun = {};  // "time": has the least time
};

std::span<const Metric> metrics();  // sorted by name
const Metric* find_metric(std::string_view name);  // nullptr: not a metric
std::vector<std::string> metric_names();

// What is wrong with this value of this metric, or "": every metric is positive, and no machine is so small or so large
// that its numbers in base units lie outside of 1e-12 to 1e30.
std::string value_error(const Metric& metric, double value);

// {"first_token_ms": 12.5, ...}: what a PI measured besides its samples. An Error at what is no metric, with the nearest that
// is, and at a value that none has.
std::map<std::string, double> metrics_from(const Node& node);

// Operations of one run of the workload, as far as its parameters say: 2mnk of a matmul (8mnk if it
// is complex), times its batch; 2nkc*filter*outputs of a conv2d in DeepBench's parameters (the PI
// counts its own), each direction alike.
std::optional<double> flop_of(const Workload& workload);

struct Rate {
  double value;
  std::string unit;  // "GFLOP/s", "GB/s", "items/s"
};

// A time becomes GFLOP/s where flop_of() knows the operations; rates are scaled; what is neither
// (minutes to train, memory, streams) has no rate.
std::optional<Rate> rate_of(const Metric& metric, double value, const Workload& workload);

// What is wrong with the rate that this time would be, or "": parameters may state as many operations as they like.
std::string rate_error(const Metric& metric, double value, const Workload& workload);

}  // namespace stackx::specs
