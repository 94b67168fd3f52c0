// What no catalog holds, as check() tells it.
#include <catch2/catch.hpp>

#include "tests/advisor/check/small_world.hpp"

namespace check_tests {

using Catch::Matchers::Contains;

TEST_CASE("check: of what no catalog holds ranges that exclude each other are a clash") {
  Known known;
  known.package("a", pure({{"1", {"numpy<2"}}, {"2", {"numpy>=2"}}})).package("b", pure({{"1", {"numpy<2"}}}));
  CHECK(stack_of(known.check(question({"a", "b"})), "a") == "1");
  const auto checked = known.check(question({"a==2", "b"}));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("a 2 needs numpy >=2") && Contains("b 1 needs numpy <2"));
  CHECK(known.check(question({"a==2", "numpy==1.26"})).answer == Answer::no);
  const auto apart = known.check(question({"a==1", "b"}));
  CHECK(apart.answer == Answer::yes);
  CHECK(not_judged(apart, "numpy"));
}

TEST_CASE("check: no version is made up of what no catalog holds") {
  Known known;
  known.package("a", pure({{"1", {"numpy<=2"}}, {"2", {"numpy>2"}}}));
  const auto checked = known.check(question({"a"}));
  CHECK(checked.answer == Answer::yes);
  CHECK(stack_of(checked, "a") == "2");
  CHECK(stack_of(checked, "numpy").empty());
  CHECK(not_judged(checked, "numpy"));
}

TEST_CASE("check: a pre-release as a bound excludes nothing that is newer") {
  Known known;
  known.package("a", pure({{"1", {"numpy>2.0rc1"}}}));
  CHECK(known.check(question({"a"})).answer == Answer::yes);
}

TEST_CASE("check: what is only needed by what is not taken decides nothing") {
  Known known;
  known.package("a", pure({{"1", {"d"}}, {"2", {"c"}}})).package("c", pure({{"1", {"d"}}, {"2", {}}})).package("d", pure({{"1", {}}}));
  const auto checked = known.check(question({"a"}));
  CHECK(stack_of(checked, "a") == "2");
  CHECK(stack_of(checked, "c") == "2");
  CHECK(stack_of(checked, "d").empty());
}

}  // namespace check_tests
