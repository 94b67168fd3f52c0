#include <catch2/catch.hpp>

#include "advisor/valid_space.hpp"
#include "specs/format/json.hpp"

using namespace stackx;
using namespace stackx::advisor;
using Catch::Matchers::Contains;

namespace {

ValidSpace space() {
  auto catalog = specs::parse_catalog(
      specs::Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"v100": {"attributes": {"compute_capability": "7.0"}}}},
    "cuda": {"kind": "runtime", "versions": {"10.0.130": {}, "10.1.243": {},
      "13.0.0": {"requires": {"gpu.compute_capability": ">=7.5"}}, "13.1.0": {"requires": {"gpu.compute_capability": ">=7.5"}}}},
    "torch": {"kind": "package", "ecosystem": "pypi", "versions": {
      "1.0": {"requires": {"cuda": "==10.0.*"}}, "1.2": {"requires": {"cuda": "==10.1.*"}},
      "2.9": {"requires": {"cuda": ">=13"}}}}}})",
                              "c.json"));
  auto project = specs::parse_project(
      specs::Node::parse_text(R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json"],
        "hardware": {"gpu": "v100"}, "requires": {"torch": "*"}})",
                              "p.json"),
      catalog);
  return {std::move(project), std::move(catalog)};
}

}  // namespace

TEST_CASE("agreement: leading numbers of versions", "[valid-space]") {
  CHECK(agreement("9.0.103", "9.0.176") == 2);
  CHECK(agreement("7", "7.6.2") == 1);
  CHECK(agreement("1.0", "2.0") == 0);
  CHECK(agreement("10.1", "1.10") == 0);
  CHECK(agreement("7.6.2", "7.6.2") > agreement("7.6.2", "7.6.2.24"));
  CHECK(agreement("", "1.0") == 0);
}

TEST_CASE("valid space: the newest, and what keeps newer ones out", "[valid-space]") {
  const auto valid = space();
  CHECK(valid.count() == 2);
  CHECK(valid.possible("cuda") == std::vector<std::string>{"10.0.130", "10.1.243"});
  CHECK(valid.possible("nowhere").empty());
  const auto newest = valid.newest();
  REQUIRE(newest.size() == 2);  // the GPU has no newest
  CHECK(newest[0].component == "cuda");
  CHECK(newest[0].version == "10.1.243");
  CHECK(newest[0].newer == 2);
  CHECK(newest[0].first_out == "13.0.0");
  CHECK_THAT(newest[0].why, Contains("cuda 13.0.0 needs gpu.compute_capability >=7.5"));
  CHECK(newest[1].version == "1.2");
  CHECK_THAT(newest[1].why, Contains("torch 2.9 needs cuda >=13"));
}

TEST_CASE("valid space: the nearest stack says what differs and what is unknown", "[valid-space]") {
  const auto valid = space();
  specs::Stack named;
  named.components = {{"cuda", "10.0.999"}, {"magic", "1"}};
  const auto nearest = valid.nearest(named);
  CHECK(nearest.stack.components.at("cuda") == "10.0.130");
  CHECK(nearest.stack.components.at("torch") == "1.0");
  CHECK(nearest.unknown == std::vector<std::string>{"magic 1"});
  REQUIRE(nearest.differs.size() == 1);
  CHECK(nearest.differs.at("cuda") == std::pair<std::string, std::string>{"10.0.999", "10.0.130"});
  // What computes decides before CUDA.
  named.components = {{"torch", "1.2"}, {"cuda", "10.0.130"}};
  CHECK(valid.nearest(named).stack.components.at("cuda") == "10.1.243");
}

TEST_CASE("valid space: the latest with a library, and the one before", "[valid-space]") {
  const auto valid = space();
  specs::Stack old;
  old.components = {{"torch", "1.0"}};
  CHECK(ValidSpace::library_of(old) == "torch");
  CHECK(valid.latest_like(old).components.at("torch") == "1.2");
  CHECK(valid.latest_before(old) == old);  // there is but one major version
}
