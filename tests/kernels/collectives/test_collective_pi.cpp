// The collective indicators as processes, on MPIs that are right or wrong on purpose.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const Words kCollectivePis = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                              "alltoall"};

std::string mpi(const std::string& build) {
  return std::string(STACKX_FAKES) + "/mpi/" + build + "/libmpi.so";
}

PiResult run_collective(const std::string& pi, const std::string& library, const Words& words,
                        const Words& environment = {}) {
  Words arguments{pi, "--library", library, "warmup_ms=0", "min_sample_ms=0.01", "repetitions=3"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run_pi(arguments, environment);
}

// One document, whatever launchers print.
bool is_one_document(const PiResult& result) {
  return result.out.ends_with("}\n") && result.out.find('\n') + 1 == result.out.size();
}

}  // namespace

TEST_CASE("ranks that the PI starts itself give one document", "[collectives][pi]") {
  for (const std::string build : {"mpich", "openmpi"})
    for (const std::string& pi : kCollectivePis) {
      INFO(build << " " << pi);
      const auto result =
          run_collective(pi, mpi(build), {"bytes=30000", "ranks=3", "mini_batch=2"});
      INFO(result.err);
      REQUIRE(result.status == 0);
      CHECK(is_one_document(result));
      CHECK_THAT(result.err, Contains("a launcher that prints to stdout"));
      const json document = result.json();
      CHECK(document["name"] == pi);
      CHECK(document["component"] == build);
      CHECK(document["loaded"] == json{{build, "9.8.7"}});
      CHECK(document["library"]["path"] == mpi(build));
      CHECK(document["check"]["pass"] == true);
      CHECK(document["samples_ns"].size() == 3);
      CHECK(document["parameters"]["ranks"] == 3);
      const double factor = pi == "all_reduce" ? 4. / 3 : pi == "broadcast" ? 1 : 2. / 3;
      CHECK(document["work"]["bytes"].get<double>() == Approx(2 * 30000 * factor));
      const json& collective = document["collective"];
      CHECK(collective["bus_gbps"].get<double>() ==
            Approx(document["metrics"]["algorithm_gbps"].get<double>() * factor));
      CHECK(collective["message_bytes"] == 30000);
      CHECK_THAT(document["work_formula"].get<std::string>(), Contains("nccl-tests"));
    }
}

TEST_CASE("every type that MPI has is exchanged; it has no half precision to add",
          "[collectives][pi]") {
  for (const std::string& pi : kCollectivePis)
    for (const std::string dtype : {"float32", "float64", "int32", "float16", "bfloat16"}) {
      INFO(pi << " " << dtype);
      const auto result =
          run_collective(pi, mpi("openmpi"), {"bytes=4096", "ranks=2", "dtype=" + dtype});
      INFO(result.err);
      const json document = result.json();
      if (dtype.ends_with("float16") && (pi == "all_reduce" || pi == "reduce_scatter")) {
        CHECK(document["unsupported"] == "MPI has no reduction of " + dtype);
        continue;
      }
      CHECK(document["check"]["pass"] == true);
    }
}

TEST_CASE("one rank: no bus bandwidth, and it says so", "[collectives][pi]") {
  for (const std::string& pi : kCollectivePis) {
    const json document = run_collective(pi, mpi("mpich"), {"ranks=1", "bytes=64"}).json();
    CHECK(document["check"]["pass"] == true);
    CHECK(document["work"]["bytes"] == 0);
    CHECK(document["work"]["items"].get<double>() >= 1);
    CHECK_THAT(document["notes"][0].get<std::string>(), Contains("one rank moves nothing"));
  }
}

TEST_CASE("a wrong MPI is told on whichever rank it shows, and not timed", "[collectives][pi]") {
  for (const std::string build : {"no_last_rank", "one_element", "last_quarter", "late",
                                  "other_operation", "alone", "one_rank"})
    for (const std::string& pi : kCollectivePis) {
      INFO(build << " " << pi);
      const auto result = run_collective(pi, mpi(build), {"ranks=3", "bytes=12000", "dtype=int32"});
      INFO(result.err);
      REQUIRE(result.status == 0);
      const json document = result.json();
      CHECK(document["check"]["pass"] == false);
      CHECK(document["samples_ns"].empty());
      const auto detail = document["check"]["detail"].get<std::string>();
      CHECK_THAT(detail, Contains("element"));
      if (build == "one_rank") CHECK_THAT(detail, Contains("of rank 2"));
    }
  const auto result = run_collective("all_reduce", mpi("float_sum"), {"ranks=2", "dtype=float64"});
  CHECK(result.json()["check"]["pass"] == false);
}

TEST_CASE("every rank's result is in the digest, and whichever changes from call to call is told", "[collectives][pi][bits]") {
  const Words three = {"ranks=3", "bytes=12000"};
  for (const std::string& pi : kCollectivePis) {
    INFO(pi);
    const json one = run_collective(pi, mpi("mpich"), three).json()["check"];
    CHECK(one["deterministic"] == true);
    CHECK(one["inputs"] == "splitmix64, seed 1");
    CHECK(one["result_digest"].get<std::string>().size() == 64);
    CHECK(run_collective(pi, mpi("openmpi"), three).json()["check"]["result_digest"] == one["result_digest"]);
    const json other = run_collective(pi, mpi("unsteady"), three).json()["check"];
    const bool adds = pi == "all_reduce" || pi == "reduce_scatter";
    CHECK(other["pass"] == true);
    CHECK(other["deterministic"] == !adds);
    CHECK(other["result_digest"] == one["result_digest"]);  // of the first call
  }
}

TEST_CASE("one bit of one rank is told: what is moved is wrong, a sum has other ulps and another digest", "[collectives][pi][bits]") {
  const Words three = {"ranks=3", "bytes=12000", "seed=2"};  // an element of a sum that may err by more
  for (const std::string& pi : kCollectivePis) {
    INFO(pi);
    const json right = run_collective(pi, mpi("mpich"), three).json()["check"];
    const json one = run_collective(pi, mpi("one_bit"), three).json()["check"];
    INFO(one.dump());
    const bool adds = pi == "all_reduce" || pi == "reduce_scatter";
    const double before = right["max_ulps"], ulps = one["max_ulps"];
    CHECK((adds ? before > 0.49 && before <= 0.5 : before == 0));  // it adds in double and rounds once
    CHECK(one["pass"] == adds);
    if (adds) {
      CHECK((ulps > 0.5 && ulps <= 1.5));
      CHECK(one["result_digest"] != right["result_digest"]);
      CHECK(one["deterministic"] == true);
    } else {
      CHECK(ulps == 1);
      CHECK_THAT(one["detail"].get<std::string>(), Contains("element 0 of rank 2"));
    }
  }
  CHECK_FALSE(run_collective("all_reduce", mpi("mpich"), {"ranks=2", "dtype=int32"}).json()["check"].contains("max_ulps"));
  CHECK_FALSE(run_collective("all_reduce", mpi("mpich"), {"ranks=2", "dtype=float64"}).json()["check"].contains("max_ulps"));
}

TEST_CASE("a rank that dies or fails ends all within seconds, with a message",
          "[collectives][pi]") {
  for (const std::string build : {"killed", "send_fails"}) {
    INFO(build);
    const auto begin = std::chrono::steady_clock::now();
    const auto result = run_collective("all_reduce", mpi(build), {"ranks=3", "bytes=4096"});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(100));
    CHECK(result.status == 3);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("-n 3 ended with status"));
    if (build == "send_fails")
      CHECK_THAT(result.err, Contains("rank 1: MPI_Send fails with error 13"));
  }
}

TEST_CASE("what was measured is kept where the ranks do not leave MPI", "[collectives][pi]") {
  const auto result = run_collective("all_reduce", mpi("mpich"), {"ranks=2", "bytes=4096"}, {"FAKE_MPI_STAYS=1"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(is_one_document(result));
  const json document = result.json();
  CHECK(document["check"]["pass"] == true);
  CHECK(document["samples_ns"].size() == 3);
  const std::string note = "mpich 9.8.7: its ranks had not left MPI_Finalize 10 s after the result, and were ended";
  CHECK(document["notes"].back() == note);
  CHECK_THAT(result.err, Contains(note));
}

TEST_CASE("what the launcher has started ends before the PI does", "[collectives][pi]") {
  const auto mark = std::filesystem::temp_directory_path() / ("stackx-left-" + std::to_string(getpid()));
  const auto result = run_collective("all_reduce", mpi("openmpi"), {"ranks=2", "bytes=4096"}, {"FAKE_MPIRUN_LEAVES=" + mark.string()});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(std::filesystem::remove(mark));
}

TEST_CASE("ranks that a launcher started take part; the first alone prints", "[collectives][pi]") {
  const auto alone =
      run_collective("all_reduce", mpi("mpich"), {"bytes=4096"}, {"PMI_RANK=0", "PMI_SIZE=1"});
  INFO(alone.err);
  CHECK(alone.json()["parameters"]["ranks"] == 1);
  const auto other = run_collective("all_reduce", mpi("mpich"), {"ranks=2", "bytes=4096"},
                                    {"PMI_RANK=0", "PMI_SIZE=1"});
  CHECK(other.status == 3);
  CHECK_THAT(other.err, Contains("2 ranks asked for, MPI_COMM_WORLD has 1"));
  const auto srun = run_collective("all_reduce", mpi("mpich"), {}, {"SLURM_STEP_NUM_TASKS=4"});
  CHECK(srun.status == 3);
  CHECK_THAT(srun.err, Contains("srun --mpi=pmi2"));
}

TEST_CASE("what cannot be is told before anything starts", "[collectives][pi]") {
  CHECK(run_pi({"all_reduce"}).status == 2);
  CHECK(run_collective("all_reduce", mpi("mpich"), {"ranks=x"}).status == 2);
  CHECK(run_collective("all_reduce", mpi("mpich"), {"dtype=int8"}).status == 2);
  CHECK(run_collective("all_gather", mpi("mpich"), {"reduction=sum"}).status == 2);
  const auto small = run_collective("alltoall", mpi("mpich"), {"bytes=4", "ranks=2"});
  CHECK_THAT(small.json()["unsupported"].get<std::string>(), Contains("less than an element"));
  const auto none = run_collective("all_reduce", fake("nothing"), {});
  CHECK(none.status == 3);
  CHECK_THAT(none.err, Contains("neither MPI's functions nor NCCL's"));
}

TEST_CASE("ranks whose buffers do not fit together are refused, all of them", "[collectives][pi]") {
  for (const std::string build : {"mpich", "openmpi"}) {
    const auto result = run_collective("all_gather", mpi(build), {"bytes=1099511627776", "ranks=3"});
    INFO(build << " " << result.err);
    REQUIRE(result.status == 0);
    CHECK(is_one_document(result));
    const json document = result.json();
    CHECK_FALSE(document.contains("samples_ns"));
    CHECK_THAT(document["unsupported"].get<std::string>(),
               Contains("bytes=1099511627776 takes 10.0 TiB of host memory (4.0 TiB for arrays, 6.0 TiB for the check) in 3 processes; "
                        "there are") && Contains("give a smaller bytes"));
  }
}

#ifndef __SANITIZE_ADDRESS__  // which reserves more than this
TEST_CASE("what fits each rank's limit of address space is not refused for that of all", "[collectives][pi]") {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit ours{rlim_t{1} << 28, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &ours) == 0);
  const auto unsupported = [](const std::string& bytes) {
    return run_collective("all_gather", mpi("mpich"), {bytes, "ranks=8"}).json().value("unsupported", "");
  };
  const auto fits = unsupported("bytes=16777216"), does_not = unsupported("bytes=134217728");
  setrlimit(RLIMIT_AS, &before);
  CHECK(fits == "");
  CHECK_THAT(does_not, Contains("in 8 processes") && Contains("(left by the limit of address space of each process)"));
}
#endif
