// The collective indicators on NCCLs of the tests' GPUs, right or wrong on purpose.
#include <catch2/catch.hpp>

#include "kernels/collectives/nccl.hpp"
#include "tests/kernels/gpu_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const Words kNcclPis = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"};

PiResult run_nccl(const std::string& pi, const Words& words, const std::string& build = "nccl",
                  Words environment = {}, const std::string& machine = "right") {
  Words arguments{pi,
                  "--library",
                  gpu_fake(build, "libnccl.so.2"),
                  "--with",
                  gpu_fake("right", "libcudart.so.12"),
                  "warmup_ms=0",
                  "min_sample_ms=0.01",
                  "repetitions=3"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  environment.push_back("FAKE_CUDA_DEVICES=3");
  environment.push_back("LD_LIBRARY_PATH=" + gpu_fake(machine));
  return run_pi(arguments, environment);
}

}  // namespace

TEST_CASE("NCCL: one GPU and several are checked and measured", "[collectives][gpu]") {
  for (const std::string& pi : kNcclPis)
    for (const std::string ranks : {"1", "2", "0"}) {
      INFO(pi << " " << ranks);
      const auto result = run_nccl(pi, {"bytes=8192", "ranks=" + ranks, "dtype=float64"});
      INFO(result.err);
      REQUIRE(result.status == 0);
      const json document = result.json();
      CHECK_FALSE(document.contains("unsupported"));
      CHECK(document["check"]["pass"] == true);
      CHECK(document["component"] == "nccl");
      CHECK(document["loaded"] == json{{"nccl", "2.21.5"}, {"cudart", "12.4"}});
      CHECK(document["gpu"]["name"] == "Fake H100");
      CHECK(document["samples_ns"].size() == 3);
      CHECK(document["conditions"]["sm_clock_mhz"].size() == 3);
      CHECK((document["work"]["bytes"] > 0) == (ranks != "1"));
    }
}

TEST_CASE("NCCL: what is wrong on any rank is told and not timed", "[collectives][gpu]") {
  for (const std::string build :
       {"nccl_no_last_rank", "nccl_last_rank_zero", "nccl_idle", "nccl_reversed"})
    for (const std::string& pi : kNcclPis) {
      INFO(build << " " << pi);
      const json document = run_nccl(pi, {"bytes=8192", "ranks=2", "dtype=int32"}, build).json();
      CHECK(document["check"]["pass"] == false);
      CHECK(document["samples_ns"].empty());
    }
}

TEST_CASE("NCCL: too many ranks, old versions, no GPU", "[collectives][gpu]") {
  CHECK_THAT(run_nccl("all_reduce", {"ranks=9"}).json()["unsupported"].get<std::string>(),
             Contains("9 ranks asked for, a GPU each: device="));
  const json old = run_nccl("alltoall", {"ranks=2"}, "nccl", {"FAKE_NCCL_VERSION=2604"}).json();
  CHECK(old["unsupported"] == "NCCL 2.6.4 cannot send: alltoall needs 2.7");
  const json half =
      run_nccl("broadcast", {"ranks=2", "dtype=bfloat16"}, "nccl", {"FAKE_NCCL_VERSION=20908"})
          .json();
  CHECK(half["unsupported"] == "NCCL 2.9.8 has no bfloat16");
  const json none = run_nccl("all_reduce", {}, "nccl", {}, "no_such_machine").json();
  CHECK_THAT(none["unsupported"].get<std::string>(), Contains("libcuda.so.1 not found"));
  CHECK(none["loaded"] == json{{"nccl", "2.21.5"}});
}

TEST_CASE("NCCL: versions as it counts them", "[collectives]") {
  using stackx::kernels::collectives::nccl_version_text;
  CHECK(nccl_version_text(2804) == "2.8.4");
  CHECK(nccl_version_text(20908) == "2.9.8");
  CHECK(nccl_version_text(22105) == "2.21.5");
}
