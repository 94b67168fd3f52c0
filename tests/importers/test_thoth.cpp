#include "importers/thoth.hpp"

#include <fmt/format.h>

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

std::string result(const std::string& out, const std::string& more = "") {
  return R"({"exit_code": 0, "hostname": "pod-1", "stdout": )" + out +
         R"x(, "stderr": "DTYPE set to float32\n# Version: 2.2.0, path: ['/opt']\n",
      "datetime": "2020-08-05T14:49:50.644642",
      "hwinfo": {"cpu_info": {"brand_raw": "Intel Xeon Processor (Skylake, IBRS)", "count": 64}},
      "runtime_environment": {"cuda_version": null, "python_version": "3.6",
                              "operating_system": {"name": "rhel", "version": "8.2"}})x" + more + "}";
}

std::string matmul(double elapsed, const std::string& parameters, double rate = 50) {
  return fmt::format(R"({{"component": "tensorflow", "name": "PiMatmul", "@parameters": {{"dtype": "float32",
      "device": "cpu", "reps": 2000, "matrix_size": 512{}}}, "@result": {{"elapsed": {}, "rate": {}}}}})",
                     parameters, elapsed, rate);
}

constexpr const char* specification = R"({"base": "quay.io/thoth-station/s2i-thoth-ubi8-py36",
  "identifier": "tf-matmul", "batch_size": "3", "packages": ["which"], "@created": "2020-08-05T14:41:01",
  "build": {"requests": {"cpu": "500m", "memory": "1Gi"}}, "run": {"requests": {"cpu": "2", "memory": "4Gi"}},
  "python": {"requirements": {"packages": {"tensorflow": "==2.2.0"}, "requires": {"python_version": "3.6"}},
    "requirements_locked": {"_meta": {"requires": {"python_version": "3.6"},
        "sources": [{"name": "aicoe", "url": "https://index.example/simple", "verify_ssl": true}]},
      "default": {"tensorflow": {"version": "==2.2.0", "index": "aicoe"}, "numpy": {"version": "==1.19.1"}},
      "develop": {}}},
  "script": "https://raw.githubusercontent.com/thoth-station/performance/master/tensorflow/matmul.py"})";

}  // namespace

TEST_CASE("matmul's rate is computed anew from elapsed, and both are kept") {
  // 100 products in 200 ms; the PI said n^3 + (n-1) n^2 100 operations, which is half
  const double stated = (512.0 * 512 * 512 + 511.0 * 512 * 512 * 100) / 200 / 1e6;
  const auto published = only(read(result(matmul(200, ", \"mini_batch\": 100", stated))));
  CHECK(published.metric == "elapsed_ms");
  CHECK(published.value == Approx(2));
  CHECK(published.workload.text() == "matmul:dtype=float32,k=512,m=512,n=512");
  CHECK(std::stod(published.details.at("rate_stated_gflops")) == Approx(stated));
  CHECK(std::stod(published.details.at("rate_gflops")) == Approx(2.0 * 512 * 512 * 512 * 100 / 200 / 1e6));
  CHECK(published.details.at("mini_batch") == "100");
  CHECK(published.details.at("elapsed_stated") == "200 ms");
  CHECK(published.hardware == "Intel Xeon Processor (Skylake, IBRS)");
  CHECK(published.stack.components == std::map<std::string, std::string>{
            {"os", "rhel 8.2"}, {"python", "3.6"}, {"tensorflow", "2.2.0"}});
  CHECK(published.details.at("date") == "2020-08-05T14:49:50.644642");
}

TEST_CASE("without mini_batch elapsed is that of one product") {
  const auto published = only(read(result(matmul(2, ""))));
  CHECK(published.value == Approx(2));
  CHECK(std::stod(published.details.at("rate_gflops")) == Approx(134.217728));
  CHECK(published.details.count("mini_batch") == 0);
}

TEST_CASE("start and end in place of datetime; the old framework in place of component") {
  auto text = result(R"({"framework": "pytorch", "name": "PiMatmul",
      "@parameters": {"matrix_size": 64, "dtype": "float32", "device": "cpu"}, "@result": {"elapsed": 0.5}})");
  text.replace(text.find("\"datetime\": \"2020-08-05T14:49:50.644642\""), 40,
               "\"start_datetime\": \"2021-01-01T00:00:00\", \"end_datetime\": \"2021-01-01T00:01:00\"");
  const auto published = only(read(text));
  CHECK(published.details.at("date") == "2021-01-01T00:00:00");
  CHECK(published.workload.text() == "matmul:dtype=float32,k=64,m=64,n=64");
  CHECK(published.stack.components.at("torch") == "2.2.0");
}

TEST_CASE("stdout as a text: JSON alone, JSON behind other lines, no JSON") {
  const auto quoted = [](const std::string& text) { return stackx::specs::Json(text).dump(); };
  CHECK(only(read(result(quoted(matmul(2, ""))))).value == Approx(2));
  CHECK(only(read(result(quoted("loading...\n" + matmul(3, ""))))).value == Approx(3));
  CHECK(has(refused(result(quoted("Traceback"))), "no @result"));
  CHECK(has(refused(result("{}")), "stdout is {}: nothing was measured"));
}

TEST_CASE("import and hello_world are in seconds") {
  const auto import = only(read(result(
      R"({"component": "tensorflow", "name": "PiImport", "@parameters": {}, "@result": {"elapsed": 2.5}})")));
  CHECK(import.value == Approx(2500));
  CHECK(import.workload.text() == "import");
  CHECK(import.details.at("elapsed_stated") == "2.5 s");
  const auto hello = only(read(result(
      R"({"component": "tensorflow", "name": "PiHelloWorld", "@parameters": {}, "@result": {"elapsed": 1}})")));
  CHECK(hello.value == Approx(1000));
}

TEST_CASE("a tree: stack and base image from the specification, runs as values") {
  std::map<std::string, std::string> files{{"build/specification", specification}, {"build/log", "text"}};
  for (const auto& [run, elapsed] : std::map<std::string, double>{{"0", 300}, {"1", 100}, {"2", 200}})
    files["results/" + run + "/result"] = result(matmul(elapsed, ", \"mini_batch\": 100"));
  const auto published = only(import_tree(MemoryTree("inspection-tf", files), "auto", origin()));
  CHECK(published.value == Approx(2));
  CHECK(published.statistic == "median");
  REQUIRE(published.values.size() == 3);
  CHECK(published.values[0] == Approx(3));
  CHECK(published.stack.components ==
        std::map<std::string, std::string>{{"image", "quay.io/thoth-station/s2i-thoth-ubi8-py36"},
                                           {"numpy", "1.19.1"},
                                           {"os", "rhel 8.2"},
                                           {"python", "3.6"},
                                           {"tensorflow", "2.2.0"}});
  CHECK(published.details.at("batch_size") == "3");
  CHECK(published.details.at("build_cpus") == "0.5");
  CHECK(published.details.at("run_memory_bytes") == "4294967296");
  CHECK(published.details.at("elapsed_stated") == "300 ms, 100 ms, 200 ms");
  CHECK(published.details.at("package_indexes") == "aicoe");
}

TEST_CASE("runs on two models of CPU are two results; hwinfo from its own file") {
  auto elsewhere = result(matmul(4, ""));
  elsewhere.replace(elsewhere.find("\"hwinfo\""), 8, "\"nothing\"");
  const auto imported = import_tree(
      MemoryTree("t", {{"x/results/0/result", result(matmul(2, ""))},
                       {"x/results/1/result", elsewhere},
                       {"x/results/1/hwinfo", R"({"cpu_info": {"brand": "AMD EPYC"}})"}}),
      "auto", origin());
  REQUIRE(imported.results.size() == 2);
  CHECK(imported.results[0].hardware == "AMD EPYC");
  CHECK(remarked(imported, "x/build/specification: not there"));
}

TEST_CASE("runs that failed or are cut off are remarked, the rest is kept") {
  const auto whole = result(matmul(2, ""));
  auto failed = whole;
  failed.replace(failed.find("\"exit_code\": 0"), 14, "\"exit_code\": 137");
  const auto imported = import_tree(MemoryTree("t", {{"build/specification", "{\"base\": 1, \"misspelt\": 2}"},
                                                     {"results/0/result", whole},
                                                     {"results/1/result", whole.substr(0, 200)},
                                                     {"results/2/result", failed},
                                                     {"results/3/result", result(matmul(-2, ""))}}),
                                    "auto", origin());
  REQUIRE(imported.results.size() == 1);
  CHECK(imported.results[0].runs == 1);
  CHECK(remarked(imported, "results/1/result"));
  CHECK(remarked(imported, "results/2/result: no result: exit code 137"));
  CHECK(remarked(imported, "results/3/result: no result"));
  CHECK(remarked(imported, "the stack is not known"));
}

TEST_CASE("sums over all repetitions, as of early summer 2019, are not kept") {
  auto text = result(matmul(2, ""));
  text.replace(text.find("2020-08-05"), 10, "2019-06-15");
  CHECK(has(refused(text), "the sum of all repetitions"));
}
