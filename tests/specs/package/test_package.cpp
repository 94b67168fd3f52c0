#include "specs/package/package.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "tests/cases.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace package_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

Package parse(const std::string& text) { return parse_package(Node::parse_text(text, "torch.json")); }
std::string with(const std::string& versions) {
  return R"({"$schema": "stackx/package/1", "name": "torch", "as_of": "2026-11-22", "source": "PyPI: torch", "versions": )" +
         versions + "}";
}
std::string refusal(const std::string& versions) {
  return message_of([&] { parse(with(versions)); });
}
Version version(const std::string& text) { return *Version::parse(text, Versioning::pep440); }

std::string tags_of(const WheelTags& tags) {
  const auto joined = [](const Texts& texts) {
    std::string text;
    for (const auto& one : texts) text += (text.empty() ? "" : ".") + one;
    return text;
  };
  return joined(tags.pythons) + "-" + joined(tags.abis) + "-" + joined(tags.platforms);
}

// All that two packages can differ in; wheels have no order.
std::string shown(const Package& package) {
  std::string text = fmt::format("{} {} {}\n", package.name, package.as_of, package.source);
  for (const auto& one : package.releases) {
    std::set<std::string> wheels;
    for (const auto& tags : one.wheels) wheels.insert(tags_of(tags));
    text += fmt::format("{} {} \"{}\" {}{}:", one.version.text(), one.uploaded, one.requires_python,
                        one.source ? "source " : "", one.yanked ? "yanked" : "");
    for (const auto& wheel : wheels) text += " " + wheel;
    text += one.requires_ ? " requires" : " unread";
    for (const auto& requirement : one.requires_.value_or(Texts{})) text += " [" + requirement + "]";
    text += "\n";
  }
  return text;
}

template <typename T>
const T& one_of(Random& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}

// Each once, some of them.
Texts some_of(Random& random, Texts values, std::size_t least) {
  random.shuffle(values);
  values.resize(least + random.below(values.size() - least + 1));
  return values;
}

Package random_package(Random& random) {
  static const Texts versions{"0.1", "1!0.2", "1.0", "1.0.1", "1.0.post1", "1.1rc1", "1.10", "1.9", "2.0.0+cu126", "2.0.0", "10"};
  static const Texts platforms{"any", "manylinux1_x86_64", "manylinux_2_17_aarch64", "manylinux2014_aarch64", "linux_x86_64"};
  static const Texts pythons{"cp27", "cp38", "cp311", "py2", "py3"};
  static const Texts abis{"cp27mu", "cp38", "abi3", "none"};
  static const Texts requirements{"numpy", "a==1; extra == \"x\"", "b>=1,<2; python_version < '3.9'", "c[d] ~=1.4", "e @ https://h/e.whl", "ü"};
  Package package{one_of(random, Texts{"torch", "nvidia-cudnn-cu12", "a"}), "2026-11-2" + std::to_string(random.below(9)),
                  one_of(random, Texts{"PyPI: torch", "\"quoted\" \\ ü"}), {}};
  auto chosen = some_of(random, versions, 0);
  std::ranges::sort(chosen, {}, [](const auto& text) { return std::string(version(text).key()); });
  for (const auto& text : chosen) {
    PackageRelease release{version(text), random.below(2) ? "2024-07-24" : "", random.below(2) ? ">=3.8,!=3.9.*" : "",
                           {}, random.below(2) == 0, random.below(4) == 0, {}};
    for (auto wheels = random.below(4); wheels > 0; --wheels)
      release.wheels.push_back({some_of(random, pythons, 1), some_of(random, abis, 1), some_of(random, platforms, 1)});
    if (random.below(3) > 0) release.requires_ = some_of(random, requirements, 0);
    package.releases.push_back(std::move(release));
  }
  return package;
}

}  // namespace

TEST_CASE("package: everything is read, oldest first") {
  const auto package = parse(with(R"({
    "2.4.0": {"uploaded": "2024-07-24", "python": ">=3.8.0",
      "wheels": {"manylinux1_x86_64": "cp310-cp310 cp311-cp311", "manylinux2014_aarch64.manylinux_2_17_aarch64": "py2.py3-none"},
      "sdist": true, "yanked": true, "requires": ["filelock", "sympy==1.13.1; python_version >= \"3.9\""]},
    "1.10.0": {}, "1.9.0": {"sdist": false, "requires": []}})"));
  CHECK(package.name == "torch");
  CHECK(package.as_of == "2026-11-22");
  CHECK(package.source == "PyPI: torch");
  REQUIRE(package.releases.size() == 3);
  CHECK(package.releases[0].version.text() == "1.9.0");
  CHECK(package.releases[1].version.text() == "1.10.0");
  CHECK(package.releases[0].requires_ == Texts{});        // read: nothing
  CHECK(package.releases[1].requires_ == std::nullopt);  // not read
  CHECK(package.releases[1].uploaded.empty());
  const auto& newest = package.releases[2];
  CHECK(newest.uploaded == "2024-07-24");
  CHECK(newest.requires_python == ">=3.8.0");
  CHECK(newest.source);
  CHECK(newest.yanked);
  REQUIRE(newest.wheels.size() == 3);
  CHECK(tags_of(newest.wheels[1]) == "cp311-cp311-manylinux1_x86_64");
  CHECK(tags_of(newest.wheels[2]) == "py2.py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64");
  CHECK(newest.requires_ == Texts{"filelock", "sympy==1.13.1; python_version >= \"3.9\""});
}

TEST_CASE("package: a release is found by its version, however that is written") {
  const auto package = parse(with(R"({"2.0": {"sdist": true}, "2.0+cu126": {"yanked": true}})"));
  REQUIRE(package.find(version("2.0.0")) != nullptr);
  CHECK(package.find(version("2.0.0"))->source);
  CHECK(package.find(version("2+cu126"))->yanked);
  CHECK(package.find(version("2.1")) == nullptr);
}

TEST_CASE("package: one error, with file and place") {
  CHECK_THAT(refusal(R"({"2.4.0": {"wheel": {}}})"),
             Contains("torch.json: /versions/2.4.0: unknown key \"wheel\"; did you mean \"wheels\"?"));
  CHECK_THAT(refusal(R"({"two": {}})"), Contains("torch.json: /versions/two: \"two\" is no version: "));
  CHECK_THAT(refusal(R"({"1": {"wheels": {"any": "cp311"}}})"),
             Contains("torch.json: /versions/1/wheels/any: \"cp311\": expected PYTHON-ABI, such as cp311-cp311 or py3-none"));
  CHECK_THAT(refusal(R"({"1": {"wheels": {"any": ""}}})"), Contains("torch.json: /versions/1/wheels/any: "));
  CHECK_THAT(refusal(R"({"1": {"requires": "numpy"}})"), Contains("torch.json: /versions/1/requires: "));
  CHECK_THAT(refusal(R"({"1": {"requires": ["numpy", 1]}})"), Contains("torch.json: /versions/1/requires/1: "));
  CHECK_THAT(refusal(R"({"1": {"yanked": "yes"}})"), Contains("torch.json: /versions/1/yanked: "));
  CHECK_THAT(refusal(R"({"1": {"python": ""}})"), Contains("torch.json: /versions/1/python: "));
  CHECK_THAT(refusal(R"([])"), Contains("torch.json: /versions: "));
  CHECK_THAT(refusal(R"({"1": {}, "1": {}})"), Contains("torch.json: "));
  const auto head = [](const std::string& text) { return message_of([&] { parse(text); }); };
  CHECK_THAT(head(R"({"$schema": "stackx/catalog/1"})"), Contains("stackx/package/1"));
  CHECK_THAT(head(R"({"$schema": "stackx/package/1", "name": "Flash_Attn", "as_of": "x", "source": "x", "versions": {}})"),
             Contains("torch.json: /name: expected the normal form \"flash-attn\""));
  CHECK_THAT(head(R"({"$schema": "stackx/package/1", "name": "a", "source": "x", "versions": {}})"), Contains("\"as_of\""));
  CHECK_THAT(head(R"({"$schema": "stackx/package/1", "name": "a", "as_of": "x", "source": "x", "versions": {}, "url": 1})"),
             Contains("torch.json: unknown key \"url\""));
}

TEST_CASE("package: a wheel is for some Python, ABI and platform") {
  for (const char* tag : {"-", "cp311-", "-cp311", ".-."}) {
    CAPTURE(tag);
    CHECK_THAT(refusal(R"({"1": {"wheels": {"any": ")" + std::string(tag) + R"("}}})"), Contains("torch.json: /versions/1/wheels/any: "));
  }
  CHECK_THAT(refusal(R"({"1": {"wheels": {"": "py3-none"}}})"), Contains("torch.json: /versions/1/wheels/: "));
}

// No range could tell them apart, and which of them is found would depend on their order.
TEST_CASE("package: two spellings of a version are an error") {
  CHECK_THAT(refusal(R"({"1.0": {}, "1.0.0": {"sdist": true}})"),
             Contains("torch.json: /versions: \"1.0\" and \"1.0.0\" are the same version; keep one"));
}

TEST_CASE("package: one version a line, newest first, members as documented") {
  const auto package = parse(with(R"({"1.9": {"requires": ["b", "a"], "sdist": true},
    "1.10": {"yanked": true, "wheels": {"any": "py3-none", "linux_x86_64": "cp39-cp39 cp310-cp310 cp39-cp39"}}})"));
  CHECK(to_text(package) ==
        R"({"$schema": "stackx/package/1", "name": "torch", "as_of": "2026-11-22", "source": "PyPI: torch", "versions": {
"1.10": {"wheels":{"any":"py3-none","linux_x86_64":"cp310-cp310 cp39-cp39"},"yanked":true},
"1.9": {"requires":["b","a"],"sdist":true}
}}
)");
  Package none{"a", "2026-11-22", "x", {}};
  CHECK(shown(parse(to_text(none))) == shown(none));
}

TEST_CASE("package: a file is read, and one that is not there named") {
  const Files files;
  const auto file = files.write("torch.json", with(R"({"1": {}})"));
  CHECK(load_package(file).releases.size() == 1);
  CHECK_THAT(message_of([&] { load_package(files.path() / "none.json"); }), Contains("none.json"));
}

TEST_CASE("package: written and read, it is the same") {
  for (std::uint64_t i = 0; i < stackx::test::cases(300, 20000); ++i) {
    Random random(derive_seed(1, "package", i));
    const auto package = random_package(random);
    const auto text = to_text(package);
    CAPTURE(i, text);
    const auto again = parse(text);
    REQUIRE(shown(again) == shown(package));
    REQUIRE(to_text(again) == text);
    for (const auto& release : package.releases) REQUIRE(again.find(release.version)->version.text() == release.version.text());
  }
}

}  // namespace package_tests
