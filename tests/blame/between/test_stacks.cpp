// What lies between two stacks of a catalog: the rules against the resolver's own word on every state.
#include <catch2/catch.hpp>

#include <algorithm>

#include "blame/between/stacks.hpp"
#include "resolver/resolver.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "tests/blame/between/groups_in_words.hpp"
#include "tests/cases.hpp"

namespace between_stacks_tests {

using namespace stackx;
using namespace stackx::blame;
using test::message;
using test::names;
using test::Names;
using specs::Json;

namespace {

struct Space {
  specs::Catalog catalog;
  specs::Project project;
};

Space space(Json components, const Json& requires_, const Json& hardware = Json::object()) {
  for (auto& component : components)
    if (!component.contains("kind")) component["kind"] = "package";
  Space result;
  result.catalog = specs::parse_catalog(
      specs::Node::parse_text(Json{{"$schema", "stackx/catalog/1"}, {"components", components}}.dump(), "catalog.json"));
  result.project = specs::parse_project(
      specs::Node::parse_text(
          Json{{"$schema", "stackx/project/1"}, {"name", "test"}, {"catalogs", {"c"}}, {"requires", requires_}, {"hardware", hardware}}.dump(),
          "project.json"),
      result.catalog);
  return result;
}

specs::Stack stack_of(const Between& all, const specs::Stack& old_stack, std::size_t state) {
  auto stack = old_stack;
  for (std::size_t i = 0; i < all.changes.size(); ++i) {
    const auto& version = all.changes[i].version(state >> i & 1);
    if (version.empty())
      stack.components.erase(all.changes[i].component);
    else
      stack.components[all.changes[i].component] = version;
  }
  return stack;
}

// Where a group is new, so are those that it needs; and its changes are all old, or all new.
bool is_closed(const Between& all, std::size_t state) {
  const auto is_new = [&](std::size_t group) { return (state >> all.groups[group].changes.front() & 1) != 0; };
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    for (const auto i : all.groups[g].changes)
      if ((state >> i & 1) != is_new(g)) return false;
    for (const auto other : all.groups[g].needs)
      if (is_new(g) && !is_new(other)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("between stacks: a library for another, its setting, and the image") {
  const auto all = space(
      {{"cpu", {{"kind", "hardware"}, {"versioning", "opaque"}, {"versions", {{"here", Json::object()}}}}},
       {"image", {{"kind", "image"}, {"versioning", "opaque"}, {"versions", {{"bullseye", Json::object()}, {"bookworm", Json::object()}}}}},
       {"openblas", {{"versions", {{"0.3.21", {{"provides", {{"blas", "0.3.21"}}}, {"requires", {{"coretype", "*"}}}}}}}}},
       {"mkl", {{"versions", {{"2024.2", {{"provides", {{"blas", "2024.2"}}}, {"requires", {{"image", "==bookworm"}}}}}}}}},
       {"coretype", {{"kind", "setting"}, {"versioning", "opaque"}, {"versions", {{"Haswell", Json::object()}}}}},
       {"numpy", {{"versions", {{"1.26", {{"requires", {{"blas", "*"}}}}}, {"2.0", {{"requires", {{"blas", "*"}}}}}}}}}},
      {{"numpy", "*"}, {"image", "*"}}, {{"cpu", "here"}});
  const specs::Stack old_stack{
      {{"cpu", "elsewhere"}, {"image", "bullseye"}, {"openblas", "0.3.21"}, {"coretype", "Haswell"}, {"numpy", "1.26"}}};
  const specs::Stack new_stack{{{"cpu", "here"}, {"image", "bookworm"}, {"mkl", "2024.2"}, {"numpy", "2.0"}}};
  const auto found = between_stacks(old_stack, new_stack, all.project, all.catalog);
  CHECK(names(found) == Names{{"image"}, {"mkl", "coretype", "openblas"}, {"numpy"}});
  CHECK(found.groups[1].needs == std::vector<std::size_t>{0});
  CHECK(found.valid_stacks == "6");
  CHECK(found.notes.empty());
  const auto mixed = found.stack({true, true, false});
  CHECK(mixed.components == std::map<std::string, std::string>{{"cpu", "here"}, {"image", "bookworm"}, {"mkl", "2024.2"}, {"numpy", "1.26"}});
  CHECK_FALSE(resolver::violation(found.project, found.catalog, mixed));
  CHECK(found.catalog.find("mkl")->find("2024.2")->provides.contains("blas"));
}

TEST_CASE("between stacks: what the catalog does not have is told by its name") {
  const auto all = space({{"numpy", {{"versions", {{"1.26", Json::object()}, {"2.0", Json::object()}}}}},
                          {"scipy", {{"versions", {{"1", Json::object()}}}}}}, {{"numpy", "*"}});
  const auto said = [&](const specs::Stack& a, const specs::Stack& b) {
    return message([&] { between_stacks(a, b, all.project, all.catalog); });
  };
  CHECK_THAT(said({{{"numpi", "1.26"}}}, {{{"numpy", "2.0"}}}), Catch::Matchers::Contains("declares numpi; did you mean \"numpy\"?"));
  CHECK_THAT(said({{{"numpy", "1.26"}}}, {{{"numpy", "2.00.1"}}}), Catch::Matchers::Contains("there is no version 2.00.1 of numpy"));
  CHECK_THAT(said({{{"numpy", "1.26"}}}, {{{"scipy", "1"}}}), Catch::Matchers::Contains("no component in common"));
}

TEST_CASE("between stacks: a stack of another day's catalog is told what it breaks") {
  const auto all = space({{"a", {{"versions", {{"1", {{"requires", {{"b", ">=2"}}}}}, {"2", Json::object()}}}}},
                          {"b", {{"versions", {{"1", Json::object()}, {"2", Json::object()}}}}}}, {{"a", "*"}, {"b", "*"}});
  const auto found = between_stacks({{{"a", "1"}, {"b", "1"}}}, {{{"a", "2"}, {"b", "2"}}}, all.project, all.catalog);
  CHECK(found.notes == std::vector<std::string>{"the old stack breaks: a 1 requires b >=2; nothing is held to it"});
  CHECK(found.valid_stacks == "4");
}

namespace {

// Components c0.. at versions 1 and 2, of which some provide v; requirements of all kinds.
Space made_up_space(specs::Random& random) {
  Json components = Json::object(), roots = Json::object();
  const auto count = 4 + random.below(6);
  const auto name = [](std::uint64_t i) { return "c" + std::to_string(i); };
  const auto range = [&]() -> Json {
    static constexpr const char* ranges[] = {"*", "==1", ">=2", "<2"};
    return ranges[random.below(4)];
  };
  components["vendor"] = {{"versions", {{"1", {{"provides", {{"v", "1"}}}}}}}};
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto other = [&] { return random.below(6) == 0 ? "v" : name((i + 1 + random.below(count - 1)) % count); };
    Json versions = Json::object();
    for (const char* version : {"1", "2"}) {
      Json entry = Json::object();
      for (auto left = random.below(3); left > 0; --left) entry["requires"][other()] = range();
      if (random.below(4) == 0) entry["requires_if"] = {{{"if", {{other(), range()}}}, {"then", {{other(), range()}}}}};
      if (random.below(5) == 0) entry["conflicts"][other()] = range();
      if (random.below(5) == 0) entry["provides"]["v"] = version;
      versions[version] = entry;
    }
    components[name(i)] = {{"versions", versions}};
    if (random.below(4) != 0) roots[name(i)] = "*";
  }
  if (roots.empty() || random.below(4) == 0) roots["v"] = "*";
  return space(components, roots);
}

}  // namespace

TEST_CASE("between stacks: every state that is closed is valid in the catalog, and the resolver counts these") {
  std::size_t cases = 0, closed = 0, valid = 0, changes = 0;
  for (std::uint64_t seed = 1; cases < test::cases(300, 5'000); ++seed) {
    specs::Random random(seed);
    const auto all = made_up_space(random);
    const resolver::Resolver resolver(all.project, all.catalog);
    if (resolver.count() < 2) continue;
    const auto ends = resolver.apart(2, seed);
    INFO("seed " << seed << " old " << ends[0].id() << " new " << ends[1].id());
    Between found;
    try {
      found = between_stacks(ends[0], ends[1], all.project, all.catalog);
    } catch (const Error&) {  // nothing in common
      continue;
    }
    ++cases;
    REQUIRE(found.notes.empty());  // both are valid
    std::size_t count = 0;
    for (std::size_t state = 0; state < std::size_t{1} << found.changes.size(); ++state) {
      const auto stack = stack_of(found, ends[0], state);
      const auto wrong = resolver::violation(all.project, all.catalog, stack);
      // What is at one end alone may stand there for nobody.
      const bool is_valid = !wrong || wrong->starts_with("nothing needs");
      valid += is_valid;
      const bool is_ours = is_closed(found, state);
      INFO("state " << state << ": " << wrong.value_or("valid"));
      REQUIRE(resolver::violation(found.project, found.catalog, stack).has_value() == !is_ours);
      if (!is_ours) continue;
      ++count;
      REQUIRE(is_valid);
    }
    REQUIRE(found.valid_stacks == std::to_string(count));
    closed += count;
    changes += found.changes.size();
  }
  CHECK(changes > cases * 5 / 2);
  CHECK(closed > valid * 3 / 4);  // stricter, but not by much
  CHECK(closed > cases * 3);
}

}  // namespace between_stacks_tests
