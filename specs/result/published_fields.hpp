// The members of a published result, read one by one: what the readers of stackx/published/1 and of
// stackx/evidence/1 share. Each takes the value's node and fails at it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "specs/result/metric.hpp"
#include "specs/result/published.hpp"

namespace stackx::specs {

class Node;

std::string line_from(const Node& node);  // one line of text, not empty, at most 4096 bytes
std::map<std::string, std::string> lines_from(const Node& node);  // component name -> line
const Metric& metric_from(const Node& node);
double value_from(const Node& node, const Metric& metric);
std::string statistic_from(const Node& node);
std::uint64_t at_least_one(const Node& node);
double deviation_from(const Node& node);
std::vector<double> values_from(const Node& node, const Metric& metric);

// What must hold between the members: min <= max, as many values as runs, rates that machines have. Fails at `node`.
void check_spread(const Published& published, const Node& node);

}  // namespace stackx::specs
