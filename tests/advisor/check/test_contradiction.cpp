#include "advisor/check/contradiction.hpp"

#include <catch2/catch.hpp>

#include "tests/advisor/check/small_world.hpp"

namespace check_tests {

using Catch::Matchers::Contains;

TEST_CASE("contradiction: two versions of a package, and the nearest is one of them") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0", "torch==1.13.1"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch==2.4.0") && Contains(" and torch==1.13.1") && Contains(" cannot both be had"));
  REQUIRE(checked.nearest.size() == 2);  // the newer one first
  CHECK(checked.nearest[0].changes_text() == "torch 2.4.0 instead of 1.13.1");
  CHECK(checked.nearest[0].install == Texts{"torch==2.4.0"});
  CHECK(checked.nearest[1].changes_text() == "torch 1.13.1 instead of 2.4.0");
}

TEST_CASE("contradiction: of the two the one that runs there") {
  const auto checked = in_torch_world(on_gpu({"torch==1.13.1", "torch==2.4.0"}, "9.0"));
  REQUIRE(checked.nearest.size() == 1);
  CHECK(stack_of(checked, "torch").empty());
  CHECK(checked.nearest[0].changes_text() == "torch 2.4.0 instead of 1.13.1");
}

TEST_CASE("contradiction: a range with no version, and one with no release") {
  const auto none = in_torch_world(on_gpu({"torch>=2.4,<2.4"}, "8.0"));
  CHECK(none.answer == Answer::no);
  CHECK(none.text == "no version of torch is >=2.4,<2.4; the nearest known are 1.13.1 and 2.4.0");
  CHECK(none.nearest.at(0).install == Texts{"torch==2.4.0"});
  const auto between = in_torch_world(on_gpu({"torch>=2.5,<2.9"}, "8.0"));
  CHECK(between.answer == Answer::no);
  CHECK(between.text == "no release of torch is >=2.5,<2.9; the nearest known are 2.4.0 and 2.9.0");
  CHECK(in_torch_world(on_gpu({"torch!=1.13.1,<2.4"}, "8.0")).text == "no release of torch is !=1.13.1,<2.4; the nearest known is 2.4.0");
}

TEST_CASE("contradiction: what a later release may meet, and a version that nobody lists, are unknown") {
  for (const char* text : {"torch>=3", "torch==2.5.0", "torch==2.5.0,<3", "torch==2.9.0+cu999"})
    CHECK(in_torch_world(on_gpu({text}, "8.0")).answer == Answer::unknown);
}

TEST_CASE("contradiction: of a package that nobody lists two ranges that exclude each other") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0", "magic<2", "magic>=2"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("magic<2") && Contains(" and magic>=2") && Contains("cannot both be had"));
}

TEST_CASE("contradiction: markers of different Pythons are none, a constraint is") {
  auto asked = on_gpu({"torch==2.4.0; python_version >= '3.11'", "torch==1.13.1; python_version < '3.11'"}, "8.0");
  CHECK(in_torch_world(asked).answer == Answer::yes);
  asked = on_gpu({"torch==2.4.0"}, "8.0");
  asked.constraints.push_back(specs::read_dependency("torch<2", "c.txt:1"));
  const auto checked = in_torch_world(asked);
  CHECK_THAT(checked.text, Contains("torch<2 (c.txt:1) cannot both be had"));
  CHECK(checked.nearest.at(0).install.size() == 1);
}

TEST_CASE("contradiction: extras stay") {
  const auto checked = in_torch_world(on_gpu({"torch[opt-einsum]==1.13.1", "torch==2.4.0"}, "8.0"));
  CHECK(checked.nearest.at(0).install == Texts{"torch[opt-einsum]==2.4.0"});
}

}  // namespace check_tests
