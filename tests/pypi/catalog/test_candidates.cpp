// Which files of a page serve which targets.
#include "pypi/catalog/candidates.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace stackx;
using namespace stackx::pypi;

namespace {

File file(const std::string& name, const std::string& requires_python = "", bool yanked = false) {
  File result;
  result.name = name;
  result.requires_python = requires_python;
  result.yanked = yanked;
  return result;
}

Ranges ranges(const std::vector<std::string>& texts) {
  Ranges result;
  for (const auto& text : texts)
    result.push_back(*specs::SpecifierSet::parse(text, specs::Versioning::pep440));
  return result;
}

// "1.0: 0 wheel, 1 sdist"
std::vector<std::string> shown(const Candidates& candidates) {
  std::vector<std::string> result;
  for (const auto& one : candidates.kept) {
    std::string text = one.version.text() + ":";
    for (const auto& serving : one.servings)
      text += fmt::format(" {} {}", serving.target,
                          serving.fits ? serving.file.name.substr(serving.file.name.find('-', 2) + 1, 5)
                                       : serving.source ? "source" : "none");
    for (const auto& python : one.pythons) text += " only " + python;
    if (one.by_name != specs::ByName::no) text += fmt::format(" by name ({})", to_string(one.by_name));
    result.push_back(text);
  }
  return result;
}

std::vector<std::string> reasons(const Candidates& candidates) {
  std::vector<std::string> result;
  for (const auto& one : candidates.left_out) result.push_back(one.version + ": " + one.reason);
  return result;
}

const Listing kListing{{file("a-1.0-cp39-cp39-manylinux1_x86_64.whl"), file("a-1.0.tar.gz"),
                        file("a-2.0-cp39-cp39-manylinux1_x86_64.whl"),
                        file("a-2.0-cp311-cp311-manylinux1_x86_64.whl"),
                        file("a-3.0-py3-none-any.whl", ">=3.10"),
                        file("a-4.0-cp310-cp310-manylinux1_x86_64.whl"),
                        file("a-5.0-py3-none-any.whl", ">=3.12", false),
                        file("a-6.0-py3-none-any.whl", "", true), file("a-7.0rc1-py3-none-any.whl")}};
const Targets kTargets({"3.9", "3.11"}, "linux x86_64");
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a version is kept if it serves a target", "[pypi]") {
  const auto found = choose("a", kListing, {{}, {}}, kTargets, {});
  CHECK(shown(found) == Texts{"1.0: 0 cp39-", "2.0: 0 cp39- 1 cp311", "3.0: 1 py3-n", "6.0: 0 py3-n 1 py3-n by name (yanked)",
                              "7.0rc1: 0 py3-n 1 py3-n by name (pre-release)"});
  CHECK(reasons(found) == Texts{"4.0: no wheel for the target", "5.0: needs another Python"});
}

TEST_CASE("source archives serve where no wheel does, and are named only on demand", "[pypi]") {
  Rules rules{.files = Files::sdists};
  CHECK(shown(choose("a", kListing, {{}, {}}, kTargets, rules))[0] == "1.0: 0 cp39- 1 none");
  rules.sources = true;
  CHECK(shown(choose("a", kListing, {{}, {}}, kTargets, rules))[0] == "1.0: 0 cp39- 1 source");
}

TEST_CASE("wheels for other Pythons only explain what no target has", "[pypi]") {
  const auto found = choose("a", kListing, {{}, {}}, kTargets, {.files = Files::any});
  CHECK(shown(found) == Texts{"1.0: 0 cp39- 1 none", "2.0: 0 cp39- 1 cp311", "3.0: 1 py3-n",
                              "4.0: 0 none 1 none only ==3.10.*", "6.0: 0 py3-n 1 py3-n by name (yanked)",
                              "7.0rc1: 0 py3-n 1 py3-n by name (pre-release)"});
}

TEST_CASE("ranges of one project are a union, and each target has its own", "[pypi]") {
  const auto both = ranges({"==1.0", ">=3,<4"});
  CHECK(shown(choose("a", kListing, {both, both}, kTargets, {})) ==
        Texts{"1.0: 0 cp39-", "3.0: 1 py3-n"});
  CHECK(shown(choose("a", kListing, {ranges({"==1.0"}), ranges({"==2.0"})}, kTargets, {})) ==
        Texts{"1.0: 0 cp39-", "2.0: 1 cp311"});
  const auto named = ranges({"==2.0", "==6.0", "==7.0rc1"});
  CHECK(shown(choose("a", kListing, {named, named}, kTargets, {})) ==
        Texts{"2.0: 0 cp39- 1 cp311", "6.0: 0 py3-n 1 py3-n", "7.0rc1: 0 py3-n 1 py3-n"});
}

TEST_CASE("what is left out says what would have it in", "[pypi]") {
  const auto found = choose("a", kListing, {ranges({"<2", ">=4"}), ranges({"<2", ">=4"})}, kTargets, {});
  Texts texts;
  for (const auto& one : found.left_out) texts.push_back(fmt::format("{}: {}", one.version, one.to_have));
  CHECK(texts == Texts{"2.0: import it without that range", "3.0: import it without that range", "4.0: ",
                       "5.0: take a Python >=3.12 (--python)"});
  const Listing source{{file("a-1.0.tar.gz")}};
  CHECK(choose("a", source, {{}, {}}, kTargets, {}).left_out[0].to_have == "take source archives (stackx catalog import pypi --files sdists)");
}

TEST_CASE("pre-releases that are all there is need not be named, nor those that are allowed", "[pypi]") {
  const Listing only{{file("a-1.0rc1-py3-none-any.whl"), file("a-1.0rc2-py3-none-any.whl", "", true)}};
  CHECK(shown(choose("a", only, {{}, {}}, kTargets, {})) ==
        Texts{"1.0rc1: 0 py3-n 1 py3-n", "1.0rc2: 0 py3-n 1 py3-n by name (yanked)"});
  CHECK(shown(choose("a", kListing, {{}, {}}, kTargets, {.prereleases = true})).back() == "7.0rc1: 0 py3-n 1 py3-n");
}

TEST_CASE("where one target need not name a version, it is that target's", "[pypi]") {
  CHECK(shown(choose("a", kListing, {ranges({">=7.0rc1", "<7"}), ranges({"<8"})}, kTargets, {})).back() == "7.0rc1: 0 py3-n");
}

TEST_CASE("reasons of several targets are told together", "[pypi]") {
  const Listing listing{{file("a-1.0-cp310-cp310-manylinux1_x86_64.whl", ">=3.10")}};
  CHECK(reasons(choose("a", listing, {{}, {}}, kTargets, {})) ==
        Texts{"1.0: needs another Python or no wheel for the target"});
}
