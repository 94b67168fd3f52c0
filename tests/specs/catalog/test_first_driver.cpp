#include "specs/catalog/first_driver.hpp"

#include <catch2/catch.hpp>

using namespace stackx::specs;

namespace {

const FirstDriver h200{"550.90.07", {"535.183.01", "555.42.06"}};

}  // namespace

TEST_CASE("first driver: what is older than the product is so by its own branch") {
  CHECK(h200.is_older("525.60.13"));
  CHECK(h200.is_older("535.161.08"));
  CHECK_FALSE(h200.is_older("535.183.06"));  // made after the first that names an H200
  CHECK(h200.is_older("545.29.06"));         // a branch that ended before
  CHECK(h200.is_older("550.54.15"));
  CHECK_FALSE(h200.is_older("550.90.07"));
  CHECK(h200.is_older("555.42.02"));  // a beta with a newer number
  CHECK_FALSE(h200.is_older("560.28.03"));
}

TEST_CASE("first driver: what nobody says is no bound") {
  CHECK_FALSE(FirstDriver{}.is_older("1.0"));
  CHECK(FirstDriver{}.in_branch_of("535.54.03").empty());
  CHECK(h200.in_branch_of("555.42.02") == "555.42.06");
  CHECK(h200.in_branch_of("560.28.03").empty());
}
