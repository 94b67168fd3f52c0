// The nearest that runs.
#include <catch2/catch.hpp>

#include "tests/advisor/check/small_world.hpp"

namespace check_tests {

using Catch::Matchers::Contains;

TEST_CASE("check: no by compute capability, and the same version in another build is nearest") {
  const auto checked = in_torch_world(on_gpu({"torch==2.9.0"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.9.0 has no kernels for V100 (sm_70)"));
  REQUIRE(checked.because.size() > 1);
  CHECK_THAT(checked.because[1], Contains("torch 2.9.0 is built for CUDA 12.8 and compute capability 7.5, 8.x, 9.x"));
  CHECK(stack_of(checked, "torch") == "2.9.0");  // what would be installed
  CHECK_FALSE(checked.clash.empty());
  REQUIRE_FALSE(checked.nearest.empty());
  REQUIRE(checked.nearest[0].changes.size() == 1);
  CHECK(checked.nearest[0].changes[0].name == "torch");
  CHECK(checked.nearest[0].changes[0].to == "2.9.0+cu126");
}

TEST_CASE("check: where no release runs, what else is known to run there") {
  Known known;
  torch_world(known);
  known.package("tensorflow", pure({{"2", {}}}));
  known.overlay(R"({"of": "tensorflow", "versions": "*", "built_for": {"cuda": "12.8", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"tensorflow"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  CHECK(checked.nearest.empty());
  CHECK_THAT(joined(checked.notes), Contains("no release of tensorflow that is known has code for V100 (sm_70)"));
  CHECK_THAT(joined(checked.notes), Contains("what is known to run there: torch 2.9.0+cu126"));
  CHECK_FALSE(joined(known.check(on_gpu({"tensorflow"}, "2.0")).notes).contains("known to run there"));
}

TEST_CASE("check: an old driver and an old release together are the nearest for an old GPU") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0"}, "3.7", "535.54.03"));
  CHECK(checked.answer == Answer::no);
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].changes_text() == "torch 1.13.1 instead of 2.4.0, driver >=450.80.02,<471 instead of 535.54.03");
}

TEST_CASE("check: another Python is the nearest where no release for this one runs") {
  auto old = on_gpu({"torch"}, "9.0");
  old.python = "3.8";
  const auto checked = in_torch_world(old);
  CHECK(checked.answer == Answer::no);
  CHECK(checked.text == "torch 2.9.0 has wheels for Python 3.11 to 3.13, not for 3.8; an installer falls back, and torch 1.13.1 has no "
                        "kernels for V100 (sm_90)");
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].changes_text() == "Python 3.11 instead of 3.8, torch 2.9.0");
  CHECK(checked.nearest[0].install == Texts{"torch==2.9.0"});
}

TEST_CASE("check: an extra that brings nothing for a GPU is not the nearest") {
  Known known;
  torch_world(known);
  known.package("jax", R"({"0.4": {"wheels": {"any": "py3-none"}, "requires": []},
    "0.6": {"wheels": {"any": "py3-none"}, "requires": ["jax-cuda12-plugin==0.6; extra == \"cuda12\""]}})");
  known.package("jax-cuda12-plugin", pure({{"0.6", {}}}));
  known.overlay(R"({"of": "jax", "versions": "*", "gpu_from": ["jax-cuda12-plugin"], "instead": "jax[cuda12]"},
    {"of": "jax-cuda12-plugin", "versions": "*", "built_for": {"cuda": "12.8", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"jax==0.4"}, "8.0"));
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].changes_text() == "jax[cuda12] 0.6 instead of jax");
  CHECK(known.check(on_gpu({"jax"}, "3.7")).nearest.empty());
}

// As vllm 0.1.3, the last that does not say which torch it takes.
TEST_CASE("check: a release that nobody means is not judged without what the newest needs") {
  Known known;
  torch_world(known);
  known.package("server", pure({{"0.1", {}}, {"2", {"torch==2.4.0"}}, {"3", {"torch==2.4.0"}}}));
  known.overlay(R"({"of": "server", "versions": ">=2", "built_for": {"cuda": "any", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"torch==2.9.0", "server"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "server 3 needs torch ==2.4.0, and torch ==2.9.0 is asked for; an installer falls back, and nobody states "
                        "for which GPUs server 0.1 is built");
  CHECK(stack_of(checked, "server") == "0.1");  // what would be installed
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].install == Texts{"torch==2.4.0", "server==3"});
  CHECK(checked.nearest[0].changes_text() == "torch 2.4.0 instead of 2.9.0, server 3");
  const auto meant = known.check(on_gpu({"torch==2.9.0", "server==0.1"}, "8.0"));
  CHECK(meant.answer == Answer::unknown);
  CHECK(meant.text == "nobody states for which GPUs server 0.1 is built");
  CHECK(meant.nearest.empty());
}

TEST_CASE("check: beside the version of the index the newer build of another index; extras as people write them") {
  Known known;
  known.package("a", R"({"1": {"wheels": {"any": "py3-none"}, "requires": []}, "2": {"wheels": {"any": "py3-none"}, "requires": []}})")
      .package("b", R"({"1": {"wheels": {"any": "py3-none"}, "requires": ["a>=2; extra == \"x\""]}})")
      .facts(std::string(drivers) + R"(,
        {"of": "a", "versions": ["1"], "built_for": {"cuda": "12.1", "cubins": ["7.0"]}},
        {"of": "a", "versions": ["2"], "built_for": {"cuda": "12.6", "cubins": ["8.0"]}},
        {"of": "a", "versions": ["2+cu121"], "built_for": {"cuda": "12.1", "cubins": ["7.0"]}})");
  for (const char* asked : {"a", "a>=1"}) {
    const auto checked = known.check(on_gpu({asked}, "7.0"));
    CHECK(checked.answer == Answer::no);
    REQUIRE(checked.nearest.size() == 2);
    CHECK(checked.nearest[0].changes[0].to == "2+cu121");
    CHECK(checked.nearest[1].changes[0].to == "1");
    CHECK(checked.nearest[0].install == Texts{"a==2+cu121"});
  }
  CHECK(known.check(on_gpu({"a<2"}, "7.0")).answer == Answer::yes);
  const auto checked = known.check(on_gpu({"b[x]"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  REQUIRE_FALSE(checked.clash.empty());
  CHECK(checked.clash.front().text == "you ask for b[x]");
  REQUIRE_FALSE(checked.clash.front().leads_to.empty());
  CHECK(checked.clash.front().leads_to.front().text == "b[x] 1 needs a >=2");
}

}  // namespace check_tests
