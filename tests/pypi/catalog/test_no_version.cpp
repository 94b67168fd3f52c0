// What is said of a project of which no version can be had.
#include "pypi/catalog/no_version.hpp"

#include <catch2/catch.hpp>

using namespace stackx;
using namespace stackx::pypi;

namespace {

Ranges ranges_of(const std::vector<std::string>& texts) {
  Ranges result;
  for (const auto& text : texts) result.push_back(*specs::SpecifierSet::parse(text, specs::Versioning::pep440));
  return result;
}

const std::string outside = "outside of the range asked for";

Project project_of(const std::vector<LeftOut>& left_out) {
  Project project;
  project.known = true;
  project.left_out = left_out;
  return project;
}

std::string why(const std::vector<std::string>& asked, const std::vector<LeftOut>& left_out) {
  return why_no_version("click", ranges_of(asked), project_of(left_out));
}

}  // namespace

TEST_CASE("no version: nothing is in the range, and the nearest are named, on both sides of what it names") {
  const std::vector<LeftOut> all{{"1.0", outside}, {"2.0", outside}, {"10.0", outside}, {"8.0", outside}, {"9.0", outside}};
  CHECK(why({"==99"}, all) == "click==99: the index has no such version; nearest are 10.0, 9.0, 8.0 (of 5)");
  CHECK(why({"<0.5"}, all) == "click<0.5: the index has no such version; nearest are 8.0, 2.0, 1.0 (of 5)");
  CHECK(why({">=8.1,<8.9"}, all) == "click>=8.1,<8.9: the index has no such version; nearest are 10.0, 9.0, 8.0, 2.0, 1.0");
  CHECK(why({"==7.*"}, {{"1.0", outside}}) == "click==7.*: the index has no such version; nearest is 1.0");
  CHECK(why({"==3", ">=4,<5"}, {{"1.0", outside}}) == "click==3 or click>=4,<5: the index has no such version; nearest is 1.0");
}

TEST_CASE("no version: those in the range are left out, and why is counted") {
  CHECK(why({">=8"}, {{"7.0", outside}, {"8.0", "needs another Python"}, {"8.1", "needs another Python"}, {"9.0", "yanked"}}) ==
        "click>=8: no version can be used: 2 needs another Python; 1 yanked; newest 9.0");
  CHECK(why({}, {{"1.0", "no wheel for the target"}}) == "click: no version can be used: 1 no wheel for the target; newest 1.0");
  CHECK(why({"*"}, {{"click-1.whl", "no version"}}) == "click: no version can be used: 1 no version");
}

TEST_CASE("no version: an empty page, and one that could not be read") {
  CHECK(why({"==1"}, {}) == "click==1: the index lists no version of it");
  Project unread;
  unread.fault = "the page is larger than 64 MiB";
  CHECK(why_no_version("click", {}, unread) == "click: the page is larger than 64 MiB");
}
