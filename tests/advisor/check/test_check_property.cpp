// check() on random worlds against an oracle (oracle.hpp).
#include <catch2/catch.hpp>

#include <fstream>

#include "tests/advisor/check/oracle.hpp"
#include "tests/cases.hpp"

namespace check_property_tests {
namespace {

// As a specifier, for what says which drivers do.
bool says(const std::string& ranges, const Number& driver) {
  if (ranges == "any") return true;
  const auto version = *specs::Version::parse(driver.empty() ? "0" : fmt::format("{}", fmt::join(driver, ".")), specs::Versioning::pep440);
  std::size_t begin = 0;
  while (begin < ranges.size()) {
    const auto end = std::min(ranges.find(" or ", begin), ranges.size());
    const auto range = specs::SpecifierSet::parse(ranges.substr(begin, end - begin), specs::Versioning::pep440);
    REQUIRE(range);
    if (range->contains(version)) return true;
    begin = end + 4;
  }
  return false;
}

std::string contents(const Known& known) {
  std::string all;
  for (const auto& one : std::filesystem::recursive_directory_iterator(known.path())) {
    if (!one.is_regular_file()) continue;
    std::ifstream in(one.path());
    all += one.path().lexically_relative(known.path()).string() + ": " + std::string(std::istreambuf_iterator<char>(in), {}) + "\n";
  }
  return all;
}

std::map<std::string, std::string> held(const World& world, const Checked& checked) {
  std::map<std::string, std::string> result;
  for (const auto& [name, version] : checked.stack.components)
    if (world.packages.contains(name)) result[name] = version;
  return result;
}

Question question_of(const World& world) {
  const auto texts = [](const std::vector<Need>& needs) {
    Texts result;
    for (const auto& one : needs) result.push_back(one.written + one.range.written());
    return result;
  };
  auto result = world.capability.empty() ? question(texts(world.roots)) : on_gpu(texts(world.roots), world.capability, world.driver);
  result.constraints = question(texts(world.constraints)).asked;
  return result;
}

std::string asked_of(const World& world) {
  std::string text = fmt::format("compute capability \"{}\", driver \"{}\":", world.capability, world.driver);
  for (const auto& one : world.roots) text += " " + one.written + one.range.written();
  for (const auto& one : world.constraints) text += " -c " + one.written + one.range.written();
  return text;
}

}  // namespace

TEST_CASE("check: random worlds, as brute force has them") {
  std::map<Answer, int> seen;
  const auto count = stackx::test::cases(300, 5000);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Known known;
    const auto world = Maker(specs::derive_seed(7, "check", seed), known).run();
    const auto expected = Oracle(world).run();
    const auto files = contents(known), asked = asked_of(world);
    CAPTURE(seed, files, asked);
    Checked checked;
    REQUIRE_NOTHROW(checked = known.check(question_of(world)));
    CAPTURE(checked.text, checked.because);
    ++seen[expected.answer];
    if (expected.of_no_release)  // which of the two is test_contradiction.cpp's
      REQUIRE(checked.answer != Answer::yes);
    else
      REQUIRE(std::string(to_string(checked.answer)) == to_string(expected.answer));
    REQUIRE(held(world, checked) == expected.chosen);
    if (expected.answer != Answer::yes || world.capability.empty() || !world.driver.empty()) continue;
    CAPTURE(checked.driver);
    for (const auto& driver : Oracle::tried_drivers()) {
      CAPTURE(driver);
      REQUIRE(says(checked.driver, driver) == (std::ranges::find(expected.drivers, driver) != expected.drivers.end()));
    }
  }
  // The worlds are worth asking about.
  for (const auto answer : {Answer::yes, Answer::no, Answer::unknown}) {
    CAPTURE(to_string(answer));
    CHECK(seen[answer] > static_cast<int>(count) / 20);
  }
}

}  // namespace check_property_tests
