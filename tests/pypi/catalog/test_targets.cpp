// The Pythons of one import: their order, their ranges, and which cannot stand together.
#include "pypi/catalog/targets.hpp"

#include <catch2/catch.hpp>

#include "specs/error.hpp"

using namespace stackx;
using pypi::Targets;

namespace {

bool fits(const specs::Target& target, const std::string& tags) {
  const auto name = specs::parse_file_name("a-1-" + tags + ".whl", "a");
  REQUIRE(name);
  return target.rank(*name->wheel).has_value();
}

}  // namespace

TEST_CASE("targets stand oldest first, as numbers", "[pypi]") {
  const Targets targets({"3.13", "2.7", "3.9.2"}, "manylinux_2_31_x86_64");
  CHECK(targets.text() == "CPython 2.7, 3.9.2, 3.13 on Linux x86_64 with glibc 2.31");
  CHECK(targets.ranges({0, 1, 2}) == std::vector<std::string>{"==2.7.*", "==3.9.*", "==3.13.*"});
  CHECK(Targets({"3.7"}, "linux x86_64").text() == specs::Target("3.7", "linux x86_64").text());
}

TEST_CASE("Pythons that wheels do not tell apart are refused", "[pypi]") {
  CHECK_THROWS_AS(Targets({"3.9", "3.9.18"}, "linux x86_64"), Error);
  CHECK_THROWS_AS(Targets({"3.9", "3.9"}, "linux x86_64"), Error);
  CHECK_THROWS_AS(Targets({"3.9", "three"}, "linux x86_64"), Error);
  CHECK_THROWS_AS(Targets({}, "linux x86_64"), Error);
}

TEST_CASE("Python 2 is wide on Linux and narrow elsewhere", "[pypi]") {
  const specs::Target linux("2.7", "manylinux_2_31_x86_64"), mac("2.7", "macos x86_64");
  CHECK(fits(linux, "cp27-cp27mu-manylinux1_x86_64"));
  CHECK_FALSE(fits(linux, "cp27-cp27m-manylinux1_x86_64"));
  CHECK(fits(mac, "cp27-cp27m-macosx_10_9_x86_64"));
  CHECK_FALSE(fits(mac, "cp27-cp27mu-macosx_10_9_x86_64"));
  CHECK(fits(linux, "py2.py3-none-any"));
  CHECK_FALSE(fits(linux, "cp27-cp27mu-manylinux_2_34_x86_64"));
  CHECK(fits(specs::Target("3.6", "linux x86_64"), "cp36-cp36m-manylinux1_x86_64"));
}
