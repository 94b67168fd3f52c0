#include "analysis/effects/stack_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/median_polish.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

// The column of each round, and of each inspection that shares its round with none.
class Columns {
 public:
  std::size_t of(const Value& value) {
    if (std::get<0>(value.slot).empty()) return count_++;
    const auto [at, is_new] = rounds_.try_emplace(value.slot, count_);
    count_ += is_new;
    return at->second;
  }
  std::size_t count() const { return count_; }

 private:
  std::map<Slot, std::size_t> rounds_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<StackValue> stack_values(const Rates& all) {
  std::vector<StackValue> result;
  std::vector<std::map<std::size_t, std::vector<double>>> cells;  // one stack twice in a round: both
  Columns columns;
  for (const StackRates& stack : all.stacks) {
    if (stack.values.empty()) continue;
    result.push_back({stack.stack, 0, stack.values.size(), median(rates(stack))});
    auto& row = cells.emplace_back();
    for (const Value& value : stack.values) row[columns.of(value)].push_back(std::log(value.amount));
  }
  Table table;
  for (const auto& row : cells) {
    auto& filled = table.emplace_back(columns.count());
    for (const auto& [column, logs] : row) filled[column] = median(logs);
  }
  const Polished polished = median_polish(table);
  for (std::size_t i = 0; i < result.size(); ++i) result[i].log_rate = *polished.arms[i];
  return result;
}

std::size_t untied(const Rates& all) {
  std::vector<std::size_t> group(all.stacks.size());  // of each stack: the number of one of its group
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t stack) {
    while (group[stack] != stack) stack = group[stack] = group[group[stack]];
    return stack;
  };
  std::map<Slot, std::size_t> first;
  for (std::size_t stack = 0; stack < all.stacks.size(); ++stack)
    for (const Value& value : all.stacks[stack].values)
      if (!std::get<0>(value.slot).empty()) group[root(stack)] = root(first.try_emplace(value.slot, stack).first->second);
  std::map<std::size_t, std::size_t> sizes;
  std::size_t with_values = 0, largest = 0;
  for (std::size_t stack = 0; stack < all.stacks.size(); ++stack) {
    if (all.stacks[stack].values.empty()) continue;
    ++with_values;
    largest = std::max(largest, ++sizes[root(stack)]);
  }
  return with_values - largest;
}

}  // namespace stackx::analysis
