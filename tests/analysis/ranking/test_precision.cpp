#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/ranking/precision.hpp"

using namespace stackx::analysis;

TEST_CASE("precision: settled is a narrow interval, not a small spread of few") {
  const auto row = [](std::vector<double> rates) {
    std::vector<std::optional<double>> logs;
    for (const double rate : rates) logs.push_back(std::log(rate));
    return logs;
  };
  const std::vector<double> calm{100, 100.1, 100.2, 100.3, 100.4, 100.5, 100.6, 100.7};
  std::vector<double> odd = calm, nine = calm;
  odd[1] = 103;
  nine.push_back(100.8);
  const Table table{row({100, 100.1, 100.2, 100.3, 100.4}),  // no interval below six
                    row(calm),                               // 0.7% wide
                    row(odd),                                // 3% wide
                    {std::nullopt, std::nullopt},            // fails
                    {std::nullopt},                          // failed once
                    row(nine)};                              // narrow, but nine is no look
  CHECK(unsettled(table, 0.01, 0.95) == std::vector<std::size_t>{0, 2, 4, 5});
  CHECK(unsettled(table, 0.05, 0.95) == std::vector<std::size_t>{0, 4, 5});
}
