#include <catch2/catch.hpp>

#include "tests/workspace/doctor/machine.hpp"
#include "workspace/doctor/abilities.hpp"

using namespace stackx::workspace;
using namespace stackx::workspace::testing;

TEST_CASE("the sentence says what a machine can do, and what not", "[doctor]") {
  CHECK(abilities(good_machine()).sentence() ==
        "This machine can advise, check, resolve, fetch packages, measure (sandboxed, CPU and GPU) and run containers.");
  auto usual = with(with(good_machine(), "GPU", Status::none), "containers", Status::poor);
  CHECK(abilities(usual).sentence() ==
        "This machine can advise, check, resolve, fetch packages and measure (sandboxed, CPU); it cannot measure GPUs or run "
        "containers.");
  usual = with(usual, "sandbox", Status::poor);
  CHECK_THAT(abilities(usual).sentence(), Catch::Contains("measure (without a sandbox, CPU);"));
  CHECK_THAT(abilities(with(usual, "sandbox", Status::unknown)).sentence(), Catch::Contains("measure (sandbox unknown, CPU);"));
}

TEST_CASE("what was not found out is neither can nor cannot", "[doctor]") {
  const auto offline = with(with(good_machine(), "package index", Status::unknown), "containers", Status::unknown);
  CHECK(abilities(offline).sentence() ==
        "This machine can advise, check, resolve and measure (sandboxed, CPU and GPU); whether it can fetch packages or run "
        "containers was not found out.");
  // It takes both; without the one it does not matter what the other would have said.
  CHECK_THAT(abilities(with(offline, "uv", Status::poor)).sentence(), Catch::Contains("it cannot fetch packages"));
  CHECK(abilities(with(good_machine(), "GPU", Status::unknown)).unsure == std::vector<std::string>{"measure GPUs"});
}

TEST_CASE("the basic job is to advise, to measure and to keep it", "[doctor]") {
  CHECK(abilities(good_machine()).basic);
  for (const char* what : {"catalogs", "programs", "store", "disk"}) {
    INFO(what);
    CHECK_FALSE(abilities(with(good_machine(), what, Status::broken)).basic);
    CHECK(abilities(with(good_machine(), what, Status::poor)).basic);
  }
  for (const char* what : {"charts", "sandbox", "noise", "Python", "uv", "package index", "containers", "base images", "GPU",
                           "GPU in containers", "energy", "Slurm", "Kubernetes"}) {
    INFO(what);
    CHECK(abilities(with(good_machine(), what, Status::poor)).basic);
    CHECK(abilities(with(good_machine(), what, Status::none)).basic);
  }
  const auto lost = with(good_machine(), "store", Status::broken);
  CHECK_THAT(abilities(lost).sentence(), Catch::EndsWith("it cannot keep results."));
  CHECK_THAT(abilities(with(good_machine(), "programs", Status::broken)).sentence(), Catch::EndsWith("it cannot measure."));
  CHECK_THAT(abilities(with(good_machine(), "catalogs", Status::broken)).sentence(), Catch::EndsWith("it cannot advise, check or resolve."));
}

TEST_CASE("of a machine of which nothing is known, nothing is said that it can", "[doctor]") {
  const auto nothing = abilities({});
  CHECK(nothing.can.empty());
  CHECK_FALSE(nothing.basic);
  CHECK(nothing.sentence() == "This machine cannot advise, check, resolve or measure; whether it can fetch packages or run containers was not found out.");
}
