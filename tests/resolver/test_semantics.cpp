// What a stack is, one sentence of the definition at a time.
#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "tests/resolver/given.hpp"

namespace stackx::test {

using resolver::violation;
using Set = std::set<std::string>;

TEST_CASE("Roots are present in every stack, and nothing else is without need") {
  const char* components = R"("a": {"versions": {"1": {}, "2": {}}}, "b": {"versions": {"1": {}}})";
  CHECK(Given(components, R"("requires": {"a": "*"})").stacks() == Set{"a 1", "a 2"});
  CHECK(Given(components, R"("requires": {"a": ">=2", "b": "*"})").stacks() == Set{"a 2, b 1"});
  CHECK(Given(components, R"("requires": {"a": ">=3"})").stacks().empty());
}

TEST_CASE("Hardware is a root in one version") {
  const char* components = R"(
    "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {
      "v100": {"attributes": {"compute_capability": "7.0"}},
      "h100": {"attributes": {"compute_capability": "9.0"}}}},
    "cuda": {"versions": {"11": {"requires": {"gpu.compute_capability": ">=3.5,<9.0"}},
                          "12": {"requires": {"gpu.compute_capability": ">=5.0"}}}})";
  CHECK(Given(components, R"("requires": {"cuda": "*"}, "hardware": {"gpu": "v100"})").stacks() ==
        Set{"cuda 11, gpu v100", "cuda 12, gpu v100"});
  CHECK(Given(components, R"("requires": {"cuda": "*"}, "hardware": {"gpu": "h100"})").stacks() ==
        Set{"cuda 12, gpu h100"});
  // A requirement on an attribute makes the component present, as one on its version does.
  CHECK(Given(components, R"("requires": {"cuda": "==12"})").stacks() ==
        Set{"cuda 12, gpu h100", "cuda 12, gpu v100"});
}

TEST_CASE("Hardware that the catalog does not have is bad input") {
  Given given(R"("cpu": {"kind": "hardware", "versions": {"1": {}, "2": {}}})",
              R"("requires": {"cpu": "*"})");
  given.project.hardware["cpu"] = "3";
  CHECK_THROWS_WITH(given.resolver(),
                    Catch::Contains("\"3\" is no version of cpu") && Catch::Contains("1, 2"));
  given.project.hardware = {{"tpu", "1"}};
  CHECK_THROWS_AS(given.resolver(), Error);
}

TEST_CASE("Requirements hold for every selected version, and bring what they name") {
  CHECK(Given(R"(
    "a": {"versions": {"1": {"requires": {"b": "<2"}}, "2": {"requires": {"b": ">=2", "c": "*"}}}},
    "b": {"versions": {"1": {}, "2": {}, "3": {"requires": {"d": "*"}}}},
    "c": {"versions": {"1": {"requires": {"b": "!=2"}}, "2": {}}},
    "d": {"versions": {"7": {}}})",
              R"("requires": {"a": "*"})")
            .stacks() ==
        Set{"a 1, b 1", "a 2, b 2, c 2", "a 2, b 3, c 1, d 7", "a 2, b 3, c 2, d 7"});
}

TEST_CASE("Alternatives: any one is enough") {
  CHECK(Given(R"("a": {"versions": {"1": {"requires": {"b": {"any": ["<2", ">=3,<4"]}}}}},
                 "b": {"versions": {"1": {}, "2": {}, "3": {}, "4": {}}})",
              R"("requires": {"a": "*"})")
            .stacks() == Set{"a 1, b 1", "a 1, b 3"});
}

TEST_CASE("Attributes: ranges, sets, and missing ones") {
  const char* cpu = R"("cpu": {"kind": "hardware", "versioning": "opaque", "versions": {
      "old": {"attributes": {"isa": ["sse2"], "cores": 2}},
      "new": {"attributes": {"isa": ["sse2", "avx2", "avx512f"], "cores": 8}},
      "unknown": {}}})";
  const auto stacks = [&](const std::string& requirement) {
    return Given(cpu + (R"(, "a": {"versions": {"1": {"requires": {)" + requirement + "}}}}"),
                 R"("requires": {"a": "*"})")
        .stacks();
  };
  CHECK(stacks(R"("cpu.isa": {"contains": ["sse2"]})") == Set{"a 1, cpu new", "a 1, cpu old"});
  CHECK(stacks(R"("cpu.isa": {"contains": ["sse2", "avx2"]})") == Set{"a 1, cpu new"});
  CHECK(stacks(R"("cpu.isa": {"any": [{"contains": ["amx"]}, {"contains": ["avx512f"]}]})") ==
        Set{"a 1, cpu new"});
  CHECK(stacks(R"("cpu.cores": ">=2,<8")") == Set{"a 1, cpu old"});
  CHECK(stacks(R"("cpu.cores": "!=2")") == Set{"a 1, cpu new"});
  CHECK(stacks(R"("cpu": "==unknown", "cpu.cores": "*")").empty());
}

TEST_CASE("Pins restrict a component only where it is selected") {
  const char* components = R"(
    "a": {"versions": {"1": {}, "2": {"requires": {"b": "*"}}}},
    "b": {"versions": {"1": {}, "2": {}}})";
  CHECK(Given(components, R"("requires": {"a": "*"}, "pins": {"b": "==1"})").stacks() ==
        Set{"a 1", "a 2, b 1"});
  CHECK(Given(components, R"("requires": {"a": "*"}, "pins": {"b": ">=9"})").stacks() ==
        Set{"a 1"});
  CHECK(Given(components, R"("requires": {"a": "==1"}, "pins": {"b": ">=9"})").stacks() ==
        Set{"a 1"});
}

TEST_CASE("A conflict holds while the other component is absent or out of the range") {
  const char* components = R"(
    "a": {"versions": {"1": {"conflicts": {"b": "<2"}}, "2": {}}},
    "b": {"versions": {"1": {}, "2": {}}},
    "late": {"versions": {"1": {"requires": {"b": "*"}}, "2": {}}})";
  CHECK(Given(components, R"("requires": {"a": "==1"})").stacks() == Set{"a 1"});
  CHECK(Given(components, R"("requires": {"a": "*", "b": "*"})").stacks() ==
        Set{"a 1, b 2", "a 2, b 1", "a 2, b 2"});
  // Selected after the conflict was satisfied, for another's sake.
  CHECK(Given(components, R"("requires": {"a": "==1", "late": "*"})").stacks() ==
        Set{"a 1, late 2", "a 1, b 2, late 1"});
  CHECK(Given(components, R"("requires": {"a": "==1", "late": "==1"}, "pins": {"b": "==1"})")
            .stacks()
            .empty());
}

TEST_CASE("A conflict on an attribute needs the attribute") {
  CHECK(Given(R"(
    "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {
       "old": {"attributes": {"memory_gib": 8}}, "new": {"attributes": {"memory_gib": 80}}, "odd": {}}},
    "a": {"versions": {"1": {"conflicts": {"gpu.memory_gib": "<16"}}}})",
              R"("requires": {"a": "*", "gpu": "*"})")
            .stacks() == Set{"a 1, gpu new", "a 1, gpu odd"});
}

TEST_CASE("A condition holds only if all of it is present and in range") {
  const char* components = R"(
    "a": {"versions": {"1": {"requires_if": [{"if": {"b": ">=2", "c": "*"}, "then": {"d": "*"}}]}}},
    "b": {"versions": {"1": {}, "2": {}}}, "c": {"versions": {"1": {}}}, "d": {"versions": {"1": {}}})";
  CHECK(Given(components, R"("requires": {"a": "*"})").stacks() == Set{"a 1"});
  CHECK(Given(components, R"("requires": {"a": "*", "b": "*"})").stacks() ==
        Set{"a 1, b 1", "a 1, b 2"});
  CHECK(Given(components, R"("requires": {"a": "*", "b": "*", "c": "*"})").stacks() ==
        Set{"a 1, b 1, c 1", "a 1, b 2, c 1, d 1"});
}

TEST_CASE("A condition that comes true later brings what it requires then") {
  const char* components = R"(
    "a": {"versions": {"1": {"requires_if": [{"if": {"z": ">=2"}, "then": {"b": "==1"}}]}}},
    "b": {"versions": {"1": {}, "2": {}}},
    "y": {"versions": {"1": {"requires": {"z": "*"}}, "2": {}}},
    "z": {"versions": {"1": {}, "2": {}}})";
  CHECK(Given(components, R"("requires": {"a": "*", "y": "*"})").stacks() ==
        Set{"a 1, y 2", "a 1, y 1, z 1", "a 1, b 1, y 1, z 2"});
  // The required component is there already, in a version that will not do.
  CHECK(Given(components, R"("requires": {"a": "*", "b": "==2", "y": "==1"})").stacks() ==
        Set{"a 1, b 2, y 1, z 1"});
}

TEST_CASE("Conditions are judged on the whole stack, even where they bring about themselves") {
  // a requires c if b is there; c requires b. Both {a} and {a, b, c} satisfy everything and are
  // reachable.
  CHECK(Given(R"(
    "a": {"versions": {"1": {"requires_if": [{"if": {"b": "*"}, "then": {"c": "*"}}]}}},
    "b": {"versions": {"1": {}, "2": {}}},
    "c": {"versions": {"1": {"requires": {"b": "==2"}}, "2": {}}})",
              R"("requires": {"a": "*"})")
            .stacks() == Set{"a 1", "a 1, b 2, c 1"});
}

TEST_CASE("Nothing supports itself: cycles count only where a root reaches them") {
  const char* components = R"(
    "root": {"versions": {"1": {}, "2": {"requires": {"a": "*"}}}},
    "a": {"versions": {"1": {"requires": {"b": "*"}}, "2": {"requires": {"b": "==1"}}}},
    "b": {"versions": {"1": {"requires": {"a": "*"}}, "2": {"requires": {"a": "==1"}}}})";
  CHECK(Given(components, R"("requires": {"root": "==1"})").stacks() == Set{"root 1"});
  CHECK(Given(components, R"("requires": {"root": "==2"})").stacks() ==
        Set{"a 1, b 1, root 2", "a 1, b 2, root 2", "a 2, b 1, root 2"});
  Given given(components, R"("requires": {"root": "==1"})");
  CHECK(violation(given.project, given.catalog, {{{"root", "1"}, {"a", "1"}, {"b", "1"}}}) ==
        "nothing needs a 1");
}

namespace {
const char* blas = R"(
  "openblas": {"versions": {"0.3.20": {"provides": {"blas": "3.9"}},
                            "0.3.21": {"provides": {"blas": "3.10"}}}},
  "mkl": {"versions": {"2024": {"provides": {"blas": "3.10"}, "requires": {"omp": "*"}}}},
  "omp": {"versions": {"1": {}}},
  "numpy": {"versions": {"1": {"requires": {"blas": "*"}}, "2": {"requires": {"blas": ">=3.10"}}}})";
}

TEST_CASE("A virtual component is there in the version that its provider gives") {
  CHECK(Given(blas, R"("requires": {"numpy": "*"})").stacks() ==
        Set{"mkl 2024, numpy 1, omp 1", "mkl 2024, numpy 2, omp 1", "numpy 1, openblas 0.3.20",
            "numpy 1, openblas 0.3.21", "numpy 2, openblas 0.3.21"});
  CHECK(Given(blas, R"("requires": {"blas": "<3.10"})").stacks() == Set{"openblas 0.3.20"});
  CHECK(Given(blas, R"("requires": {"blas": ">=4"})").stacks().empty());
}

TEST_CASE("A virtual component has at most one provider, required or not") {
  CHECK(Given(blas, R"("requires": {"mkl": "*", "openblas": "*"})").stacks().empty());
  // A component required both by name and as the provider.
  CHECK(Given(blas, R"("requires": {"numpy": "*", "openblas": "*"})").stacks() ==
        Set{"numpy 1, openblas 0.3.20", "numpy 1, openblas 0.3.21", "numpy 2, openblas 0.3.21"});
}

TEST_CASE("A provider that is there in a version that does not provide is not in the way") {
  CHECK(Given(R"(
    "new": {"versions": {"1": {}, "2": {"provides": {"mpi": "4"}}}},
    "old": {"versions": {"1": {"provides": {"mpi": "3"}}}})",
              R"("requires": {"new": "*", "mpi": "*"})")
            .stacks() == Set{"new 2", "new 1, old 1"});
}

TEST_CASE("Pins, conflicts and conditions apply to virtual components too") {
  CHECK(Given(blas, R"("requires": {"numpy": "==1"}, "pins": {"blas": "<3.10"})").stacks() ==
        Set{"numpy 1, openblas 0.3.20"});
  const std::string more = std::string(blas) + R"(,
    "hater": {"versions": {"1": {"conflicts": {"blas": ">=3.10"}}}},
    "asker": {"versions": {"1": {"requires_if": [{"if": {"blas": "<3.10"}, "then": {"omp": "*"}}]}}})";
  CHECK(Given(more, R"("requires": {"numpy": "*", "hater": "*"})").stacks() ==
        Set{"hater 1, numpy 1, openblas 0.3.20"});
  CHECK(Given(more, R"("requires": {"numpy": "==1", "asker": "*"}, "pins": {"mkl": "<1"})")
            .stacks() ==
        Set{"asker 1, numpy 1, omp 1, openblas 0.3.20", "asker 1, numpy 1, openblas 0.3.21"});
}

TEST_CASE("A provider may require or conflict with what it provides: that is about others") {
  CHECK(Given(R"(
    "a": {"versions": {"1": {"provides": {"v": "1"}, "requires": {"v": "*"}, "conflicts": {"v": "*"}}}})",
              R"("requires": {"a": "*"})")
            .stacks() == Set{"a 1"});
}

TEST_CASE(
    "Raw combinations: what requirements of any version reach, virtual components not counted") {
  const auto resolver =
      Given(blas, R"("requires": {"numpy": "*"}, "pins": {"openblas": "==0.3.20"})").resolver();
  CHECK(resolver.components().size() == 4);
  CHECK(resolver.raw_combinations() == 2 * 2 * 1 * 1);
  CHECK(resolver.count() == 3);
}

TEST_CASE("Shares: stacks with each version, zero where there are none") {
  const auto shares = Given(blas, R"("requires": {"numpy": "*"}, "pins": {"openblas": "==0.3.21"})")
                          .resolver()
                          .shares();
  CHECK(shares.at("numpy").at("1") == 2);
  CHECK(shares.at("numpy").at("2") == 2);
  CHECK(shares.at("mkl").at("2024") == 2);
  CHECK(shares.at("omp").at("1") == 2);
  CHECK(shares.at("openblas").at("0.3.20") == 0);
  CHECK(shares.at("openblas").at("0.3.21") == 2);
  CHECK(shares.size() == 4);
}

TEST_CASE("violation() says what is wrong") {
  const Given given(blas, R"("requires": {"numpy": "*"}, "pins": {"openblas": "!=0.3.20"})");
  const auto wrong = [&](std::map<std::string, std::string> components) {
    return violation(given.project, given.catalog, {std::move(components)}).value_or("nothing");
  };
  CHECK(wrong({{"numpy", "1"}, {"openblas", "0.3.21"}}) == "nothing");
  CHECK(wrong({{"numpy", "9"}}) == "no catalog declares numpy 9");
  CHECK(wrong({{"scipy", "1"}}) == "no catalog declares scipy");
  CHECK(wrong({{"openblas", "0.3.21"}}) == "the project needs numpy *");
  CHECK(wrong({{"numpy", "1"}}) == "numpy 1 needs blas *");
  CHECK(wrong({{"numpy", "1"}, {"openblas", "0.3.20"}}) ==
        "openblas 0.3.20 is pinned to openblas !=0.3.20");
  CHECK(wrong({{"numpy", "1"}, {"openblas", "0.3.21"}, {"omp", "1"}}) == "nothing needs omp 1");
  CHECK(wrong({{"numpy", "1"}, {"openblas", "0.3.21"}, {"mkl", "2024"}, {"omp", "1"}}) ==
        "mkl and openblas both provide blas");
}

TEST_CASE("A pre-release is in a stack where a requirement names one, or allows no other version") {
  const char* components = R"(
    "a": {"versions": {"1": {"requires": {"c": "==2b1"}}, "2": {"requires": {"c": ">=1"}}, "3": {"requires": {"c": ">1"}}}},
    "b": {"versions": {"1": {"requires": {"c": ">=1,<=3"}}}},
    "c": {"versions": {"1": {}, "2b1": {"by_name": "pre-release"}, "2b2": {"by_name": "pre-release"}}})";
  CHECK(Given(components, R"("requires": {"b": "*"})").stacks() == Set{"b 1, c 1"});
  // a 1 names it, so b may have it; a 3 allows nothing else; a 2 does neither.
  CHECK(Given(components, R"("requires": {"a": "*", "b": "*"})").stacks() ==
        Set{"a 1, b 1, c 2b1", "a 2, b 1, c 1", "a 3, b 1, c 2b1", "a 3, b 1, c 2b2"});
  CHECK(Given(components, R"("requires": {"b": "*", "c": ">=2b2"})").stacks() == Set{"b 1, c 2b2"});
  // What only a clause of another kind mentions is not named; a pin of the user's is a constraint, which pip takes as naming.
  CHECK(Given(components, R"("requires": {"b": "*"}, "pins": {"c": "==2b1"})").stacks() == Set{"b 1, c 2b1"});
  CHECK(Given(components, R"("requires": {"b": "*"}, "pins": {"c": "!=2b1"})").stacks() == Set{"b 1, c 1"});
}

TEST_CASE("A yanked version is in a stack where a requirement in force pins it") {
  const char* components = R"(
    "a": {"versions": {"1": {"requires": {"c": "==2"}}, "2": {"requires": {"c": ">=2"}}, "3": {"requires": {"c": "==2.*"}}}},
    "c": {"versions": {"1": {}, "2": {"by_name": "yanked"}}})";
  CHECK(Given(components, R"("requires": {"a": "*"})").stacks() == Set{"a 1, c 2"});
  CHECK(Given(components, R"("requires": {"a": ">=2"})").stacks().empty());
  CHECK(Given(components, R"("requires": {"a": ">=2", "c": "===2"})").stacks() == Set{"a 2, c 2", "a 3, c 2"});
}

TEST_CASE("What names a version must itself be needed by something else") {
  const char* components = R"(
    "a": {"versions": {"1": {"requires": {"c": "*"}}}},
    "c": {"versions": {"1": {}, "2b1": {"by_name": "pre-release", "requires": {"d": "*"}}}},
    "d": {"versions": {"1": {"requires": {"c": "==2b1"}}}})";
  CHECK(Given(components, R"("requires": {"a": "*"})").stacks() == Set{"a 1, c 1"});
  CHECK(Given(components, R"("requires": {"a": "*", "d": "*"})").stacks() == Set{"a 1, c 2b1, d 1"});
}

}  // namespace stackx::test
