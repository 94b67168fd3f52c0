// Why there is no stack, in words. That clashes are minimal is checked on random problems.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/resolver/given.hpp"

namespace stackx::test {

using Words = std::vector<std::string>;

TEST_CASE("A clash names the chain from the roots to the contradiction, and nothing else") {
  const Given given(
      R"(
    "tensorflow": {"versions": {"2.18": {"requires": {"python": ">=3.9", "numpy": "*"}},
                                "2.19": {"requires": {"python": ">=3.9", "numpy": ">=2"}}}},
    "numpy": {"versions": {"1.26": {}, "2.0": {}}},
    "flask": {"versions": {"3": {"requires": {"python": ">=3.8"}}}},
    "python": {"kind": "runtime", "versions": {"3.8": {}, "3.9": {}}})",
      R"("requires": {"tensorflow": "*", "flask": "*"}, "pins": {"python": "==3.8"})");
  const auto why = given.clash();
  CHECK(why.clash ==
        Words{"root: tensorflow *", "pin: python ==3.8", "every tensorflow needs python >=3.9"});
  CHECK(why.fixes ==
        Words{"leave out or change the root requirement tensorflow *",
              "leave out or change the pin python ==3.8: there are stacks with python 3.9"});
  CHECK(why.text() ==
        "These clash, and none can be left out:\n"
        "  - root: tensorflow *\n"
        "  - pin: python ==3.8\n"
        "  - every tensorflow needs python >=3.9\n"
        "  to fix: leave out or change the root requirement tensorflow *\n"
        "  to fix: leave out or change the pin python ==3.8: there are stacks with python 3.9");
}

TEST_CASE("Versions that say the same share a clause; those that a pin rules out are not shown") {
  const char* components = R"(
    "cpu": {"kind": "hardware", "versioning": "opaque", "versions": {
        "old": {"attributes": {"isa": ["sse2"]}}, "new": {"attributes": {"isa": ["sse2", "avx2"]}}}},
    "mkl": {"versions": {"2023.1": {}, "2024.2.2": {"requires": {"cpu.isa": {"contains": ["avx2"]}}},
                         "2025.3.1": {"requires": {"cpu.isa": {"contains": ["avx2"]}}}}})";
  const Given both(components, R"("requires": {"mkl": ">=2024"}, "hardware": {"cpu": "old"})");
  CHECK(both.clash().clash == Words{"hardware: cpu old", "root: mkl >=2024",
                                    "mkl 2024.2.2, 2025.3.1 need cpu.isa contains avx2"});
  CHECK(both.clash().clauses.at(2).versions == Words{"2024.2.2", "2025.3.1"});
  const Given one(components, R"("requires": {"mkl": "==2025.3.1"}, "hardware": {"cpu": "old"})");
  CHECK(one.clash().clash.at(2) == "mkl 2025.3.1 needs cpu.isa contains avx2");
  CHECK(one.clash().fixes ==
        Words{"leave out or change the hardware cpu old: there are stacks with cpu new",
              "leave out or change the root requirement mkl ==2025.3.1"});
}

TEST_CASE("Notes say what the clauses do not: providers, and what exists") {
  const char* components = R"(
    "a": {"versions": {"1": {"provides": {"blas": "1"}}}},
    "b": {"versions": {"1": {"provides": {"blas": "2"}}, "2": {"provides": {"blas": "2"}}}})";
  const Given two(components, R"("requires": {"a": "*", "b": "*"})");
  CHECK(two.clash().clash == Words{"root: a *", "root: b *"});
  CHECK(two.clash().notes ==
        Words{"a and b provide blas, and a stack has at most one provider of it"});
  const Given no_version(components, R"("requires": {"blas": ">2"})");
  CHECK(no_version.clash().clash == Words{"root: blas >2"});
  CHECK(no_version.clash().notes ==
        Words{"blas is provided by a, b, but none of them is in range"});
  const Given unknown_range(components, R"("requires": {"b": ">2"})");
  CHECK(unknown_range.clash().notes == Words{"known versions of b: 1, 2"});
}

TEST_CASE("Conflicts and conditions take part in a clash") {
  const Given given(R"(
    "a": {"versions": {"1": {"requires_if": [{"if": {"b": ">=2"}, "then": {"c": "*"}}]}}},
    "b": {"versions": {"2": {"conflicts": {"c": "<5"}}}},
    "c": {"versions": {"1": {}, "4": {}}})",
                    R"("requires": {"a": "*", "b": "*"})");
  CHECK(given.clash().clash ==
        Words{"root: a *", "root: b *", "a 1 needs if b >=2: c *", "b 2 conflicts with c <5"});
}

TEST_CASE("Two clashes: one is explained, and no single root is a way out") {
  const auto why = Given(R"(
    "a": {"versions": {"1": {"requires": {"c": "<2"}}}}, "b": {"versions": {"1": {"requires": {"d": "<2"}}}},
    "c": {"versions": {"2": {}}}, "d": {"versions": {"2": {}}})",
                         R"("requires": {"a": "*", "b": "*"})")
                       .clash();
  CHECK(why.clash.size() == 2);
  CHECK(why.fixes.empty());
  CHECK_THAT(why.text(), Catch::Contains("leaving out one leaves other clashes"));
}

TEST_CASE("Long lists of versions are cut short") {
  std::string versions, every_second;
  for (int v = 1; v <= 20; ++v)
    versions += fmt::format(R"({}"{}": {{"requires": {{"b": ">{}"}}}})", v == 1 ? "" : ", ", v,
                            v <= 10 ? 1 : 2);
  const auto why =
      Given(fmt::format(R"("a": {{"versions": {{{}}}}}, "b": {{"versions": {{"1": {{}}}}}})",
                        versions),
            R"("requires": {"a": "<=10"})")
          .clash();
  CHECK(why.clash == Words{"root: a <=10", "a 1 to 10 (10 versions) need b >1"});
}

// Forty unrelated libraries of ten versions each, between two that clash: 10^40 ways to fail.
TEST_CASE("An explanation does not wander through what has nothing to do with it") {
  std::string components =
      R"("aa": {"versions": {"1": {"requires": {"shared": "<2"}}}}, "zz": {"versions": {"1": {"requires": {"shared": ">=2"}}}},
         "shared": {"versions": {"1": {}, "2": {}}})";
  std::string roots = R"("aa": "*", "zz": "*")";
  for (int i = 0; i < 40; ++i) {
    std::string versions;
    for (int v = 1; v <= 10; ++v)
      versions += fmt::format(R"({}"{}": {{"requires": {{"m{}": "!={}"}}}})", v == 1 ? "" : ", ", v,
                              i, v % 3);
    components += fmt::format(
        R"(, "m{}": {{"versions": {{"1": {{}}, "2": {{}}}}}}, "n{}": {{"versions": {{{}}}}})", i, i,
        versions);
    roots += fmt::format(R"(, "n{}": "*")", i);
  }
  CHECK(Given(components, fmt::format(R"("requires": {{{}}})", roots)).clash().clash ==
        Words{"root: aa *", "root: zz *", "aa 1 needs shared <2", "zz 1 needs shared >=2"});
}

}  // namespace stackx::test
