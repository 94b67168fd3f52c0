// From measurements to rates, or to what else a yardstick (specs/result/yardstick.hpp) says: one value per inspection, by stack and
// by the round it ran in. Ratios are of the values as they are: of what is better when smaller, below 1 is better.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "store/store.hpp"

namespace stackx::analysis {

// Two values pair when they come from the same round of the same campaign on the same device.
using Slot = std::tuple<std::string, std::uint64_t, std::string>;

struct Value {
  double amount = 0;  // of the unit: the rate, or the yardstick's
  Slot slot;
  const store::Measurement* measurement = nullptr;
};

struct StackRates {
  specs::Stack stack;
  bool here = false;          // measured on this host, and only that is in `values` and `failed`
  std::vector<Value> values;  // those that rank, by slot and inspection
  std::vector<const store::Measurement*> failed;
};

struct Rates {
  specs::Yardstick yardstick;
  std::string unit;
  std::vector<StackRates> stacks;     // in the order of their components
  std::vector<StackRates> sentinels;  // the same stacks under their second names
  std::size_t without_unit = 0;       // ok, but their work is not stated in the unit of the others, or the amount is not known
};

// Measurements must have been read with the yardstick (store::Filter).
Rates collect(const std::vector<const store::Measurement*>& measurements, const std::string& this_host,
              const specs::Yardstick& yardstick = {});

// What people count: "items/s" of a transformer are tokens/s, of ResNet-50 images/s.
std::string unit_in_words(const std::string& unit, const specs::Workload& workload);

// "GFLOP/s"; "memory (MB)"; "error": over a column.
std::string title_of(const specs::Yardstick& yardstick, const std::string& unit);

// Of one inspection, in that unit; 0 if it has none.
double amount_of(const store::Measurement& measurement, const specs::Yardstick& yardstick, const std::string& unit);

// The unit that the work of a sample allows: GFLOP/s if it states flop, else GB/s, else items/s.
std::string unit_of(const specs::Work& work);

// What a sample's nanoseconds divide for a rate in that unit.
double work_in(const specs::Work& of_sample, const std::string& unit);

// Median rate of the samples in that unit; 0 if there is none (no samples, times or work that are
// not positive).
double rate_of(const store::Measurement& measurement, const std::string& unit);
double rate_of(std::span<const std::int64_t> samples_ns, const specs::Work& work, const std::string& unit);

// Log of the median rate, in the unit of its own work; none of a failure.
std::optional<double> log_rate(const store::Measurement& measurement);

std::vector<double> rates(const StackRates& stack);
// One rate a slot; none for inspections outside of campaigns, which share their round with nobody.
std::map<Slot, double> by_slot(const StackRates& stack);
// Campaigns that raced -> the first round of their finals. What came before picked the finalists, so
// two of them are compared on the fresh rounds alone.
using Finals = std::map<std::string, std::uint64_t>;

// Log of a's amount over b's, one for each slot that both have.
std::map<Slot, double> paired_by_slot(const StackRates& a, const StackRates& b,
                                      const Finals& finals = {});
std::vector<double> paired_logs(const StackRates& a, const StackRates& b, const Finals& finals = {});

}  // namespace stackx::analysis
