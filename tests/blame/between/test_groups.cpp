#include <catch2/catch.hpp>

#include "blame/between/groups.hpp"

namespace blame_groups_tests {

using namespace stackx::blame;
using Places = std::vector<std::size_t>;

namespace {

std::vector<Places> changes_of(const std::vector<Group>& groups) {
  std::vector<Places> result;
  for (const auto& group : groups) result.push_back(group.changes);
  return result;
}

}  // namespace

TEST_CASE("groups: each after what it needs, also through others; of equals the first by name") {
  const std::vector<Change> changes{{"a", "1", "2"}, {"b", "1", "2"}, {"c", "1", "2"}, {"d", "1", "2"}, {"e", "1", "2"}};
  std::vector<Rule> rules{{0, 3, true, "a 2 requires d"}, {3, 2, true, "d 2 requires c"}, {2, 3, false, "c 1 requires d"},
                          {1, 0, false, "b 1 requires a"}, {0, 1, false, "a 1 requires b"}};
  const auto groups = find_groups(changes, rules);
  CHECK(changes_of(groups) == std::vector<Places>{{2}, {3}, {0, 1}, {4}});
  CHECK(groups[1].needs == Places{0});
  CHECK(groups[2].needs == Places{0, 1});
  CHECK(groups[2].because == std::vector<std::string>{"a 1 requires b", "b 1 requires a"});
  CHECK(rules.size() == 5);
}

TEST_CASE("groups: one at one end alone joins who alone requires it, and then what that requires alone") {
  const std::vector<Change> changes{{"app", "1", "2"}, {"lib", "", "1"}, {"part", "", "1"}, {"shared", "", "1"}, {"web", "1", "2"}};
  std::vector<Rule> rules{{0, 1, true, "app"}, {1, 2, true, "lib"}, {0, 2, true, "app, too"}, {1, 3, true, "lib"}, {4, 3, true, "web"}};
  const auto groups = find_groups(changes, rules);
  CHECK(changes_of(groups) == std::vector<Places>{{3}, {0, 1, 2}, {4}});
  CHECK(groups[1].because == std::vector<std::string>{"app", "app, too", "lib", "lib 1 is there for app 2 alone",
                                                            "part 1 is there for app 2 and lib 1 alone"});
  CHECK(groups[2].needs == Places{0});
}

TEST_CASE("groups: a chain as long as no lock has") {
  constexpr std::size_t length = 2'000;
  std::vector<Change> changes;
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < length; ++i) {
    changes.push_back({"p" + std::to_string(10'000 + i), "1", "2"});
    if (i > 0) rules.push_back({i - 1, i, true, ""});
  }
  const auto chain = find_groups(changes, rules);
  REQUIRE(chain.size() == length);
  CHECK(chain.back().changes == Places{0});
  CHECK(chain.back().needs.size() == length - 1);
  rules.push_back({length - 1, 0, true, ""});
  CHECK(find_groups(changes, rules).size() == 1);
}

}  // namespace blame_groups_tests
