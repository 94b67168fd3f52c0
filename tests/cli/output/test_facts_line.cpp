#include "cli/output/facts_line.hpp"

#include <catch2/catch.hpp>

#include "workspace/words.hpp"

namespace facts_line_tests {

using namespace stackx;
using Catch::Matchers::Contains;

specs::Catalog as_of(const std::string& day) {
  specs::Catalog catalog;
  catalog.as_of = day;
  return catalog;
}

TEST_CASE("facts: a catalog that has grown old says how to make a new one, which catalog refresh does not") {
  const auto old = cli::facts_lines(as_of("2019-11-08"));
  CHECK_THAT(old, Contains("Facts as of 2019-11-08, ") && Contains(" days old: ") && Contains("stackx catalog import pypi PACKAGE"));
  CHECK_THAT(old, !Contains("refresh"));
  CHECK(cli::facts_warnings(as_of("2019-11-08")) == old);
}

TEST_CASE("facts: today's date warns of nothing") {
  const auto today = workspace::today();
  CHECK(cli::facts_lines(as_of(today)) == "Facts as of " + today + ".\n");
  CHECK(cli::facts_warnings(as_of(today)).empty());
  CHECK(cli::facts_lines(specs::Catalog{}).empty());
}

}  // namespace facts_line_tests
