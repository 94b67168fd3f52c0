// Which Pythons a target stands for.
#include <catch2/catch.hpp>

#include "specs/python/wheel_target.hpp"

namespace stackx::specs {

TEST_CASE("wheel target: a series of Python is any of its releases, a release is that one") {
  const auto is_within = [](const char* python, const char* range) {
    return Target(python, "linux x86_64").is_within(*SpecifierSet::parse(range, Versioning::pep440));
  };
  for (const char* range : {">=3.6.2", ">=3.6.1,<4", "==3.6.*", "==3.6.5", ">=3.6.3,<3.6.5", "<=3.6", "!=3.6.0,!=3.6.1", ">=2.7,!=3.5.*"})
    CHECK(is_within("3.6", range));
  for (const char* range : {">=3.7", "<3.6", "==3.5.*", "!=3.6.*"}) CHECK_FALSE(is_within("3.6", range));
  CHECK(is_within("3.6.8", ">=3.6.2"));
  CHECK_FALSE(is_within("3.6.0", ">=3.6.2"));
  CHECK_FALSE(is_within("3.6.8", "==3.6.5"));
}

}  // namespace stackx::specs
