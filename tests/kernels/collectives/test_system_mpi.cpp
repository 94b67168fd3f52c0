// The collective indicators on the MPIs that this machine has installed; those it lacks are skipped
// with a message.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using nlohmann::json;

namespace {

struct InstalledMpi {
  std::string package, file, launcher, kind;
};

const std::vector<InstalledMpi> kInstalledMpis = {
    {"openmpi-bin", "/usr/lib/x86_64-linux-gnu/libmpi.so.40", "/usr/bin/mpirun.openmpi", "openmpi"},
    {"mpich", "/usr/lib/x86_64-linux-gnu/libmpich.so.12", "/usr/bin/mpiexec.mpich", "mpich"}};

}  // namespace

TEST_CASE("installed MPIs exchange right and say who they are", "[collectives][system]") {
  for (const InstalledMpi& mpi : kInstalledMpis) {
    if (!std::filesystem::exists(mpi.file) || !std::filesystem::exists(mpi.launcher)) {
      WARN("skipped: " << mpi.package << " is not installed");
      continue;
    }
    for (const std::string pi :
         {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"}) {
      INFO(mpi.kind << " " << pi);
      const auto result = run_pi({pi, "--library", mpi.file, "ranks=2", "bytes=40000",
                                  "warmup_ms=0", "dtype=float64", "repetitions=2", "mini_batch=2"});
      INFO(result.err);
      REQUIRE(result.status == 0);
      const json document = result.json();
      CHECK(document["loaded"].contains(mpi.kind));
      CHECK(document["check"]["pass"] == true);
      CHECK(document["samples_ns"].size() == 2);
      CHECK(document["parameters"]["ranks"] == 2);
    }
  }
}
