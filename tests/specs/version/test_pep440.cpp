#include <catch2/catch.hpp>
#include <vector>

#include "specs/random.hpp"
#include "tests/specs/oracle.hpp"
#include "tests/specs/version_checks.hpp"
#include "tests/specs/version_texts.hpp"

using namespace stackx::specs;
using namespace stackx::tests;

TEST_CASE("pep440: the order of the specification") {
  check_ascending({"0",
                   "0.0.1.dev0",
                   "1.dev0",
                   "1.0.dev456",
                   "1.0a1.dev1",
                   "1.0a1",
                   "1.0a2.dev456",
                   "1.0a12.dev456",
                   "1.0a12",
                   "1.0b1.dev456",
                   "1.0b2",
                   "1.0b2.post345.dev456",
                   "1.0b2.post345",
                   "1.0rc1.dev456",
                   "1.0rc1",
                   "1.0",
                   "1.0+a",
                   "1.0+abc.5",
                   "1.0+abc.7",
                   "1.0+b",
                   "1.0+5",
                   "1.0+5.a",
                   "1.0+5.0",
                   "1.0+10",
                   "1.0.post0.dev3",
                   "1.0.post0",
                   "1.0.post456.dev34",
                   "1.0.post456",
                   "1.0.1",
                   "1.1.dev1",
                   "1.9",
                   "1.10",
                   "2013.10",
                   "1!0.1",
                   "1!1.0b2.post345.dev456",
                   "10!0"},
                  Versioning::pep440);
}

TEST_CASE("pep440: spellings of one version") {
  check_equal({"1.0rc1", "1.0RC1", "v1.0c1", "1.0.0-pre_1", "0!1.0.PREVIEW.01", " 1.0-rc-1\n"},
              Versioning::pep440);
  check_equal({"1.0.post5", "1.0-5", "1.0-r5", "1.0_REV.05", "1.0.POST-5"}, Versioning::pep440);
  check_equal({"1.0a0.dev3", "1.0a.dev3", "1.0alpha_dev3"}, Versioning::pep440);
  check_equal({"1", "1.0", "1.0.0.00"}, Versioning::pep440);
  check_equal({"0", "0.0", "000!0"}, Versioning::pep440);
  check_equal({"1+ubuntu.1", "1.0+UBUNTU-01", "1.0+ubuntu_1"}, Versioning::pep440);
}

TEST_CASE("pep440: normal form, text and pre-release") {
  const auto [text, normal, prerelease] = GENERATE(table<std::string, std::string, bool>({
      {"1.0RC1", "1.0rc1", true},
      {"00.1", "0.1", false},
      {"v1.0.POST-5", "1.0.post5", false},
      {"1.0.0", "1.0.0", false},
      {"1.0a.dev3", "1.0a0.dev3", true},
      {"1.0-5", "1.0.post5", false},
      {"01!2.0", "1!2.0", false},
      {"0!2", "2", false},
      {"1+local.0a_007", "1+local.0a.7", false},
      {"1.0.dev", "1.0.dev0", true},
      {"1.0.post1.dev2", "1.0.post1.dev2", true},
      {"1.0a--5", "1.0a0.post5", true},
  }));
  CAPTURE(text);
  const Version version = make_version("  " + text + " ", Versioning::pep440);
  CHECK(version.normal() == normal);
  CHECK(version.text() == text);
  CHECK(version.is_prerelease() == prerelease);
  CHECK(version.scheme() == Versioning::pep440);
  CHECK(make_version(normal, Versioning::pep440).normal() == normal);
}

TEST_CASE("pep440: errors say what and where") {
  const auto pep440 = Versioning::pep440;
  check_error("", pep440, 1, "found the end: a version starts with a number");
  check_error("  x1", pep440, 3, "found 'x': a version starts with a number");
  check_error("v", pep440, 2, "found the end");
  check_error("1!", pep440, 3, "after the epoch");
  check_error("1!2!3", pep440, 4, "should end here");
  check_error("1..0", pep440, 2, "should end here");
  check_error("1.0-foo", pep440, 4, "should end here");
  check_error("1.0+", pep440, 5, "letters or digits must follow");
  check_error("1.0+a..b", pep440, 7, "found '.'");
  check_error("1.0 1", pep440, 4, "found ' '");
  check_error("1.0.dev1.post1", pep440, 9, "in this order");
  check_error("1.0\xc3\xa9", pep440, 4, "found byte 0xc3");
  check_error(std::string("1.0\0", 4), pep440, 4, "found byte 0x00");
}

TEST_CASE("pep440: some thousand versions and pairs as PyPI's packaging has them") {
  Random random(440);
  std::vector<std::string> texts;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = pep440_text(random);
    texts.push_back(text);
    texts.push_back(mutated(random, text));
  }
  nlohmann::json pairs = nlohmann::json::array();
  std::vector<std::size_t> valid;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!Version::parse(texts[i], Versioning::pep440)) continue;
    if (!valid.empty()) {
      pairs.push_back({valid.back(), i});  // often a version and its mutation
      pairs.push_back({valid[random.below(valid.size())], i});
    }
    valid.push_back(i);
  }
  REQUIRE(valid.size() > 4000);
  REQUIRE(valid.size() < texts.size() - 1000);

  const Answer answer =
      ask_oracle("oracle_packaging.py",
                 {{"versions", texts}, {"pairs", pairs}, {"contains", nlohmann::json::array()}});
  if (!answer.json) {
    WARN("skipped: " << answer.skipped);
    return;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i]);
    const auto version = Version::parse(texts[i], Versioning::pep440);
    const auto& expected = (*answer.json)["versions"][i];
    REQUIRE(version.has_value() == !expected.is_null());
    if (!version) continue;
    REQUIRE(version->normal() == expected[0].get<std::string>());
    REQUIRE(version->is_prerelease() == expected[1].get<bool>());
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::string a = texts[pairs[k][0].get<std::size_t>()],
                      b = texts[pairs[k][1].get<std::size_t>()];
    CAPTURE(a, b);
    const Version left = make_version(a, Versioning::pep440),
                  right = make_version(b, Versioning::pep440);
    const int expected = (*answer.json)["pairs"][k].get<int>();
    REQUIRE(sign(left <=> right) == expected);
    REQUIRE(sign(right <=> left) == -expected);
    REQUIRE((left == right) == (expected == 0));
  }
}
