// check() on small worlds. That it takes what pip would take is test_check_property.cpp's.
#include "advisor/check/check.hpp"

#include <catch2/catch.hpp>

#include "advisor/check/check_json.hpp"
#include "tests/advisor/check/small_world.hpp"

namespace check_tests {

using Catch::Matchers::Contains;

TEST_CASE("check: yes, with what would be installed and the drivers that do") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0"}, "7.0"));
  CHECK(checked.answer == Answer::yes);
  CHECK(checked.text == "torch==2.4.0 runs on V100 (sm_70) with driver >=525.60.13 on Python 3.11");
  CHECK(checked.because.at(0) == "torch 2.4.0 has code for it");
  CHECK(checked.driver == ">=525.60.13");
  CHECK(checked.pythons == Texts{"3.11"});
  CHECK(stack_of(checked, "torch") == "2.4.0");
  CHECK(stack_of(checked, "nvidia-cudnn-cu12") == "9.1.0.70");
  CHECK(checked.nearest.empty());
  CHECK(checked.clash.empty());
  CHECK(not_judged(checked, "numpy"));
  CHECK(checked.as_of == "2026-11-22");
  const auto used = [&](const std::string& package, const std::string& known) {
    return std::ranges::any_of(checked.facts, [&](const auto& one) { return one.package == package && one.known == known; });
  };
  CHECK(used("torch", "generated"));
  CHECK(used("torch", "read"));
  CHECK_FALSE(used("numpy", "generated"));
  CHECK(checked.overlays.empty());
}

TEST_CASE("check: without a Python named, those that take the same") {
  auto asked = on_gpu({"torch==2.4.0"}, "7.0");
  asked.python.clear();
  const auto checked = in_torch_world(asked);
  CHECK(checked.answer == Answer::yes);
  CHECK(checked.pythons == Texts{"3.11", "3.10"});
  CHECK_THAT(checked.text, Contains("on Python 3.10 to 3.11"));
}

TEST_CASE("check: a version that nobody lists is unknown, with its neighbours") {
  const auto checked = in_torch_world(on_gpu({"torch==2.5.0"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "no torch 2.5.0 is known; known are 2.4.0 and 2.9.0 and 2.9.1");
  CHECK_THAT(joined(checked.notes), Contains("stackx catalog refresh"));
  CHECK_THAT(in_torch_world(on_gpu({"torch==2.9.0+cu999"}, "8.0")).text, Contains("no torch 2.9.0+cu999 is known; the nearest known is 2.9.0+cu126"));
}

TEST_CASE("check: a package that nobody lists is unknown beside a GPU, and not judged beside others") {
  const auto alone = in_torch_world(on_gpu({"magic"}, "8.0"));
  CHECK(alone.answer == Answer::unknown);
  CHECK(not_judged(alone, "magic"));
  const auto beside = in_torch_world(on_gpu({"torch==2.4.0", "magic"}, "8.0"));
  CHECK(beside.answer == Answer::yes);
  CHECK_THAT(beside.text, Contains("torch==2.4.0 runs on "));  // the yes is of what is judged
  CHECK_FALSE(beside.text.contains("magic"));
  CHECK(beside.not_judged.at(0) == "magic");  // what was asked for comes first
}

TEST_CASE("check: nothing but what nobody lists is no yes on a processor either") {
  CHECK(in_torch_world(question({"magic==1"})).answer == Answer::unknown);
}

TEST_CASE("check: nothing that uses a GPU is unknown") {
  Known known;
  known.package("a", pure({{"1", {}}}));
  const auto checked = known.check(on_gpu({"a"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "for which GPUs a works is not known here");
  CHECK(known.check(question({"a"})).answer == Answer::yes);  // where no GPU is to be used
}

TEST_CASE("check: as JSON") {
  const auto yes = to_json(in_torch_world(on_gpu({"torch==2.4.0"}, "7.0")));
  CHECK(yes["$schema"] == "stackx/check/1");
  CHECK(yes["answer"] == "yes");
  CHECK(yes["driver"] == ">=525.60.13");
  CHECK(yes["nearest"].is_null());
  CHECK_FALSE(yes.contains("clash"));
  CHECK(yes["facts"]["as_of"] == "2026-11-22");
  const auto no = to_json(in_torch_world(on_gpu({"torch==2.9.0"}, "7.0")));
  CHECK(no["answer"] == "no");
  CHECK(no["nearest"]["changes"][0]["to"] == "2.9.0+cu126");
  CHECK(no["clash"].is_array());
}

}  // namespace check_tests
