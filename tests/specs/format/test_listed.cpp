#include "specs/format/listed.hpp"

#include <catch2/catch.hpp>

using namespace stackx::specs;

TEST_CASE("names in a row") {
  CHECK(listed({}) == "");
  CHECK(listed({"v100"}) == "v100");
  CHECK(listed({"v100", "a100"}) == "v100 and a100");
  CHECK(listed({"v100", "a100", "h100"}) == "v100, a100 and h100");
}
