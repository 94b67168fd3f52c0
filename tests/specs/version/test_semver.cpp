#include <catch2/catch.hpp>
#include <regex>
#include <vector>

#include "specs/random.hpp"
#include "tests/specs/version_checks.hpp"
#include "tests/specs/version_texts.hpp"

using namespace stackx::specs;
using namespace stackx::tests;

namespace semver_oracle {

// The specification's own regular expression (semver.org, "Is there a suggested regular
// expression"), and its section 11 word by word.
const std::regex& grammar() {
  static const std::regex regex(
      R"(^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$)");
  return regex;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool numeric(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

int compare_identifiers(const std::string& a, const std::string& b) {
  if (numeric(a) != numeric(b)) return numeric(a) ? -1 : 1;
  if (numeric(a) && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;  // no leading zeros
  return sign(static_cast<long long>(a.compare(b)));
}

int compare(const std::string& a, const std::string& b) {
  std::smatch x, y;
  REQUIRE(std::regex_match(a, x, grammar()));
  REQUIRE(std::regex_match(b, y, grammar()));
  for (int i = 1; i <= 3; ++i)
    if (const int order = compare_identifiers(x[i], y[i]); order != 0) return order;
  if (!x[4].matched || !y[4].matched) return int(y[4].matched) - int(x[4].matched);
  const auto p = split(x[4]), q = split(y[4]);
  for (std::size_t i = 0; i < std::min(p.size(), q.size()); ++i)
    if (const int order = compare_identifiers(p[i], q[i]); order != 0) return order;
  return sign(static_cast<long long>(p.size()) - static_cast<long long>(q.size()));
}

}  // namespace semver_oracle

TEST_CASE("semver: the precedence of the specification") {
  check_ascending(
      {"0.9.9",        "1.0.0-0",    "1.0.0-9",      "1.0.0-10",      "1.0.0--",
       "1.0.0-0a",     "1.0.0-A",    "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
       "1.0.0-alpha-", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
       "1.0.0",        "1.0.1",      "1.9.0",        "1.10.0",        "2.0.0",
       "2.1.0",        "2.1.1"},
      Versioning::semver);
  check_equal({"1.0.0", "1.0.0+a", "1.0.0+001", "1.0.0+a.-.0"}, Versioning::semver);
  const Version version = make_version("1.0.0-RC.1+5", Versioning::semver);
  CHECK(version.is_prerelease());
  CHECK(version.normal() == "1.0.0-RC.1+5");
  CHECK_FALSE(make_version("1.0.0+a-b", Versioning::semver).is_prerelease());
}

TEST_CASE("semver: errors say what and where") {
  const auto semver = Versioning::semver;
  check_error("", semver, 1, "found the end: a number must stand here");
  check_error("v1.0.0", semver, 1, "found 'v'");
  check_error("1.0", semver, 4, "three numbers");
  check_error("1.0-rc", semver, 4, "three numbers");
  check_error("1.02.3", semver, 3, "no leading zeros");
  check_error("1.2.3.4", semver, 6, "should end here");
  check_error("1.2.3-", semver, 7, "an identifier");
  check_error("1.2.3-a..b", semver, 9, "an identifier");
  check_error("1.2.3-a.01", semver, 9, "no leading zeros");
  check_error("1.2.3+", semver, 7, "an identifier");
  check_error("1.2.3+a+b", semver, 8, "should end here");
}

TEST_CASE("semver: some thousand pairs as the specification orders them") {
  Random random(200);
  std::string previous = semver_text(random);
  int invalid = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = semver_text(random), near = mutated(random, text);
    const bool expected = std::regex_match(near, semver_oracle::grammar());
    CAPTURE(previous, text, near);
    // White space around a version is ours to ignore, not the grammar's.
    if (near.find_first_of(" \t") == std::string::npos)
      REQUIRE(Version::parse(near, Versioning::semver).has_value() == expected);
    const auto check = [](const std::string& a, const std::string& b) {
      const Version left = make_version(a, Versioning::semver),
                    right = make_version(b, Versioning::semver);
      const int order = semver_oracle::compare(a, b);
      REQUIRE(sign(left <=> right) == order);
      REQUIRE(sign(right <=> left) == -order);
      REQUIRE((left == right) == (order == 0));
    };
    check(previous, text);
    if (expected) check(text, near);
    invalid += !expected;
    previous = text;
  }
  REQUIRE(invalid > 500);
  REQUIRE(invalid < 4500);
}
