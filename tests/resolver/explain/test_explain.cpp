// Why there is no stack, in words. That clashes are minimal is checked on random problems.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "resolver/explain/excluded.hpp"
#include "resolver/explain/explain.hpp"
#include "specs/error.hpp"
#include "tests/cases.hpp"
#include "tests/resolver/given.hpp"
#include "tests/resolver/oracle.hpp"
#include "tests/resolver/random_problem.hpp"

namespace stackx::test {

using resolver::Clause;
using resolver::Reason;
using Words = std::vector<std::string>;

resolver::Unsolvable why_not(const Given& given, const std::string& component,
                             const std::string& version) {
  auto why = resolver::explain_version(resolver::compile(given.project, given.catalog), component,
                                       version);
  REQUIRE(why);
  return *std::move(why);
}

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
        "  the project needs tensorflow\n"
        "  └─ every tensorflow needs python >=3.9\n"
        "  the project pins python to ==3.8\n"
        "  so: no version of python is both ==3.8 (pin) and >=3.9 (every tensorflow)\n"
        "  to fix: leave out or change the root requirement tensorflow *\n"
        "  to fix: leave out or change the pin python ==3.8: there are stacks with python 3.9");
  REQUIRE(why.tree.size() == 2);
  REQUIRE(why.tree[0].leads_to.size() == 1);
  CHECK(why.tree[0].leads_to[0].text == "every tensorflow needs python >=3.9");
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
              "leave out or change the root requirement mkl ==2025.3.1: there are stacks with mkl "
              "2023.1"});
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

TEST_CASE("The tree hangs each clause below the one that brings it in") {
  const auto why = Given(R"(
    "app": {"versions": {"1": {"requires": {"web": "*", "db": "*"}}}},
    "web": {"versions": {"1": {"requires": {"ssl": ">=3"}}, "2": {"requires": {"ssl": ">=3"}}}},
    "db": {"versions": {"5": {"requires": {"driver": "*"}}}},
    "driver": {"versions": {"7": {"requires": {"ssl": "<2"}}}},
    "ssl": {"versions": {"1": {}, "2": {}, "3": {}}})",
                         R"("requires": {"app": "*"})")
                       .clash();
  CHECK(why.text() ==
        "These clash, and none can be left out:\n"
        "  the project needs app\n"
        "  ├─ app 1 needs db\n"
        "  │  └─ db 5 needs driver\n"
        "  │     └─ driver 7 needs ssl <2\n"
        "  └─ app 1 needs web\n"
        "     └─ every web needs ssl >=3\n"
        "  so: no version of ssl is both <2 (driver 7) and >=3 (every web)\n"
        "  to fix: leave out or change the root requirement app *");
}

TEST_CASE("Of several clashes the one nearest to the roots is shown") {
  const auto why = Given(R"(
    "a": {"versions": {"1": {"requires": {"b": "*"}}}},
    "b": {"versions": {"1": {"requires": {"c": ">2"}}}},
    "c": {"versions": {"1": {}}},
    "y": {"versions": {"1": {}}},
    "z": {"versions": {"1": {"requires": {"y": ">1"}}}})",
                         R"("requires": {"a": "*", "z": "*"})")
                       .clash();
  CHECK(why.clash == Words{"root: z *", "z 1 needs y >1"});
}

TEST_CASE("A version that contradicts the roots") {
  const Given given(R"(
    "flask": {"versions": {"0.12": {"requires": {"werkzeug": "<1"}},
                           "2.0": {"requires": {"werkzeug": ">=2"}}}},
    "dash": {"versions": {"2": {"requires": {"werkzeug": ">=1"}}}},
    "werkzeug": {"versions": {"0.16": {}, "1.0": {}, "2.0": {}}})",
                    R"("requires": {"flask": "*", "dash": "*"})");
  const auto why = why_not(given, "flask", "0.12");
  CHECK(why.clauses.front().kind == Clause::Kind::asked);
  CHECK(why.text() ==
        "flask 0.12 is in no stack:\n"
        "  flask 0.12 is asked for\n"
        "  └─ flask 0.12 needs werkzeug <1\n"
        "  the project needs dash\n"
        "  └─ dash 2 needs werkzeug >=1\n"
        "  so: no version of werkzeug is both >=1 (dash 2) and <1 (flask 0.12)\n"
        "  to fix: leave out or change the root requirement dash *");
  const auto problem = resolver::compile(given.project, given.catalog);
  CHECK_FALSE(resolver::explain_version(problem, "flask", "2.0"));
}

TEST_CASE("A version that nothing can need is not in a stack, though it contradicts nothing") {
  const Given given(R"(
    "a": {"versions": {"1": {}, "2": {"requires": {"extra": ">=2", "b": ">5"}}}},
    "b": {"versions": {"1": {}}},
    "extra": {"versions": {"1": {}, "2": {}}})",
                    R"("requires": {"a": "*"})");
  const auto unneeded = why_not(given, "extra", "2");
  CHECK(unneeded.notes.at(0) ==
        "it contradicts nothing, but a stack holds only what something in it needs; what could "
        "need it:");
  CHECK(unneeded.notes.at(1) ==
        "a 2 needs extra >=2, but is in no stack: a 2 needs b >5, and no version of b is in range");
  CHECK(unneeded.fixes.back() == "require extra ==2 in the project: there are stacks with it");
  const auto never = why_not(given, "extra", "1");
  CHECK(never.notes.front() ==
        "it contradicts nothing, but nothing that the project can reach needs this version");
}

TEST_CASE("A loop of components that need only each other is in no stack") {
  const Given given(R"(
    "a": {"versions": {"1": {"requires_if": [{"if": {"b": "*"}, "then": {"b": "*"}}]}}},
    "b": {"versions": {"1": {"requires": {"c": "*"}}}},
    "c": {"versions": {"1": {"requires": {"b": "*"}}}},
    "d": {"versions": {"1": {}, "2": {"requires": {"b": "*"}}}})",
                    R"("requires": {"a": "*", "d": "<2"})");
  const auto problem = resolver::compile(given.project, given.catalog);
  CHECK_FALSE(resolver::explain_version(problem, "b", "1"));  // a needs it where it is there
  const Given without(R"(
    "b": {"versions": {"1": {"requires": {"c": "*"}}}},
    "c": {"versions": {"1": {"requires": {"b": "*"}}}},
    "d": {"versions": {"1": {}, "2": {"requires": {"b": "*"}}}})",
                      R"("requires": {"d": "*"}, "pins": {"d": "<2"})");
  CHECK(why_not(without, "b", "1").clash == Words{"asked for: b 1", "pin: d <2"});
}

TEST_CASE("Asking for what nobody knows is an error that names the nearest") {
  const Given given(R"("flask": {"versions": {"1.0": {}, "1.1": {}}})",
                    R"("requires": {"flask": "*"})");
  const auto problem = resolver::compile(given.project, given.catalog);
  CHECK_THROWS_WITH(resolver::explain_version(problem, "flaks", "1.0"),
                    "nothing that the project can reach is called \"flaks\"; did you mean "
                    "\"flask\"?");
  CHECK_THROWS_WITH(resolver::explain_version(problem, "flask", "1.2"),
                    Catch::Contains("no version \"1.2\" of flask"));
  CHECK_THROWS_WITH(resolver::explain_version(problem, "flask", "22.0"),
                    "the catalogs know no version \"22.0\" of flask; known are 1.0, 1.1");
}

TEST_CASE("What was left out of the catalog is named where nothing that it has is in range") {
  const Given given(R"(
    "a": {"versions": {"1": {"requires": {"b": "==2"}}}},
    "b": {"versions": {"1": {}}, "left_out": [
      {"why": "yanked", "to_have": "name it", "versions": ["2"]}, {"why": "no wheel", "versions": ["3", "4"]}]})",
                    R"("requires": {"a": "*", "b": "*"})");
  const auto why = given.clash();
  CHECK(why.text() ==
        "These clash, and none can be left out:\n"
        "  the project needs a\n"
        "  └─ a 1 needs b ==2\n"
        "     └─ b 2 was left out of the catalog: yanked\n"
        "  to fix: leave out or change the root requirement a *\n"
        "  to fix: name it: then b 2 is there; what it requires is not known yet");
  CHECK_THROWS_WITH(given.resolver().explain("b", "2"), "b 2 was left out of the catalog: yanked (to have it: name it)");
}

TEST_CASE("A root that excludes what was left out is part of the clash, and the fix says both") {
  const auto why = Given(R"(
    "a": {"versions": {"1": {"requires": {"b": "==2"}}}},
    "b": {"versions": {"1": {}}, "left_out": [{"why": "outside of the range", "to_have": "import more", "versions": ["2"]}]})",
                         R"("requires": {"a": "*", "b": "==1"})")
                       .clash();
  CHECK(why.clash == std::vector<std::string>{"root: a *", "root: b ==1", "a 1 needs b ==2"});
  CHECK(why.fixes ==
        std::vector<std::string>{"leave out or change the root requirement a *",
                                 "leave out or change the root requirement b ==1 and import more: then b 2 is there; what it "
                                 "requires is not known yet"});
}

TEST_CASE("Where nothing of a component is in range, all that is known of it is told") {
  const auto notes = [](const char* b) {
    return Given(fmt::format(R"("a": {{"versions": {{"1": {{"requires": {{"b": ">=9"}}}}}}}}, "b": {{{}}})", b),
                 R"("requires": {"a": "*"})").clash().notes;
  };
  CHECK(notes(R"("versions": {"1": {}})") == std::vector<std::string>{"known versions of b: 1"});
  CHECK(notes(R"("versions": {"1": {}}, "left_out": [{"why": "yanked", "versions": ["2", "3"]}])") ==
        std::vector<std::string>{"known versions of b: 1; left out: 2, 3 (yanked)"});
  CHECK(notes(R"("versions": {}, "left_out": [{"why": "not on the index", "versions": []}])") ==
        std::vector<std::string>{"known versions of b: none (not on the index)"});
}

TEST_CASE("Versions that were left out and would solve a clash of others are a fix") {
  const char* left_out = R"([{"why": "not the newest", "to_have": "import more", "versions": ["1", "2"]}])";
  const auto fixes = [&](const char* range) {
    return Given(fmt::format(R"(
      "a": {{"versions": {{"1": {{"requires": {{"b": "{}", "c": "<3"}}}}}}}},
      "b": {{"versions": {{"3": {{"requires": {{"c": ">=3"}}}}}}, "left_out": {}}},
      "c": {{"versions": {{"2": {{}}, "3": {{}}}}}})", range, left_out),
                 R"("requires": {"a": "*"})").clash().fixes;
  };
  const std::string root = "leave out or change the root requirement a *";
  CHECK(fixes("*") == std::vector<std::string>{root, "import more: then b 2 is there; what it requires is not known yet"});
  CHECK(fixes(">=3") == std::vector<std::string>{root});
}

TEST_CASE("A version that must be named, and is not, is told of") {
  const auto why = Given(R"(
    "a": {"versions": {"1": {"requires": {"c": "<2"}}}}, "b": {"versions": {"1": {"requires": {"c": ">1"}}}},
    "c": {"versions": {"1": {}, "1.5b1": {"by_name": "pre-release"}, "2": {}}})",
                         R"("requires": {"a": "*", "b": "*"})")
                       .clash();
  CHECK(why.clash.size() == 4);
  CHECK(why.notes == std::vector<std::string>{"c 1.5b1 must be named by who requires it (a pre-release or yanked)"});
}

// Against trying everything: whether, that the clash with the version is minimal, and that nothing
// is called excluded that is in a stack.
TEST_CASE("Every version of random problems is in a stack or its absence explained") {
  std::size_t contradicting = 0, unneeded = 0, excluded_ones = 0;
  for (std::uint64_t seed = 0; seed < cases(500, 2000); ++seed) {
    const auto random = random_problem(seed);
    const auto problem = resolver::compile(random.project, random.catalog);
    std::set<std::pair<std::string, std::string>> in_stacks;
    const Oracle oracle(random.project, random.catalog);
    for (const auto& assignment : oracle.stacks())
      for (const auto& held : oracle.named(assignment).components) in_stacks.insert(held);
    const auto reasons = resolver::excluded(problem);
    for (std::size_t c = 0; c < problem.components.size(); ++c)
      for (std::size_t v = 0; v < problem.components[c].versions.size(); ++v) {
        const auto& name = problem.components[c].name;
        const auto& version = problem.components[c].versions[v];
        INFO(seed << " " << name << " " << version << "\n" << text(random));
        const bool is_in = in_stacks.contains({name, version});
        if (!reasons[c][v].empty()) REQUIRE_FALSE(is_in);
        excluded_ones += !reasons[c][v].empty();
        const auto why = resolver::explain_version(problem, name, version);
        REQUIRE(why.has_value() == !is_in);
        if (!why || in_stacks.empty()) continue;
        REQUIRE(why->clauses.front().kind == Clause::Kind::asked);
        REQUIRE_FALSE(why->text().empty());
        if (must_be_named(random)) continue;  // what is left out of a clash may still name versions

        // As a root the version clashes with the rest, and without any of the rest it does not.
        const auto solvable_with = [&](std::vector<Clause> clauses) {
          auto rest = only(random, clauses);
          const bool known = rest.project.hardware.contains(name);
          if (known && rest.project.hardware.at(name) != version) return false;
          rest.project.hardware[name] = version;
          return Oracle(rest.project, rest.catalog).solvable();
        };
        const bool contradicts = !solvable_with(why->clauses);
        (contradicts ? contradicting : unneeded) += 1;
        if (!contradicts) {
          auto all = random;
          all.project.hardware[name] = version;
          REQUIRE(Oracle(all.project, all.catalog).solvable());
          REQUIRE_THAT(why->fixes.back(), Catch::StartsWith("require " + name));
          continue;
        }
        for (std::size_t left_out = 1; left_out < why->clauses.size(); ++left_out) {
          auto rest = why->clauses;
          rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
          REQUIRE(solvable_with(rest));
        }
      }
  }
  CHECK(contradicting > cases(125, 500));
  CHECK(unneeded > cases(50, 200));
  CHECK(excluded_ones > cases(125, 500));
}

}  // namespace stackx::test
