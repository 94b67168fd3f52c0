// The best stacks of spaces that nobody can list.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/resolver/given.hpp"

namespace stackx::test {

TEST_CASE("The best of 20^20 stacks, and equals in the order of the list") {
  std::string components, roots;
  for (int i = 0; i < 20; ++i) {
    std::string versions;
    for (int v = 1; v <= 20; ++v) versions += fmt::format(R"({}"{}": {{}})", v > 1 ? ", " : "", v);
    components += fmt::format(R"({}"c{}": {{"versions": {{{}}}}})", i ? ", " : "", i, versions);
    roots += fmt::format(R"({}"c{}": "*")", i ? ", " : "", i);
  }
  const Given given(components, fmt::format(R"("requires": {{{}}})", roots));
  const auto resolver = given.resolver();
  std::vector<specs::Stack> listed, ranked;
  resolver.enumerate([&](const resolver::Choice& choice) {
    listed.push_back(resolver.stack(choice));
    return listed.size() < 500;
  });
  resolver.best({}, [&](const resolver::Choice& choice, specs::Score score) {
    CHECK(score == 0);
    ranked.push_back(resolver.stack(choice));
    return ranked.size() < 500;
  });
  CHECK(ranked == listed);

  // c7 = 5 is worth 2, every other version of it and of c3 loses 1 for each later one: exactly one
  // stack scores 2 with c3 = 20, one each for the versions before.
  specs::Scores scores;
  for (int i = 0; i < 20; ++i)
    for (int v = 1; v <= 20; ++v) scores.of[fmt::format("c{}", i)][std::to_string(v)] = v - 20;
  scores.of["c7"]["5"] = 2;
  std::vector<specs::Score> sums;
  resolver.best(scores, [&](const resolver::Choice& choice, specs::Score score) {
    const auto stack = resolver.stack(choice);
    if (sums.empty()) {
      CHECK(stack.components.at("c7") == "5");
      CHECK(stack.components.at("c3") == "20");
    }
    sums.push_back(score);
    return sums.size() < 21;
  });
  REQUIRE(sums.size() == 21);
  CHECK(sums[0] == 2);
  for (std::size_t i = 1; i < 20; ++i) CHECK(sums[i] == 1);  // one of 19 others a step behind
  CHECK(sums[20] == 0);
}

TEST_CASE("Support decides what the best stack may hold") {
  // The dear version of c is worth most, but only b 1 asks for c, and that costs more.
  const Given given(R"(
    "a": {"versions": {"1": {"requires": {"b": "*"}}}},
    "b": {"versions": {"1": {"requires": {"c": "*"}}, "2": {}}},
    "c": {"versions": {"1": {}, "2": {}}})",
                    R"("requires": {"a": "*"})");
  const auto resolver = given.resolver();
  specs::Scores scores;
  scores.of = {{"b", {{"1", -10}}}, {"c", {{"2", 7}, {"1", 3}}}};
  std::vector<std::pair<std::string, specs::Score>> ranked;
  resolver.best(scores, [&](const resolver::Choice& choice, specs::Score score) {
    ranked.emplace_back(words(resolver.stack(choice)), score);
    return true;
  });
  CHECK(ranked == std::vector<std::pair<std::string, specs::Score>>{
                      {"a 1, b 2", 0}, {"a 1, b 1, c 2", -3}, {"a 1, b 1, c 1", -7}});
}

}  // namespace stackx::test
