// Input: a versioning, then a version a line. Each is parsed and, if valid, compared with the two
// before it.
#include "tests/fuzz/lines.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

void check_one(const Version& version, Versioning scheme) {
  const std::string normal = version.normal();
  const auto again = Version::parse(normal, scheme);
  require(again.has_value(), "the normal form parses");
  require(*again == version, "the normal form is the same version");
  require(again->normal() == normal, "the normal form of the normal form is itself");
  require(again->is_prerelease() == version.is_prerelease(),
          "the normal form is as much a pre-release");
  const auto written = Version::parse(version.text(), scheme);
  require(written && *written == version, "the text is the same version");
}

void check_pair(const Version& a, const Version& b) {
  const auto forward = a <=> b, backward = b <=> a;
  require((forward < 0) == (backward > 0) && (forward > 0) == (backward < 0),
          "the order is antisymmetric");
  require((a == b) == (forward == 0) && (a == b) == (b == a), "equality is that of the order");
  require(a != b || std::hash<Version>()(a) == std::hash<Version>()(b),
          "equal versions hash alike");
}

void check_three(const Version& a, const Version& b, const Version& c) {
  require(!(a <= b && b <= c) || a <= c, "the order is transitive");
  require(!(a >= b && b >= c) || a >= c, "the order is transitive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto texts = lines(data, size);
  if (texts.empty()) return 0;
  const Versioning scheme = versioning(texts[0]);
  std::vector<Version> versions;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const auto version = Version::parse(texts[i], scheme);
    if (!version) {
      check_error(version.error(), texts[i]);
      continue;
    }
    check_one(*version, scheme);
    versions.push_back(*version);
    const std::size_t last = versions.size() - 1;
    if (last >= 1) check_pair(versions[last - 1], versions[last]);
    if (last >= 2) check_three(versions[last - 2], versions[last - 1], versions[last]);
  }
  return 0;
}
