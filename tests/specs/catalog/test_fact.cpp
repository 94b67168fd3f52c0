#include "specs/catalog/fact.hpp"

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

namespace fact_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

std::vector<Fact> read(const std::string& facts) {
  return read_facts(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {}, "facts": )" + facts + "}", "f.json"));
}
Fact one(const std::string& members) { return read(R"([{"of": "torch", )" + members + "}]").at(0); }
std::string refusal(const std::string& fact) {
  return message_of([&] { read("[" + fact + "]"); });
}
Version version(const std::string& text) { return *Version::parse(text, Versioning::pep440); }

}  // namespace

TEST_CASE("facts: everything is read") {
  const auto fact = one(R"("versions": ["2.7.0", "2.7.1+cu126"], "extra": "all", "machine": "aarch64",
    "built_for": {"cuda": "12.6", "cubins": ["5.0"], "ptx": []}, "requires": {"numpy": "<2"}, "drops": ["scipy"], "glibc": "2.39", "fails": "no library",
    "gpu_from": ["jax-cuda12-plugin"], "cudas": ["12.6", "12.8"], "instead": "jax[cuda12]", "instead_on": {"google": "jax[tpu]"}, "elsewhere": {"amd": "there"}, "system": {"cuda": 11.2, "cudnn": "8.1"},
    "pythons": ["3.9"], "machines": ["x86_64"], "soft": true, "note": "a word", "known": "read",
    "source": {"url": "https://h/x", "read": "2026-11-22", "title": "T"})");
  CHECK(fact.of == "torch");
  REQUIRE(fact.versions.size() == 2);
  CHECK(fact.versions[1].text() == "2.7.1+cu126");
  CHECK_FALSE(fact.range);
  CHECK(fact.extra == "all");
  CHECK(fact.machine == "aarch64");
  CHECK(fact.built_for->cuda == "12.6");
  CHECK(fact.requires_ == std::map<std::string, std::string>{{"numpy", "<2"}});
  CHECK(fact.fails == "no library");
  CHECK(fact.gpu_from == Texts{"jax-cuda12-plugin"});
  CHECK(fact.cudas == Texts{"12.6", "12.8"});
  CHECK(fact.instead == "jax[cuda12]");
  CHECK(fact.instead_on == std::map<std::string, std::string>{{"google", "jax[tpu]"}});
  CHECK(fact.drops == Texts{"scipy"});
  CHECK(fact.glibc == "2.39");
  CHECK(fact.elsewhere.at("amd") == "there");
  CHECK(fact.system == std::map<std::string, std::string>{{"cuda", "11.2"}, {"cudnn", "8.1"}});
  CHECK(fact.pythons == Texts{"3.9"});
  CHECK(fact.machines == Texts{"x86_64"});
  CHECK(fact.soft);
  CHECK(fact.note == "a word");
  CHECK(fact.known == "read");
  CHECK(fact.source == "https://h/x");
  CHECK(fact.date == "2026-11-22");
  CHECK(fact.file == "f.json");
}

TEST_CASE("facts: what the same files hold for another vendor's accelerators, and a library for each CUDA is NVIDIA's alone") {
  const auto fact = one(R"("versions": ["0.50"], "built_for": {"cuda": "any"}, "cudas": ["12.8"], "cubins_for": {"12.8": ["8.0"]},
    "also": {"amd": {"rocm": "7.2", "gfx": ["gfx942"]}})");
  CHECK(fact.for_vendor("nvidia").built_for_cuda.contains("12.8"));
  const auto amd = fact.for_vendor("amd"), intel = fact.for_vendor("intel");
  CHECK(amd.built_for->gfx == Texts{"gfx942"});
  CHECK((amd.built_for_cuda.empty() && amd.cudas.empty()));
  CHECK(intel.built_for->vendor() == "nvidia");
  CHECK((intel.built_for->known() && intel.built_for_cuda.empty() && intel.cudas.empty()));
  CHECK(one(R"("versions": ["1"], "built_for": {"cuda": "12.8", "cubins": ["8.0"]})").for_vendor("amd").built_for->cuda == "12.8");
}

TEST_CASE("facts: little is needed, and a document may have none") {
  const auto fact = one(R"("versions": "*", "source": "a word")");
  CHECK_FALSE(fact.built_for);
  CHECK_FALSE(fact.soft);
  CHECK(fact.source == "a word");
  CHECK(fact.date.empty());
  CHECK(read_facts(Node::parse_text("{}", "f.json")).empty());
}

TEST_CASE("facts: exact versions are those alone, a range those without a local build") {
  const auto exact = one(R"("versions": ["2.8.0", "2.8.0+cu126"])");
  CHECK(exact.is_about(version("2.8.0")));
  CHECK(exact.is_about(version("2.8")));
  CHECK(exact.is_about(version("2.8.0+cu126")));
  CHECK_FALSE(exact.is_about(version("2.8.0+cu129")));
  CHECK_FALSE(one(R"("versions": ["2.8.0"])").is_about(version("2.8.0+cu126")));
  const auto range = one(R"("versions": ">=2.7,<2.9")");
  CHECK(range.is_about(version("2.8.0")));
  CHECK_FALSE(range.is_about(version("2.9.0")));
  CHECK_FALSE(range.is_about(version("2.8.0+cu126")));
  CHECK_FALSE(one(R"("versions": [])").is_about(version("1")));
}

TEST_CASE("facts: a library for each CUDA, beside or inside `built_for`") {
  const auto inside = one(R"("versions": "*", "built_for": {"cuda": "any", "cubins_for": {"12.8": ["8.0"], "13.0": ["9.0"]}})");
  CHECK(inside.built_for->cuda == "any");
  REQUIRE(inside.built_for_cuda.size() == 2);
  CHECK(inside.built_for_cuda.at("12.8").cuda == "12.8");
  CHECK(inside.built_for_cuda.at("13.0").cubins == Texts{"9.0"});
  const auto beside = one(R"("versions": "*", "cubins_for": {"12.8": ["8.0"]})");
  CHECK_FALSE(beside.built_for);
  CHECK(beside.built_for_cuda.at("12.8").reach("8.6") == GpuBuild::Reach::cubin);
}

TEST_CASE("facts: those of pseudo packages are for others to read") {
  const auto facts = read(R"([{"of": "cuda", "versions": ["12.8"], "driver": "570.26"}, {"of": "driver", "gpu": ["9.0"], "since": "525"},
    {"of": "cuda-compat", "cuda": "12.8", "branches": ["535"]}, {"of": "torch", "versions": "*"}])");
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].of == "torch");
}

TEST_CASE("facts: one error, with file and place") {
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "fail": "x"})"),
             Contains("f.json: /facts/0: unknown key \"fail\"; did you mean \"fails\"?"));
  CHECK_THAT(refusal(R"({"versions": "*"})"), Contains("f.json: /facts/0: ") && Contains("\"of\""));
  CHECK_THAT(refusal(R"({"of": "torch"})"), Contains("f.json: /facts/0: ") && Contains("\"versions\""));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": ["two"]})"), Contains("f.json: /facts/0/versions/0: \"two\" is no version: "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": ">>2"})"), Contains("f.json: /facts/0/versions: \">>2\": "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "soft": 1})"), Contains("f.json: /facts/0/soft: "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "fails": ""})"), Contains("f.json: /facts/0/fails: "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "built_for": {"cubins": ["x"]}})"), Contains("f.json: /facts/0/built_for/cubins/0: "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "source": {"url": "u"}})"), Contains("f.json: /facts/0/source: "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "source": {"url": "u", "read": "d", "by": "me"}})"),
             Contains("f.json: /facts/0/source: unknown key \"by\""));
}

// These came out as no requirement, or as numbers read from nothing.
TEST_CASE("facts: compute capabilities for each CUDA, and required ranges, are checked where they stand") {
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "cubins_for": {"12.8": ["8.0", "sm_90"]}})"),
             Contains("f.json: /facts/0/cubins_for/12.8/1: "));
  CHECK_THAT(refusal(R"({"of": "torch", "versions": "*", "requires": {"numpy": "<<2"}})"), Contains("f.json: /facts/0/requires/numpy: "));
}

}  // namespace fact_tests
