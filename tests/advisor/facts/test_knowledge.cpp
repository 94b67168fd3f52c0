#include "advisor/facts/knowledge.hpp"

#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "tests/advisor/known.hpp"
#include "tests/specs/message_of.hpp"

namespace knowledge_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Texts = std::vector<std::string>;

namespace {

specs::Version version(const std::string& text) { return *specs::Version::parse(text, specs::Versioning::pep440); }

Texts versions(const Knowledge& knowledge, const std::string& name) {
  Texts texts;
  if (const auto* package = knowledge.package(name))
    for (const auto& one : package->releases) texts.push_back(one.version.text());
  return texts;
}
const specs::PackageRelease& release(const Knowledge& knowledge, const std::string& name, const std::string& text) {
  const auto* package = knowledge.package(name);
  REQUIRE(package != nullptr);
  const auto* found = package->find(version(text));
  REQUIRE(found != nullptr);
  return *found;
}
Texts requirements(const Knowledge& knowledge, const std::string& name, const std::string& text) {
  const auto* list = knowledge.requirements(name, release(knowledge, name, text));
  if (!list) return {"unread"};
  Texts texts;
  for (const auto& one : *list) texts.push_back(one.text());
  return texts;
}
// "cp311-cp311-linux_x86_64"
Texts wheels(const specs::PackageRelease& release) {
  Texts texts;
  for (const auto& tags : release.wheels)
    for (const auto& platform : tags.platforms) texts.push_back(tags.pythons.front() + "-" + tags.abis.front() + "-" + platform);
  return texts;
}

const char* const torch = R"({"2.8.0": {"python": ">=3.9", "sdist": true, "yanked": true,
  "wheels": {"manylinux_2_28_x86_64": "cp310-cp310 cp311-cp311", "manylinux_2_28_aarch64": "cp311-cp311"},
  "requires": ["filelock", "nvidia-cudnn-cu12==9.10; platform_machine == \"x86_64\"", "nvidia_x==1", "triton==3.4"]}})";

}  // namespace

TEST_CASE("knowledge: a package is read when it is asked for, and one that nobody lists is none") {
  Known known;
  known.package("a", R"({"1": {"requires": ["b>=1"]}, "2": {}})");
  const auto knowledge = known.knowledge();
  CHECK(knowledge.as_of().empty());
  CHECK(knowledge.package("nothing") == nullptr);
  CHECK(versions(knowledge, "a") == Texts{"1", "2"});
  CHECK(knowledge.as_of() == "2026-11-22");
  CHECK(requirements(knowledge, "a", "1") == Texts{"b>=1"});
  CHECK(requirements(knowledge, "a", "2") == Texts{"unread"});
  CHECK(knowledge.names() == Texts{"a"});
}

TEST_CASE("knowledge: of several directories that which was read last counts, of equals the first") {
  Known known;
  known.package("a", R"({"1": {}})");
  std::filesystem::create_directories(known.path() / "mine");
  std::ofstream(known.path() / "mine/a.json")
      << R"({"$schema": "stackx/package/1", "name": "a", "as_of": "2026-11-23", "source": "me", "versions": {"2": {}}})";
  const auto mine = known.path() / "mine", generated = known.path() / "generated", none = known.path() / "none";
  const Knowledge knowledge({{none, mine, generated}, known.path() / "facts", {}});
  CHECK(versions(knowledge, "a") == Texts{"2"});
  CHECK(knowledge.as_of() == "2026-11-23");
  CHECK(versions(Knowledge({{generated, none, mine}, known.path() / "facts", {}}), "a") == Texts{"2"});
  std::ofstream(mine / "a.json") << R"({"$schema": "stackx/package/1", "name": "a", "as_of": "2026-11-22", "source": "me", "versions": {"2": {}}})";
  CHECK(versions(Knowledge({{generated, mine}, known.path() / "facts", {}}), "a") == Texts{"1"});
}

TEST_CASE("knowledge: builds of PyTorch's own index beside those of the package index") {
  Known known;
  known.package("torch", R"({"2.8.0": {"requires": ["plain"]}})").package("torch", R"({"2.8.0": {"requires": ["other"]}, "2.8.0+cu126": {}})", "pytorch");
  known.package("only", R"({"1+cpu": {}})", "pytorch");
  const auto knowledge = known.knowledge();
  CHECK(versions(knowledge, "torch") == Texts{"2.8.0", "2.8.0+cu126"});
  CHECK(requirements(knowledge, "torch", "2.8.0") == Texts{"plain"});
  CHECK(versions(knowledge, "only") == Texts{"1+cpu"});
}

TEST_CASE("knowledge: a build that only facts name is a release like the plain one") {
  Known known;
  known.package("torch", torch).facts(R"(
    {"of": "torch", "versions": ["2.8.0"], "built_for": {"cuda": "12.8", "cubins": ["9.0"]}},
    {"of": "torch", "versions": ["2.8.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["5.0"]}},
    {"of": "torch", "versions": ["2.8.0+cu128", "2.8.0+cu126"], "built_for": {"cuda": "12.8", "cubins": ["5.0"]}, "machines": ["x86_64", "aarch64"]},
    {"of": "torch", "versions": "==2.8.0", "note": "no local builds in a range"})");
  const auto knowledge = known.knowledge();
  CHECK(versions(knowledge, "torch") == Texts{"2.8.0", "2.8.0+cu126", "2.8.0+cu128"});
  const auto& build = release(knowledge, "torch", "2.8.0+cu128");
  CHECK_FALSE(build.yanked);
  CHECK_FALSE(build.source);
  CHECK(build.requires_python == ">=3.9");
  CHECK(wheels(build).size() == 3);
}

TEST_CASE("knowledge: without NVIDIA's wheels where the CUDA is another one") {
  Known known;
  known.package("torch", torch).facts(R"(
    {"of": "torch", "versions": ["2.8.0", "2.8.0+same"], "built_for": {"cuda": "12.8", "cubins": ["9.0"]}},
    {"of": "torch", "versions": ["2.8.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["5.0"]}})");
  const auto knowledge = known.knowledge();
  CHECK(requirements(knowledge, "torch", "2.8.0+cu126") == Texts{"filelock", "triton==3.4"});
  CHECK(requirements(knowledge, "torch", "2.8.0+same").size() == 4);
  CHECK(wheels(release(knowledge, "torch", "2.8.0+cu126")) ==
        Texts{"cp310-cp310-manylinux_2_28_x86_64", "cp311-cp311-manylinux_2_28_x86_64"});  // x86-64 if nobody says more
}

TEST_CASE("knowledge: a fact names the Pythons and machines of a build") {
  Known known;
  known.package("torch", torch).facts(R"(
    {"of": "torch", "versions": ["2.8.0+a", "0.4+b"], "pythons": ["2.7", "3.7", "3.8", "3.10"], "machines": ["x86_64"]},
    {"of": "torch", "versions": ["0.4+c"]},
    {"of": "torch", "versions": ["2.8.0+d"], "pythons": ["3.12"]},
    {"of": "torch", "versions": ["2.8.0+d"], "machine": "aarch64", "built_for": {"cuda": "12.8"}},
    {"of": "torch", "versions": ["2.8.0+e"], "machines": ["ppc64le"]})");
  const auto knowledge = known.knowledge();
  const Texts named{"cp27-cp27mu-linux_x86_64", "cp37-cp37m-linux_x86_64", "cp38-cp38-linux_x86_64", "cp310-cp310-linux_x86_64"};
  CHECK(wheels(release(knowledge, "torch", "2.8.0+a")) == named);
  CHECK(release(knowledge, "torch", "2.8.0+a").requires_python.empty());  // the fact says it
  CHECK(wheels(release(knowledge, "torch", "0.4+b")) == named);
  CHECK(requirements(knowledge, "torch", "0.4+b") == Texts{"unread"});
  CHECK(wheels(release(knowledge, "torch", "0.4+c")) == Texts{"py3-none-linux_x86_64"});
  CHECK(wheels(release(knowledge, "torch", "2.8.0+d")) == Texts{"cp312-cp312-linux_x86_64", "cp312-cp312-linux_aarch64"});
  CHECK(knowledge.package("torch")->find(version("2.8.0+e")) == nullptr);  // there is no wheel for it
}

TEST_CASE("knowledge: facts alone make no package") {
  Known known;
  known.facts(R"({"of": "torch", "versions": ["2.8.0+cu126"], "pythons": ["3.11"]})");
  CHECK(known.knowledge().package("torch") == nullptr);
}

TEST_CASE("knowledge: facts on one version together, the last decides, key by key") {
  Known known;
  known.facts(R"(
    {"of": "a", "versions": "*", "built_for": {"cuda": "12.6", "cubins": ["5.0"]}, "requires": {"x": ">=1"}, "fails": "never", "instead": "b",
     "source": {"url": "https://one", "read": "2026-11-20"}, "known": "read"},
    {"of": "a", "versions": ["2"], "built_for": {"cuda": "12.8", "ptx": ["9.0"]}, "soft": true, "source": "two"},
    {"of": "a", "versions": "*", "machine": "aarch64", "built_for": {"cuda": "none"}},
    {"of": "a", "versions": "*", "extra": "all", "fails": "not that"})");
  const auto knowledge = known.knowledge();
  const auto one = knowledge.about("a", version("1"));
  CHECK(one.built_for->cuda == "12.6");
  CHECK_FALSE(one.soft);
  CHECK(one.source == "https://one");
  CHECK(one.date == "2026-11-20");
  const auto two = knowledge.about("a", version("2"));
  CHECK(two.built_for->cuda == "12.8");
  CHECK(two.built_for->cubins.empty());  // a build is replaced whole
  CHECK(two.requires_.at("x") == ">=1");
  CHECK(two.instead == "b");
  CHECK(two.soft);
  CHECK(two.source == "two");
  CHECK(knowledge.about("a", version("2"), "", "aarch64").built_for->for_cpus());
  CHECK(knowledge.about("a", version("2"), "", "x86_64").built_for->cuda == "12.8");
  CHECK(knowledge.about("a", version("2"), "all").fails == "not that");
  CHECK(knowledge.about("a", version("2"), "other").fails.empty());
  CHECK_FALSE(knowledge.about("nothing", version("2")).built_for);
}

TEST_CASE("knowledge: an overlay's facts win over those that are shipped, later overlays over earlier ones") {
  Known known;
  known.package("a", R"({"1": {"requires": []}})");
  known.facts(R"({"of": "a", "versions": "*", "built_for": {"cuda": "12.6"}, "fails": "never"})");
  known.overlay(R"({"of": "a", "versions": ["1"], "built_for": {"cuda": "12.8"}, "requires": {"b": "<2"}})");
  known.overlay(R"({"of": "a", "versions": ["1"], "built_for": {"cuda": "13.0"}}, {"of": "driver", "gpu": ["9.0"], "since": "530"})");
  const auto knowledge = known.knowledge();
  CHECK(knowledge.about("a", version("1")).built_for->cuda == "13.0");
  CHECK(knowledge.about("a", version("1")).fails == "never");
  CHECK(requirements(knowledge, "a", "1") == Texts{"b<2"});
  CHECK(knowledge.drivers().since("9.0") == "530");
  REQUIRE(knowledge.overlays_used().size() == 1);
  CHECK_THAT(knowledge.overlays_used().front(), EndsWith("own1.json"));
}

TEST_CASE("knowledge: an overlay's versions are added, and replace listed ones whole") {
  Known known;
  known.package("a", R"({"1": {"python": ">=3.8", "requires": ["b"], "wheels": {"linux_x86_64": "cp311-cp311"}}, "3": {}})");
  known.overlay("", R"({"a": {"kind": "package", "versions": {"1.0": {"requires": {"c": ">=2,<3", "python": ">=3.10", "d": "*"}}, "2": {}}},
    "own": {"kind": "package", "versions": {"7": {"requires": {"a": "*"}}}}, "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"x": {}}}})");
  const auto knowledge = known.knowledge();
  CHECK(versions(knowledge, "a") == Texts{"1.0", "2", "3"});
  CHECK(requirements(knowledge, "a", "1") == Texts{"c>=2,<3", "d"});
  CHECK(release(knowledge, "a", "1").requires_python == ">=3.10");
  CHECK(wheels(release(knowledge, "a", "1")) == Texts{"py3-none-any"});
  CHECK(requirements(knowledge, "a", "2").empty());
  CHECK(versions(knowledge, "own") == Texts{"7"});
  CHECK(knowledge.package("gpu") == nullptr);
  CHECK(knowledge.names() == Texts{"a", "gpu", "own"});
  CHECK(knowledge.overlays_used().size() == 1);
}

TEST_CASE("knowledge: other names of a package, from facts and overlays") {
  Known known;
  known.facts("", R"({"torch": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})");
  known.overlay("", R"({"own": {"kind": "package", "aliases": ["mine"], "versions": {"1": {}}}})");
  const auto knowledge = known.knowledge();
  CHECK(knowledge.real_name("pytorch") == "torch");
  CHECK(knowledge.real_name("mine") == "own");
  CHECK(knowledge.real_name("torch") == "torch");
}

TEST_CASE("knowledge: what the facts require stands beside what metadata says") {
  Known known;
  known.package("a", R"({"1": {"requires": ["b>=1", "not a requirement!"]}, "2": {}})");
  known.facts(R"({"of": "a", "versions": "*", "requires": {"numpy": "<2", "b": "<3"}})");
  const auto knowledge = known.knowledge();
  CHECK(requirements(knowledge, "a", "1") == Texts{"b>=1", "b<3", "numpy<2"});
  CHECK(requirements(knowledge, "a", "2") == Texts{"unread"});
}

TEST_CASE("knowledge: of whose builds somebody says what they are for") {
  Known known;
  known.facts(R"({"of": "a", "versions": ["1"], "built_for": {"cuda": "12.6"}}, {"of": "b", "versions": "*", "built_for": {"cuda": "none"}},
    {"of": "c", "versions": "*", "built_for": {"cuda": "none", "cubins_for": {"12.8": ["8.0"]}}}, {"of": "d", "versions": "*", "fails": "x"})");
  const auto knowledge = known.knowledge();
  CHECK(knowledge.has_gpu_facts("a"));
  CHECK_FALSE(knowledge.has_gpu_facts("b"));
  CHECK(knowledge.has_gpu_facts("c"));
  CHECK_FALSE(knowledge.has_gpu_facts("d"));
  CHECK_FALSE(knowledge.has_gpu_facts("nothing"));
}

TEST_CASE("knowledge: what was fetched for one question counts like what is listed") {
  Known known;
  known.facts(R"({"of": "a", "versions": ["1+cu126"], "pythons": ["3.11"]})");
  auto knowledge = known.knowledge();
  CHECK(knowledge.package("a") == nullptr);
  specs::PackageRelease fetched{version("1"), "", "", {{{"py3"}, {"none"}, {"any"}}}, false, false, Texts{"b"}};
  knowledge.add({"a", "2026-11-23", "the index", {fetched}});
  CHECK(versions(knowledge, "a") == Texts{"1", "1+cu126"});
  CHECK(knowledge.as_of() == "2026-11-23");
}

TEST_CASE("knowledge: one error, with file and place") {
  const auto refusal = [](const std::string& name, const std::string& text) {
    Known known;
    std::ofstream(known.path() / name) << text;
    return message_of([&] { known.knowledge().package("a"); });
  };
  CHECK_THAT(refusal("facts/x.json", "{"), Contains("facts/x.json:"));
  CHECK_THAT(refusal("facts/x.json", R"({"$schema": "stackx/catalog/1", "components": {}, "facts": [{"of": "a", "versions": 1}]})"),
             Contains("facts/x.json: /facts/0/versions: "));
  CHECK_THAT(refusal("facts/x.json", R"({"$schema": "stackx/other/1"})"), Contains("facts/x.json: "));
  CHECK_THAT(refusal("generated/a.json", R"({"$schema": "stackx/package/1"})"), Contains("generated/a.json: "));
  Known known;
  known.overlay("", R"({"a": {"kind": "thing", "versions": {}}})");
  CHECK_THAT(message_of([&] { known.knowledge(); }), Contains("own0.json: /components/a/kind: "));
}

TEST_CASE("knowledge: directories that are not there hold nothing") {
  const Knowledge knowledge({{"/nowhere"}, "/nowhere", {}});
  CHECK(knowledge.package("torch") == nullptr);
  CHECK(knowledge.names().empty());
}

}  // namespace knowledge_tests
