#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "specs/random.hpp"
#include "specs/version/specifier.hpp"
#include "tests/specs/oracle.hpp"
#include "tests/specs/version_checks.hpp"
#include "tests/specs/version_texts.hpp"

using namespace stackx::specs;
using namespace stackx::tests;

namespace {

SpecifierSet specifier(const std::string& text, Versioning scheme) {
  const auto parsed = SpecifierSet::parse(text, scheme);
  if (!parsed) throw std::runtime_error(text + ": " + parsed.error().reason);
  return *parsed;
}

bool contains(const std::string& set, const std::string& text, Versioning scheme,
              Prereleases policy = Prereleases::allow) {
  return specifier(set, scheme).contains(make_version(text, scheme), policy);
}

void check_all(const std::string& set, Versioning scheme, const std::vector<std::string>& in,
               const std::vector<std::string>& out) {
  for (const std::string& text : in) {
    CAPTURE(set, text);
    CHECK(contains(set, text, scheme));
  }
  for (const std::string& text : out) {
    CAPTURE(set, text);
    CHECK_FALSE(contains(set, text, scheme));
  }
}

void check_set_error(const std::string& text, Versioning scheme, std::size_t column,
                     const std::string& part) {
  CAPTURE(text);
  const auto set = SpecifierSet::parse(text, scheme);
  REQUIRE_FALSE(set);
  CHECK(set.error().column == column);
  CHECK_THAT(set.error().reason, Catch::Contains(part));
}

}  // namespace

TEST_CASE("pep440 specifiers: what each operator holds for") {
  const auto check = [](const std::string& set, const std::vector<std::string>& in,
                        const std::vector<std::string>& out) {
    check_all(set, Versioning::pep440, in, out);
  };
  check("==1.0", {"1", "1.0.0", "1.0+local"}, {"1.0.post1", "1.0a1", "1.0.1", "1!1.0"});
  check("==1.0+a.1", {"1+A-01"}, {"1.0", "1.0+a", "1.0+a.1.0"});
  check("!=1.0", {"1.0.post1", "1.0a1"}, {"1", "1.0+local"});
  check("!=1.0+a", {"1.0", "1.0+b", "1.0+a.0"}, {"1.0.0+A"});
  check("==1.2.*", {"1.2", "1.2.3", "1.2.dev0", "1.2rc1", "1.2.post1", "1.2+x", "1.2.99.1"},
        {"1.1", "1.20", "1.3.dev0", "1.3", "1!1.2", "1"});
  check("==1.0.*", {"1", "1a1", "1.0.5"}, {"1.1.dev0", "0.9"});
  check("==1.9.*", {"1.9", "1.9.9"}, {"1.10.dev0", "1.10"});
  check("!=1.2.*", {"1.1", "1.3.dev0"}, {"1.2", "1.2.dev0", "1.2.3+x"});
  check("~=1.4.5", {"1.4.5", "1.4.5.post1", "1.4.99", "1.4.5+x"},
        {"1.4.5a1", "1.5.dev0", "1.4.4", "2"});
  check("~=1.4.5a4", {"1.4.5a4", "1.4.5", "1.4.9"}, {"1.4.5a3", "1.5"});
  check("~=2.2.post3", {"2.2.post3", "2.3", "2.9.dev1"}, {"2.2", "2.2.post2", "3.dev0"});
  check("~=1!2.0", {"1!2.7"}, {"2.7", "1!3.0"});
  check("<1.0", {"0.9", "0.9.post5", "0.9+x", "0.99rc1"}, {"1.0", "1.0a1", "1.0.dev0", "1.0+x"});
  check("<1.0rc1", {"1.0b2", "1.0.dev0", "1.0rc1.dev1", "1.0b2+x"}, {"1.0rc1", "1.0rc1+x", "1.0"});
  check("<1.0.post1", {"1.0", "1.0a1", "1.0.post0", "1.0+x"}, {"1.0.post1.dev0", "1.0.post1"});
  check(">1.0", {"1.0.1", "1.1.dev0", "1.0.0.1.post1"},
        {"1.0", "1.0.post1", "1.0+x", "1.0.post1+x"});
  check(">1.0.post1", {"1.0.post2", "1.0.post2.dev0", "1.1"}, {"1.0.post1", "1.0.post1+x", "1.0"});
  check(">1.0a1", {"1.0a2", "1.0", "1.0+x", "1.0.post1"}, {"1.0a1", "1.0a1+x", "1.0a1.post1"});
  check(">1.0.dev1", {"1.0.dev2", "1.0a1", "1.0"}, {"1.0.dev1", "1.0.dev1+x"});
  check("<=1.0", {"1.0", "1.0+x", "1.0a1", "0"}, {"1.0.post1.dev0", "1.0.1"});
  check(">=1.0", {"1.0", "1.0+x", "1.0.post1", "2.dev0"}, {"1.0rc9", "1.0.dev1"});
  check("===1.0RC1", {"1.0rc1", "1.0rC1"}, {"1.0.rc1", "1.0c1", "1.0rc01"});
  check("===not-a-version", {}, {"1.0"});
  check(">=1.4,<2,!=1.5.*,!=1.6", {"1.4", "1.7", "1.6.1"},
        {"1.3", "2", "2.dev0", "1.5.3", "1.6.0"});
  check(">=2,<1", {}, {"0", "1", "1.5", "2", "3"});
  check("<0.dev0", {}, {"0.dev0", "0"});
}

TEST_CASE("pep440 specifiers: every version, and pre-releases by rule") {
  for (const char* text : {"", " ", "*", " * "}) {
    const SpecifierSet any = specifier(text, Versioning::pep440);
    CHECK(any.is_any());
    CHECK(any.contains(make_version("1.0a1", Versioning::pep440)));
    CHECK_FALSE(any.contains(make_version("1.0a1", Versioning::pep440), Prereleases::by_rule));
    CHECK(any.contains(make_version("1.0", Versioning::pep440), Prereleases::by_rule));
  }
  CHECK(SpecifierSet().is_any());
  CHECK(SpecifierSet::any(Versioning::semver).is_any());
  CHECK(SpecifierSet::any(Versioning::semver).scheme() == Versioning::semver);
  CHECK_FALSE(specifier(">=0", Versioning::pep440).is_any());

  const auto by_rule = [](const char* set, const char* text) {
    return contains(set, text, Versioning::pep440, Prereleases::by_rule);
  };
  CHECK_FALSE(by_rule(">=1", "2.0a1"));
  CHECK_FALSE(by_rule(">=1", "2.0.dev1"));
  CHECK(by_rule(">=1", "2.0.post1"));
  CHECK(by_rule(">=1a1", "2.0a1"));
  CHECK(by_rule(">=1,<3.dev0", "2.0a1"));
  CHECK_FALSE(by_rule(">=1,!=1.5a1", "2.0a1"));
  CHECK(by_rule("===2.0a1", "2.0a1"));
}

TEST_CASE("pep440 specifiers: errors say what and where") {
  const auto pep440 = Versioning::pep440;
  check_set_error("1.0", pep440, 1, "found '1': a specifier starts with one of ~= ==");
  check_set_error("=1.0", pep440, 1, "found '='");
  check_set_error("*,>=1", pep440, 1, "found '*'");
  check_set_error(">= 1.0, =<2", pep440, 9, "found '='");
  check_set_error(">=", pep440, 3, "a version must follow >=");
  check_set_error("===", pep440, 4, "a version must follow ===");
  check_set_error(">=1.0, <2.x", pep440, 10, "should end here");
  check_set_error("~=1", pep440, 3, "at least two numbers");
  check_set_error(">1.0+x", pep440, 5, "only == and != do");
  check_set_error("~=1.0+x", pep440, 6, "only == and != do");
  check_set_error(">=1.*", pep440, 4, "takes no wildcard");
  check_set_error("~=1.0.*", pep440, 6, "takes no wildcard");
  check_set_error("==1.0a1.*", pep440, 3, "only a release");
  check_set_error("==1.0+x.*", pep440, 3, "only a release");
  check_set_error("==*", pep440, 3, "found '*'");
  check_set_error("=== a b", pep440, 6, "one word");
  check_set_error("===a;b", pep440, 5, "one word");
}

TEST_CASE("pep440 specifiers: some thousand sets as PyPI's packaging has them") {
  Random random(508);
  std::vector<std::string> versions, sets;
  while (versions.size() < 1500) versions.push_back(pep440_text(random));
  nlohmann::json questions = nlohmann::json::array();
  for (int i = 0; i < 4000; ++i) {
    std::string set = pep440_specifier(random);
    if (i % 4 == 0) set = mutated(random, set);
    // Two differences on purpose: "*" is ours, and === needs something to compare with.
    if (set == "*" || set.find("===,") != std::string::npos || set.ends_with("===")) continue;
    // Half of the versions are those that the set names, or what differs little from them.
    for (int near = 0; near < 5; ++near) {
      const std::size_t from = set.find_first_of("v0123456789");
      std::string text =
          from == std::string::npos ? "1" : set.substr(from, set.find(',', from) - from);
      if (text.ends_with(".*")) text.resize(text.size() - 2);
      const char* const tails[] = {"",   "+x",          ".post1", ".dev1",    "a1",
                                   ".0", ".post0.dev1", "-1+5",   "rc1.post2"};
      if (near > 0) text += tails[random.below(std::size(tails))];
      if (near == 4) text = mutated(random, text);
      if (!Version::parse(text, Versioning::pep440)) text = versions[random.below(1500)];
      versions.push_back(text);
      questions.push_back({set, versions.size() - 1});
    }
    for (int far = 0; far < 3; ++far) questions.push_back({set, random.below(versions.size())});
  }
  const Answer answer = ask_oracle(
      "oracle_packaging.py",
      {{"versions", versions}, {"pairs", nlohmann::json::array()}, {"contains", questions}});
  if (!answer.json) {
    WARN("skipped: " << answer.skipped);
    return;
  }
  std::size_t invalid = 0, held = 0, by_rule_only = 0;
  for (std::size_t k = 0; k < questions.size(); ++k) {
    const std::string set = questions[k][0], text = versions[questions[k][1].get<std::size_t>()];
    const auto& expected = (*answer.json)["contains"][k];
    CAPTURE(set, text);
    const auto parsed = SpecifierSet::parse(set, Versioning::pep440);
    REQUIRE(parsed.has_value() == !expected.is_null());
    if (!parsed) {
      ++invalid;
      continue;
    }
    const Version candidate = make_version(text, Versioning::pep440);
    const bool allow = parsed->contains(candidate),
               rule = parsed->contains(candidate, Prereleases::by_rule);
    REQUIRE(allow == expected[0].get<bool>());
    REQUIRE(allow == expected[1].get<bool>());  // a lone pre-release has no alternative
    REQUIRE(rule == expected[2].get<bool>());
    held += allow;
    by_rule_only += allow && !rule;
  }
  // The questions were worth asking.
  CHECK(questions.size() > 30000);
  CHECK(invalid > questions.size() / 20);
  CHECK(held > questions.size() / 5);
  CHECK(held < questions.size() * 4 / 5);
  CHECK(by_rule_only > questions.size() / 50);
}

TEST_CASE("semver specifiers") {
  const auto semver = Versioning::semver;
  check_all("~=1.4", semver, {"1.4.0", "1.9.9", "1.5.0-rc.1", "1.4.0+b"},
            {"1.4.0-rc.1", "2.0.0-a", "2.0.0", "1.3.9"});
  check_all("~=1.4.2", semver, {"1.4.2", "1.4.10"}, {"1.4.1", "1.5.0", "1.5.0-a"});
  check_all("~=1.4.2-rc.1", semver, {"1.4.2-rc.1", "1.4.2", "1.4.3-a"}, {"1.4.2-beta", "1.5.0"});
  check_all("==1.2.*", semver, {"1.2.0", "1.2.3-rc.1", "1.2.99+b"}, {"1.3.0-a", "1.1.9", "1.20.0"});
  check_all("!=1.*", semver, {"0.9.9", "2.0.0-a", "10.0.0"}, {"1.0.0-a", "1.99.0"});
  check_all("==1.2.3", semver, {"1.2.3", "1.2.3+b"}, {"1.2.3-a", "1.2.4"});
  check_all("==1.2", semver, {"1.2.0"}, {"1.2.1"});
  check_all("===1.2.3+B", semver, {"1.2.3+B"}, {"1.2.3+b", "1.2.3"});
  check_all("<1.0.0", semver, {"1.0.0-rc.1", "0.9.9"}, {"1.0.0", "1.0.0+b"});
  check_all(">=1.0.0-beta.2,<1.0.0", semver, {"1.0.0-beta.2", "1.0.0-beta.11"},
            {"1.0.0-beta.1", "1.0.0"});
  CHECK_FALSE(contains(">=1.0.0", "2.0.0-a", semver, Prereleases::by_rule));
  CHECK(contains(">=1.0.0-a", "2.0.0-a", semver, Prereleases::by_rule));
  check_set_error("~=1", semver, 3, "at least two numbers");
  check_set_error("==1.2.3.*", semver, 3, "only 1 or 1.2");
  check_set_error(">1.*", semver, 3, "takes no wildcard");
  check_set_error("==1.2-a", semver, 6, "abbreviated");
  check_set_error("==1.02", semver, 5, "no leading zeros");
}

TEST_CASE("semver and debian specifiers agree with the order of versions") {
  const auto holds = [](const std::string& operation, const Version& a, const Version& b) {
    if (operation == "==") return a == b;
    if (operation == "!=") return a != b;
    if (operation == "<") return a < b;
    if (operation == "<=") return a <= b;
    return operation == ">" ? a > b : a >= b;
  };
  Random random(11);
  for (const auto scheme : {Versioning::semver, Versioning::debian}) {
    const auto generate = [&] {
      return scheme == Versioning::semver ? semver_text(random) : debian_text(random);
    };
    std::string previous = generate();
    for (int i = 0; i < 3000; ++i) {
      std::string text = generate();
      if (i % 3 == 0) {
        const std::string near = mutated(random, previous);
        if (near.find(',') == std::string::npos && Version::parse(near, scheme)) text = near;
      }
      for (const char* operation : {"==", "!=", "<", "<=", ">", ">="}) {
        CAPTURE(previous, operation, text);
        const Version a = make_version(previous, scheme), b = make_version(text, scheme);
        REQUIRE(contains(operation + text, previous, scheme) == holds(operation, a, b));
        REQUIRE(contains(operation + text, text, scheme) == holds(operation, b, b));
      }
      previous = text;
    }
  }
}

TEST_CASE("debian specifiers") {
  const auto debian = Versioning::debian;
  check_all(">=1:2.0-1~bpo12, <1:2.0-2", debian, {"1:2.0-1~bpo12+1", "1:2.0-1"},
            {"2.0-1", "1:2.0-2", "1:2.0-1~a"});
  check_set_error("~=1.0", debian, 1, "debian versions have no ~=; use one of == != <= >= < >");
  check_set_error("==1.0, ===1.0", debian, 8, "debian versions have no ===");
  check_set_error("==1.*", debian, 5, "an upstream version has");
}

TEST_CASE("opaque specifiers") {
  const auto opaque = Versioning::opaque;
  check_all("==v100", opaque, {"v100"}, {"v10", "v1000", "V100"});
  check_all("!=v100,!=a100", opaque, {"h100"}, {"v100", "a100"});
  check_all("===a b", opaque, {"a b"}, {"a"});
  check_set_error(">=v100", opaque, 1, "opaque versions have no >=; use one of == != ===");
  check_set_error("v100", opaque, 1, "a specifier starts with one of == != ===");
}

TEST_CASE("specifier text, copies and mixed schemes") {
  SpecifierSet set = specifier("  >=1.0 , <2 ", Versioning::pep440);
  CHECK(set.text() == ">=1.0 , <2");
  const SpecifierSet copy = set;
  set = specifier("==3.0.0", Versioning::semver);
  CHECK(copy.contains(make_version("1.5", Versioning::pep440)));
  CHECK(set.contains(make_version("3.0.0", Versioning::semver)));
  CHECK_THROWS_AS(set.contains(make_version("3.0.0", Versioning::pep440)), std::invalid_argument);
  CHECK_THROWS_WITH(set.contains(make_version("3.0", Versioning::pep440)),
                    "3.0 (pep440) cannot be held against ==3.0.0 (semver)");
  CHECK(SpecifierSet::any(Versioning::semver).contains(make_version("x", Versioning::opaque)));
}

TEST_CASE("specifiers that leave out much hold for what each of their clauses holds for") {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> clauses;
    const auto number = [&] { return std::to_string(random.below(9)); };
    for (std::size_t k = 1 + random.below(8); k > 0; --k)
      clauses.push_back("!=" + number() + (random.below(2) ? "." + number() : "") + (random.below(2) ? ".*" : ""));
    std::string all;
    for (const auto& clause : clauses) all += clause + ",";
    for (int k = 0; k < 50; ++k) {
      const auto text = number() + "." + number() + (random.below(3) ? "" : ".post1");
      const auto holds = [&](const std::string& one) { return contains(one, text, Versioning::pep440); };
      const bool each = std::ranges::all_of(clauses, holds);
      CAPTURE(all, text);
      REQUIRE(contains(all, text, Versioning::pep440) == each);
    }
  }
}

TEST_CASE("tens of thousands of versions are held against as many that are left out") {
  constexpr int count = 100'000;
  std::string text;
  for (int i = 0; i < count; ++i) text += ",!=1." + std::to_string(i);
  const auto begin = std::clock();
  const auto set = specifier(text, Versioning::pep440);
  int in = 0;
  for (int i = 0; i < count; ++i) {
    in += set.contains(make_version("1." + std::to_string(i), Versioning::pep440));
    in += set.contains(make_version("1." + std::to_string(i) + ".0.1", Versioning::pep440));
  }
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 20);  // else minutes
  CHECK(in == count);
}

TEST_CASE("which versions lie beside all that a set could hold") {
  const auto side = [](const char* text, const char* version) {
    const auto set = specifier(text, Versioning::pep440);
    const auto one = make_version(version, Versioning::pep440);
    return std::string(set.lies_below(one) ? "below" : "") + (set.lies_above(one) ? "above" : "");
  };
  CHECK(side(">=2.4,<2.5", "2.3") == "below");
  CHECK(side(">=2.4,<2.5", "2.4.1").empty());
  CHECK(side(">=2.4,<2.5", "2.5") == "above");
  CHECK(side("==2.4.*", "2.5") == "above");
  CHECK(side("!=2.4", "2.4").empty());
  CHECK(side(">=3,<2", "2.5") == "belowabove");
  CHECK(specifier(">=2,<2", Versioning::pep440).is_impossible());
  CHECK_FALSE(specifier(">=2,<=2", Versioning::pep440).is_impossible());
  CHECK_FALSE(specifier("*", Versioning::pep440).is_impossible());
}
