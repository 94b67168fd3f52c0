#include "advisor/check/stack_check.hpp"

#include <catch2/catch.hpp>

#include "tests/advisor/known.hpp"

namespace stackx::advisor {
namespace stack_check_tests {

using tests::Known;

// cuDNN 9.28 is built for 7.5 and newer; what requires it allows 9.10, too.
void world(Known& known) {
  known.package("tensorflow", R"({"2.20.0": {"wheels": {"manylinux2014_x86_64": "cp311-cp311"},
                                   "requires": ["nvidia-cudnn-cu12<10,>=9.3; extra == \"and-cuda\""]}})")
      .package("nvidia-cudnn-cu12", R"({"9.28.0.42": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []},
                                         "9.10.2.21": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []}})")
      .facts(R"({"of": "tensorflow", "versions": "*", "built_for": {"cuda": "12.5", "cubins": ["6.0", "7.0", "8.0"]}},
                {"of": "nvidia-cudnn-cu12", "versions": ["9.28.0.42"], "built_for": {"cuda": "12.0", "cubins": ["7.5", "8.0"]}},
                {"of": "nvidia-cudnn-cu12", "versions": ["9.10.2.21"], "built_for": {"cuda": "12.0", "cubins": ["5.0", "7.0", "8.0"]}},
                {"of": "cuda", "versions": ["12.0", "12.5"], "driver": "555.42.02", "minor": "525.60.13"})");
}

StackPackages packages(const std::string& name, const std::string& version, const std::set<std::string>& extras) {
  StackPackages result;
  result[name].version = version;
  result[name].extras = extras;
  return result;
}

TEST_CASE("stack check: a dependency that an installer takes too new for the GPU is a no, and held back it runs") {
  Known known;
  world(known);
  const auto checked =
      check_packages(known.knowledge(), packages("tensorflow", "2.20.0", {"and-cuda"}), "3.11.4", tests::nvidia("7.0"));
  REQUIRE(checked);
  CHECK(checked->answer == Answer::no);
  REQUIRE_FALSE(checked->nearest.empty());
  REQUIRE(checked->nearest.front().changes.size() == 1);
  CHECK(checked->nearest.front().changes[0].name == "nvidia-cudnn-cu12");
  CHECK(checked->nearest.front().changes[0].to == "9.10.2.21");
  CHECK(check_packages(known.knowledge(), packages("tensorflow", "2.20.0", {"and-cuda"}), "3.11", tests::nvidia("8.0"))->answer ==
        Answer::yes);
}

TEST_CASE("stack check: says nothing of stacks without a framework, or on a Python that nobody has wheels for") {
  Known known;
  world(known);
  CHECK_FALSE(check_packages(known.knowledge(), packages("numpy", "2.0", {}), "3.11", tests::nvidia("7.0")));
  CHECK_FALSE(check_packages(known.knowledge(), packages("tensorflow", "2.20.0", {}), "4.1", tests::nvidia("7.0")));
}

}  // namespace stack_check_tests
}  // namespace stackx::advisor
