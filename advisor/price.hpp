// What work costs: a price per device-hour over a rate.
//
// Of GFLOP/s the unit is 10^15 flop, of GB/s 1 TB, of anything counted a million of it (items,
// images, samples). The currency is whoever's who gave the price.
#pragma once

#include <optional>
#include <string>

#include "analysis/statistics/statistics.hpp"

namespace stackx::advisor {

struct Cost {
  double amount = 0;
  std::string per;                          // "10^15 flop", "TB", "million items"
  std::optional<specs::Interval> interval;  // of the rate's: a higher rate is a lower cost
};

// `unit` as rankings have it: "GFLOP/s", "GB/s", "items/s"; nothing for one that is no rate
// ("minutes"), or a rate or price that is not above 0. `devices`: that the rate took.
std::optional<Cost> cost_of(double price_per_device_hour, double rate, const std::string& unit,
                            const std::optional<specs::Interval>& rate_interval = std::nullopt,
                            double devices = 1);

// --price: a number above 0; throws Error(bad_input).
double price_from(const std::string& text);

}  // namespace stackx::advisor
