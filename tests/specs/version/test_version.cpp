#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "tests/specs/version_checks.hpp"

using namespace stackx::specs;
using namespace stackx::tests;

TEST_CASE("numbers of any size do not overflow") {
  const std::string nines(30, '9'), power = "1" + std::string(30, '0');
  check_ascending(
      {"1", "18446744073709551615", "18446744073709551616", "18446744073709551617", nines, power,
       std::string(223, '7'), std::string(224, '7'), std::string(225, '6'), std::string(225, '7'),
       std::string(300, '1'), std::string(70000, '1')},
      Versioning::pep440);
  check_ascending({"1." + nines + ".0", "1." + power + ".0", nines + ".0.0", power + ".0.0"},
                  Versioning::semver);
  check_ascending({"1." + nines, "1." + power, nines + "-" + nines, nines + "-" + power, power,
                   nines + ":0", power + ":0"},
                  Versioning::debian);
  CHECK(make_version("000" + nines, Versioning::pep440).normal() == nines);
}

TEST_CASE("opaque: equality only") {
  const Version a = make_version(" v100-sxm2-16gb ", Versioning::opaque),
                b = make_version("v100", Versioning::opaque);
  CHECK(a.text() == "v100-sxm2-16gb");
  CHECK(a.normal() == a.text());
  CHECK(a != b);
  CHECK((a <=> b) == std::partial_ordering::unordered);
  CHECK((a <=> a) == std::partial_ordering::equivalent);
  CHECK_FALSE(a < b);
  CHECK_FALSE(a > b);
  check_error(" ", Versioning::opaque, 2, "must not be empty");
  CHECK(Version() == Version());
  CHECK(Version() != a);
}

TEST_CASE("versions of two schemes do not compare") {
  const Version a = make_version("1.0.0", Versioning::pep440),
                b = make_version("1.0.0", Versioning::semver);
  CHECK_THROWS_AS(a == b, std::invalid_argument);
  CHECK_THROWS_AS(a <=> b, std::invalid_argument);
  CHECK_THROWS_WITH(a == b,
                    "versions of two schemes do not compare: 1.0.0 (pep440) and 1.0.0 (semver)");
}

TEST_CASE("versions are keys of ordered and hashed containers") {
  const auto pep440 = Versioning::pep440;
  const std::set<Version> ordered = {make_version("1.10", pep440), make_version("1.9", pep440),
                                     make_version("1.9.0", pep440)};
  const std::unordered_set<Version> hashed(ordered.begin(), ordered.end());
  CHECK(ordered.size() == 2);
  CHECK(hashed.size() == 2);
  CHECK(ordered.begin()->text() == "1.9");
  CHECK(hashed.contains(make_version("v1.10.0", pep440)));
}

TEST_CASE("versioning names") {
  for (const auto scheme :
       {Versioning::pep440, Versioning::semver, Versioning::debian, Versioning::opaque})
    CHECK(versioning_from(to_string(scheme)) == scheme);
  REQUIRE_FALSE(versioning_from("calver"));
  CHECK(versioning_from("calver").error() ==
        "unknown versioning \"calver\"; expected pep440, semver, debian or opaque");
}
