#include "tests/specs/version_checks.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace stackx::tests {

using namespace specs;

Version make_version(const std::string& text, Versioning scheme) {
  const auto version = Version::parse(text, scheme);
  if (!version) throw std::runtime_error(text + ": " + version.error().reason);
  return *version;
}

int sign(std::partial_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }
int sign(long long order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

void check_ascending(const std::vector<std::string>& texts, Versioning scheme) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < texts.size(); ++j) {
      CAPTURE(texts[i], texts[j]);
      const Version a = make_version(texts[i], scheme), b = make_version(texts[j], scheme);
      CHECK(sign(a <=> b) == sign(static_cast<long long>(i) - static_cast<long long>(j)));
      CHECK((a == b) == (i == j));
    }
}

void check_equal(const std::vector<std::string>& texts, Versioning scheme) {
  const Version first = make_version(texts.front(), scheme);
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Version version = make_version(text, scheme);
    CHECK(version == first);
    CHECK((version <=> first) == std::partial_ordering::equivalent);
    CHECK(std::hash<Version>()(version) == std::hash<Version>()(first));
  }
}

void check_error(const std::string& text, Versioning scheme, std::size_t column,
                 const std::string& part) {
  CAPTURE(text);
  const auto version = Version::parse(text, scheme);
  REQUIRE_FALSE(version);
  CHECK(version.error().column == column);
  CHECK_THAT(version.error().reason, Catch::Contains(part));
}

}  // namespace stackx::tests
