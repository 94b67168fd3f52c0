// stackx-pi on the real libraries that this machine has installed; those it lacks are skipped with
// a message.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using nlohmann::json;

namespace {

constexpr const char* kDirectory = "/usr/lib/x86_64-linux-gnu/";

struct Installed {
  std::string package, file, kind;
  bool reports_version;
  std::vector<std::string> dtypes;
  bool threads;
};

const std::vector<Installed> kInstalled = {
    {"libblas3", "blas/libblas.so.3", "netlib", false, {"float32", "float64"}, false},
    {"libopenblas0-pthread",
     "openblas-pthread/libopenblas.so.0",
     "openblas",
     true,
     {"float32", "float64"},
     true},
    {"libopenblas0-openmp",
     "openblas-openmp/libopenblas.so.0",
     "openblas",
     true,
     {"float32", "float64"},
     true},
    {"libopenblas0-serial",
     "openblas-serial/libopenblas.so.0",
     "openblas",
     true,
     {"float32", "float64"},
     false},
    {"libopenblas64-0-pthread",
     "openblas64-pthread/libopenblas64.so.0",
     "openblas",
     true,
     {"float32", "float64"},
     true},
    {"libblis4-pthread", "blis-pthread/libblis.so.4", "blis", true, {"float32", "float64"}, true},
    {"libblis4-openmp", "blis-openmp/libblis.so.4", "blis", true, {"float32", "float64"}, true},
    {"libblis4-serial", "blis-serial/libblis.so.4", "blis", true, {"float32", "float64"}, false},
    {"libdnnl2", "libdnnl.so.2", "onednn", true, {"float32", "int8"}, true},
};

}  // namespace

TEST_CASE("installed libraries multiply right and say who they are", "[pi][system]") {
  for (const Installed& library : kInstalled) {
    const std::string path = kDirectory + library.file;
    if (!std::filesystem::exists(path)) {
      WARN("skipped: " << library.package << " is not installed");
      continue;
    }
    for (const std::string& dtype : library.dtypes)
      for (const std::string threads : {"1", "2"}) {
        INFO(path << " " << dtype << " threads " << threads);
        const auto result = run_matmul(path, {"m=67", "n=129", "k=300", "repetitions=2",
                                              "dtype=" + dtype, "threads=" + threads});
        INFO(result.err);
        REQUIRE(result.status == 0);
        const json document = result.json();
        CHECK(document["library"]["kind"] == library.kind);
        CHECK(document["loaded"].contains(library.kind) == library.reports_version);
        if (threads == "2" && !library.threads) {
          CHECK(document.contains("unsupported"));
          continue;
        }
        CHECK(document["check"]["pass"] == true);
        CHECK(document["samples_ns"].size() == 2);
        CHECK(document["library"]["threads"] == std::stoi(threads));
      }
  }
}

TEST_CASE("a large product is checked by sampling and passes", "[pi][system]") {
  const std::string path = std::string(kDirectory) + "libdnnl.so.2";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: libdnnl2 is not installed");
    return;
  }
  const auto result =
      run_matmul(path, {"m=900", "n=900", "k=900", "repetitions=1", "mini_batch=1"});
  REQUIRE(result.status == 0);
  CHECK(result.json()["check"]["pass"] == true);
  CHECK_THAT(result.json()["check"]["reference"].get<std::string>(),
             Catch::Matchers::Contains("Freivalds"));
}
