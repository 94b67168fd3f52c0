// What a question's world holds of packages, as check() tells it.
#include <catch2/catch.hpp>

#include "tests/advisor/check/small_world.hpp"

namespace check_tests {

using Catch::Matchers::Contains;

TEST_CASE("check: what an installer would take is judged, not what it could") {
  const auto checked = in_torch_world(on_gpu({"torch"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  CHECK(stack_of(checked, "torch") == "2.9.0");
}

TEST_CASE("check: no wheel for this Python") {
  const auto checked = [&] {
    auto asked = on_gpu({"torch==2.4.0"}, "7.0");
    asked.python = "3.13";
    return in_torch_world(asked);
  }();
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.4.0 has wheels for Python 3.10 to 3.11, not for 3.13"));
  CHECK(checked.stack.components.empty());
}

TEST_CASE("check: glibc is too old for the wheels") {
  auto asked = on_gpu({"torch==2.9.0"}, "8.0");
  asked.glibc = "2.27";
  const auto checked = in_torch_world(asked);
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.9.0 has wheels for glibc >=2.28, and here is 2.27"));
  asked.glibc = "2.28";
  CHECK(in_torch_world(asked).answer == Answer::yes);
  auto older = on_gpu({"torch"}, "8.0");
  older.glibc = "2.27";
  CHECK(stack_of(in_torch_world(older), "torch") == "2.4.0");  // as pip falls back
}

TEST_CASE("check: another processor, its own wheels and builds") {
  auto asked = on_gpu({"torch==2.9.0"}, "9.0");
  asked.machine = "aarch64";
  const auto missing = in_torch_world(asked);
  CHECK(missing.answer == Answer::no);
  CHECK_THAT(missing.text, Contains("torch 2.9.0 has no wheel for aarch64"));
  asked.asked = question({"torch==2.4.0"}).asked;
  const auto for_cpus = in_torch_world(asked);
  CHECK(for_cpus.answer == Answer::no);
  CHECK_THAT(for_cpus.text, Contains("torch 2.4.0 is built for CPUs and does not use a GPU (PyPI's wheel for aarch64)"));
  CHECK(stack_of(for_cpus, "nvidia-cudnn-cu12").empty());  // whose marker does not hold
}

TEST_CASE("check: pins clash, and the sentence names both sides") {
  Known known;
  torch_world(known);
  known.package("vision", pure({{"1", {"torch==2.9.0"}}}));
  const auto checked = known.check(on_gpu({"vision", "torch==2.4.0"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("vision 1 needs torch ==2.9.0") && Contains("torch ==2.4.0 is asked for"));
  CHECK_FALSE(checked.clash.empty());
  CHECK(checked.stack.components.empty());
  REQUIRE_FALSE(checked.nearest.empty());
}

TEST_CASE("check: constraints restrict what somebody requires, and ask for nothing") {
  Known known;
  torch_world(known);
  auto asked = on_gpu({"torch"}, "7.0");
  asked.constraints = question({"torch<2.5", "nothing==1"}).asked;
  CHECK(stack_of(known.check(asked), "torch") == "2.4.0");
  CHECK(known.check(asked).answer == Answer::yes);
}

TEST_CASE("check: an extra takes along what it requires, in that very version") {
  Known known;
  known.package("a", R"({"1": {"wheels": {"any": "py3-none"}, "requires": ["b; extra == \"x\"", "c"]},
                         "2": {"wheels": {"any": "py3-none"}, "requires": ["b>=2; extra == \"x\"", "c", "a[x]; extra == \"all\""]}})");
  known.package("b", pure({{"1", {}}, {"2", {}}})).package("c", pure({{"1", {}}}));
  const auto checked = known.check(question({"a[x]"}));
  CHECK(checked.answer == Answer::yes);
  CHECK(checked.stack.components ==
        std::map<std::string, std::string>{{"a", "2"}, {"a+x", "2"}, {"b", "2"}, {"c", "1"}, {"machine", "x86_64"}, {"python", "3.11.0"}});
  CHECK(stack_of(known.check(question({"a"})), "b").empty());
  CHECK(stack_of(known.check(question({"a[all]"})), "b") == "2");  // an extra may name another
  CHECK(stack_of(known.check(question({"a[x]", "b<2"})), "a") == "1");
}

TEST_CASE("check: what was yanked is taken only where it is named alone") {
  CHECK(stack_of(in_torch_world(question({"torch"})), "torch") == "2.9.0");
  CHECK(stack_of(in_torch_world(question({"torch>=2.9"})), "torch") == "2.9.0");
  CHECK(stack_of(in_torch_world(question({"torch==2.9.1"})), "torch") == "2.9.1");
  CHECK(in_torch_world(question({"torch>2.9"})).answer == Answer::unknown);
}

TEST_CASE("check: a local build is taken only where one is named") {
  CHECK(stack_of(in_torch_world(on_gpu({"torch"}, "8.0")), "torch") == "2.9.0");
  CHECK(stack_of(in_torch_world(on_gpu({"torch==2.9.0"}, "8.0")), "torch") == "2.9.0");
  const auto named = in_torch_world(on_gpu({"torch==2.9.0+cu126"}, "7.0"));
  CHECK(named.answer == Answer::yes);
  CHECK(stack_of(named, "torch") == "2.9.0+cu126");
  CHECK(stack_of(named, "nvidia-cudnn-cu12").empty());  // holds its own
}

TEST_CASE("check: constraints may use other names, too") {
  Known known;
  torch_world(known);
  known.overlay("", R"({"torch": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})");
  auto asked = on_gpu({"torch"}, "7.0");
  asked.constraints = question({"pytorch<2.5"}).asked;
  CHECK(stack_of(known.check(asked), "torch") == "2.4.0");
}

TEST_CASE("check: other names are the same packages") {
  Known known;
  torch_world(known);
  known.package("app", pure({{"1", {"pytorch==2.4.0"}}}));
  known.overlay("", R"({"torch": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})");
  CHECK(stack_of(known.check(on_gpu({"pytorch==2.4.0"}, "8.0")), "torch") == "2.4.0");
  const auto checked = known.check(on_gpu({"app"}, "8.0"));
  CHECK(checked.answer == Answer::yes);
  CHECK(stack_of(checked, "torch") == "2.4.0");
  CHECK(known.check(on_gpu({"app", "torch==2.9.0"}, "8.0")).answer == Answer::no);
}

TEST_CASE("check: an overlay adds a version") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.10.0"], "built_for": {"cuda": "12.8", "cubins": ["7.0"]}})",
                R"({"torch": {"kind": "package", "versions": {"2.10.0": {"requires": {"python": ">=3.11"}}}}})");
  const auto checked = known.check(on_gpu({"torch"}, "7.0"));
  CHECK(checked.answer == Answer::yes);
  CHECK(stack_of(checked, "torch") == "2.10.0");
  CHECK(checked.overlays.size() == 1);
  auto older = on_gpu({"torch==2.10.0"}, "7.0");
  older.python = "3.10";
  CHECK(known.check(older).answer == Answer::no);
}

TEST_CASE("check: an overlay overrides a fact") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.9.0"], "built_for": {"cuda": "12.8", "cubins": ["7.0"]}})");
  CHECK(known.check(on_gpu({"torch==2.9.0"}, "7.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"torch==2.9.0"}, "8.0")).answer == Answer::no);
}

TEST_CASE("check: an overlay's demands count, also those that package metadata cannot make") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "own", "versions": "*", "built_for": {"cuda": "12.8", "ptx": ["5.0"]}})",
                R"({"own": {"kind": "package", "versions": {
                     "1": {"requires": {"driver": ">=580", "torch": {"any": ["==2.4.0", "==9"]}}},
                     "2": {"requires": {"gpu.compute_capability": ">=9.0"}},
                     "3": {"conflicts": {"torch": "<2.9"}},
                     "4": {"requires_if": [{"if": {"torch": "<2.9"}, "then": {"gpu.compute_capability": ">=9.0"}}]}}}})");
  CHECK(known.check(on_gpu({"own==1"}, "8.0", "575.1")).answer == Answer::no);
  CHECK(stack_of(known.check(on_gpu({"own==1"}, "8.0", "580.1")), "torch") == "2.4.0");
  CHECK(known.check(question({"own==1"})).answer == Answer::yes);  // without a GPU nobody looks at a driver
  CHECK(known.check(on_gpu({"own==2"}, "8.0")).answer == Answer::no);
  CHECK(known.check(on_gpu({"own==2"}, "9.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"own==3", "torch==2.4.0"}, "8.0")).answer == Answer::no);
  CHECK(known.check(on_gpu({"own==3", "torch==2.9.0"}, "8.0")).answer == Answer::yes);
  CHECK_THAT(known.check(on_gpu({"own==4", "torch==2.4.0"}, "8.0")).text, Contains("own 4 needs compute capability >=9.0 if torch <2.9"));
  CHECK(known.check(on_gpu({"own==4", "torch==2.4.0"}, "9.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"own==4"}, "8.0")).answer == Answer::yes);
}

TEST_CASE("check: built from source, requirements that nobody read") {
  Known known;
  known.package("a", R"({"1": {"sdist": true}})");
  const auto checked = known.check(question({"a"}));
  CHECK(checked.answer == Answer::yes);
  CHECK_THAT(joined(checked.notes), Contains("a 1 is built here from its source archive"));
  CHECK(not_judged(checked, "what a 1 requires"));
}

TEST_CASE("check: a dependency in a version that nobody lists is a no that says so") {
  Known known;
  torch_world(known);
  known.package("app", pure({{"1", {"torch==9"}}}));
  const auto checked = known.check(on_gpu({"app"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("app 1 needs torch ==9, and the index has no such version"));
}

TEST_CASE("check: markers that do not hold ask for nothing") {
  CHECK(in_torch_world(on_gpu({"torch==2.4.0", "torch==2.9.0; python_version < '3.11'"}, "8.0")).answer == Answer::yes);
}

TEST_CASE("check: a cycle of requirements") {
  Known known;
  known.package("a", pure({{"1", {"b"}}, {"2", {"b"}}})).package("b", pure({{"1", {"a<2"}}}));
  CHECK(stack_of(known.check(question({"a"})), "a") == "1");
}

}  // namespace check_tests
