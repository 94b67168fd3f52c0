#include <catch2/catch.hpp>

#include "analysis/statistics/one_way.hpp"

using namespace stackx::analysis;

TEST_CASE("one way: the textbook's example, groups of unequal size") {
  // {6, 8, 4, 5, 3, 4}, {8, 12, 9, 11, 6, 8}, {13, 9, 11, 8, 7, 12}: F = 9.3 at (2, 15), p = 0.0024.
  const auto equal = one_way({{6, 8, 4, 5, 3, 4}, {8, 12, 9, 11, 6, 8}, {13, 9, 11, 8, 7, 12}});
  REQUIRE(equal);
  CHECK(equal->within == Approx(68.0 / 15));
  CHECK(equal->p == Approx(0.0024).margin(0.0001));
  CHECK(equal->between == Approx((42 - 68.0 / 15) / 6));
  // By hand: means 2 and 5, in all 3.2; squares 2 within, 3 (1.2)^2 + 2 (1.8)^2 = 10.8 of groups.
  const auto unequal = one_way({{1, 2, 3}, {5, 5}, {}});
  REQUIRE(unequal);
  CHECK(unequal->within == Approx(2.0 / 3));
  CHECK(unequal->between == Approx((10.8 - 2.0 / 3) / ((5 - 13.0 / 5) / 1)));
}

TEST_CASE("one way: groups nearer than noise lets expect, and nothing to say") {
  CHECK(one_way({{1, 3}, {1, 3}})->between < 0);
  CHECK(one_way({{1, 3}, {1, 3}})->p == Approx(1));
  CHECK(!one_way({{1, 2, 3}}));
  CHECK(!one_way({{1}, {2}}));
  CHECK(!one_way({{1, 1}, {2, 2}}));
  CHECK(!one_way({}));
}
