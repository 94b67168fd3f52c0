#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/statistics/median_polish.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx::analysis;
using stackx::test::normal;

TEST_CASE("median polish: an additive table is taken apart exactly, with cells absent") {
  const double arms[] = {5, 1, -2, 0.5}, rounds[] = {0, 0.3, -0.1, 0.2, -0.4};  // median round: 0
  Table table(4, std::vector<std::optional<double>>(5));
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t r = 0; r < 5; ++r)
      if ((a + 2 * r) % 7 != 3) table[a][r] = arms[a] + rounds[r];
  const Polished polished = median_polish(table);
  for (std::size_t a = 0; a < 4; ++a) CHECK(*polished.arms[a] == Approx(arms[a]).margin(1e-6));
  for (std::size_t r = 0; r < 5; ++r) CHECK(*polished.rounds[r] == Approx(rounds[r]).margin(1e-6));
  for (const double residual : polished.residuals) CHECK(std::abs(residual) < 1e-6);
}

TEST_CASE("median polish: wild cells stay residuals; what never ran has no effect") {
  Table table(5, std::vector<std::optional<double>>(9, 1.0));
  table[2][4] = 100;
  for (auto& row : table) row[8].reset();
  const Polished polished = median_polish(table);
  CHECK(*polished.arms[2] == 1);
  CHECK(*polished.rounds[4] == 0);
  CHECK(!polished.rounds[8]);
  CHECK(polished.residuals.size() == 40);
  CHECK(median_polish({}).arms.empty());
}

TEST_CASE("median polish: what is absent takes no memory and no time") {
  constexpr std::size_t count = 50'000;  // 40 GB as a Table
  SparseTable table{count, count + 1, {}};
  for (std::size_t arm = 0; arm < count; ++arm) {
    table.cells.push_back({arm, 0, static_cast<double>(arm % 7)});
    table.cells.push_back({arm, arm + 1, static_cast<double>(arm % 7) + 0.5});
  }
  const Polished polished = sparse_median_polish(std::move(table));
  REQUIRE(polished.residuals.size() == 2 * count);
  CHECK(*polished.arms[8] - *polished.arms[7] == Approx(1));
  for (const double residual : polished.residuals) REQUIRE(std::abs(residual) < 1e-6);
}
