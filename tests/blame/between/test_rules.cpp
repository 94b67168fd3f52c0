#include <catch2/catch.hpp>

#include "blame/between/rules.hpp"

namespace blame_rules_tests {

using namespace stackx::blame;
using Notes = std::vector<std::string>;

TEST_CASE("rules: two in different states are one; it stands on the one that demands it") {
  Rules rules("OLD", "NEW");
  CHECK(rules.forbid({{0, true}, {1, false}}, "a 2 requires b 2"));
  CHECK(rules.forbid({{0, false}, {1, true}}, "a 1 requires b 1"));
  CHECK(rules.forbid({{0, false}, {1, true}}, "a 1 requires b 1"));
  const auto all = rules.all();
  REQUIRE(all.size() == 2);
  CHECK((all[0].change == 0 && all[0].required == 1 && all[0].is_new && all[0].from() == 0 && all[0].to() == 1));
  CHECK((all[1].change == 0 && all[1].required == 1 && !all[1].is_new && all[1].from() == 1 && all[1].to() == 0));
  CHECK(rules.notes().empty());
}

TEST_CASE("rules: what an end has is none, what is in two states never is") {
  Rules rules("OLD", "NEW");
  CHECK_FALSE(rules.forbid({{0, true}, {1, true}}, "x"));
  CHECK_FALSE(rules.forbid({{0, false}}, "x"));
  CHECK_FALSE(rules.forbid({}, "y"));
  CHECK_FALSE(rules.forbid({}, "y"));
  CHECK(rules.forbid({{0, true}, {1, false}, {0, false}}, "z"));
  CHECK(rules.all().empty());
  CHECK(rules.notes() == Notes{"NEW breaks: x; nothing is held to it", "OLD breaks: x; nothing is held to it",
                               "OLD and NEW break: y; nothing is held to it"});
}

TEST_CASE("rules: of three the first and one in another state, unless two of them are excluded anyway") {
  Rules rules("OLD", "NEW");
  rules.forbid({{0, true}, {1, true}, {2, false}}, "three");
  rules.forbid({{3, true}, {1, false}, {2, false}}, "others");
  rules.forbid({{2, false}, {1, true}}, "two");  // later, and yet
  const auto all = rules.all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].why == "two");
  CHECK((all[1].change == 3 && all[1].required == 1 && all[1].is_new));
}

}  // namespace blame_rules_tests
