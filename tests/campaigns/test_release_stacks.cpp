#include "campaigns/release_stacks.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "campaigns/python_project.hpp"
#include "specs/format/json.hpp"

namespace release_stacks_tests {

using namespace stackx;
using Texts = std::vector<std::string>;

namespace {

// a 1 to 3, b 1 to 3 (b 3 requires a >=2); both bring c, which a 1 takes only below 3.
specs::Catalog catalog() {
  return specs::parse_catalog(specs::Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "python": {"kind": "runtime", "versions": {"3.11": {}}},
    "a": {"kind": "package", "versions": {"1": {"requires": {"c": "<3"}}, "2": {"requires": {"c": "*"}}, "3": {"requires": {"c": "*"}}}},
    "b": {"kind": "package", "versions": {"1": {}, "2": {}, "3": {"requires": {"a": ">=2"}}}},
    "c": {"kind": "package", "versions": {"1": {}, "2": {}, "3": {}, "4": {}}}}})", "c.json"));
}

Texts stacks_of(const std::vector<std::string>& asked, std::uint64_t count = 20, std::uint64_t seed = 0) {
  const auto all = catalog();
  specs::Project project;
  project.name = "test";
  project.campaign.sampler.count = count;
  project.campaign.sampler.seed = seed;
  for (const auto& name : asked)
    project.requires_.push_back(specs::parse_requirement(name, specs::Node::parse_text("\"*\"", "a version"), specs::Versioning::pep440));
  const resolver::Resolver resolver(project, all);
  Texts texts;
  for (const auto& stack : campaigns::release_stacks(resolver, project)) {
    CHECK_FALSE(resolver::violation(project, all, stack));
    std::string text;
    for (const auto& [name, version] : stack.components) text += (text.empty() ? "" : " ") + name + version;
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("release stacks: one for each release, with the newest of everything else") {
  CHECK(stacks_of({"a"}) == Texts{"a3 c4", "a2 c4", "a1 c2"});
  CHECK(stacks_of({"a", "python"}) == Texts{"a3 c4 python3.11", "a2 c4 python3.11", "a1 c2 python3.11"});
  CHECK(stacks_of({"c"}) == Texts{"c4", "c3", "c2", "c1"});
}

TEST_CASE("release stacks: of several packages, their combinations that are valid") {
  const auto all = stacks_of({"a", "b"});
  CHECK(all.size() == 8);
  CHECK(all.front() == "a3 b3 c4");
  CHECK(std::ranges::count(all, "a1 b3 c2") == 0);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 8);
}

TEST_CASE("release stacks: of more than are wanted the newest, and others by the seed") {
  std::set<Texts> drawn;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto some = stacks_of({"a", "b"}, 3, seed);
    CHECK(some.size() == 3);
    CHECK(some.front() == "a3 b3 c4");
    CHECK(stacks_of({"a", "b"}, 3, seed) == some);
    drawn.insert(some);
  }
  CHECK(drawn.size() > 3);
  CHECK(stacks_of({"a"}, 1) == Texts{"a3 c4"});
}

TEST_CASE("python project: which packages an index has with CUDA") {
  using campaigns::brings_cuda;
  CHECK(brings_cuda("torch", {}, "*"));
  CHECK(brings_cuda("torch", {}, "==2.6.0+cu124"));
  CHECK_FALSE(brings_cuda("torch", {}, "==2.6.0+cpu"));
  CHECK(brings_cuda("jax", {"cuda12"}, "*"));
  CHECK_FALSE(brings_cuda("jax", {}, "*"));
  CHECK(brings_cuda("tensorflow", {"and-cuda"}, "*"));
  CHECK(brings_cuda("onnxruntime-gpu", {}, "*"));
  CHECK_FALSE(brings_cuda("numpy", {}, "*"));
}

}  // namespace release_stacks_tests
