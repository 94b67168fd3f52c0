#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/precision.hpp"

using namespace stackx::analysis;

TEST_CASE("precision: settled is a narrow interval, not a small spread of few") {
  const auto row = [](std::vector<double> rates) {
    std::vector<std::optional<double>> logs;
    for (const double rate : rates) logs.push_back(std::log(rate));
    return logs;
  };
  const Table table{row({100, 100.1, 100.2, 100.3, 100.4}),         // no interval below six
                    row({100, 100.1, 100.2, 100.3, 100.4, 100.5}),  // 0.5% wide
                    row({100, 103, 100, 100.3, 100.4, 100.5}),      // 3% wide
                    {std::nullopt, std::nullopt},                   // fails
                    {std::nullopt}};                                // failed once
  CHECK(unsettled(table, 0.01, 0.95) == std::vector<std::size_t>{0, 2, 4});
  CHECK(unsettled(table, 0.05, 0.95) == std::vector<std::size_t>{0, 4});
}
