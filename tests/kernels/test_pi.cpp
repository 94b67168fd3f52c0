// Black-box tests of stackx-pi on libraries that are right or wrong on purpose.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

TEST_CASE("a right library is measured", "[pi]") {
  const auto result =
      run_matmul(fake("right"), {"m=20", "n=30", "k=40", "repetitions=5", "seed=3"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["name"] == "matmul");
  CHECK(document["component"] == "netlib");
  CHECK_FALSE(document.contains("unsupported"));
  CHECK(document["check"]["pass"] == true);
  CHECK(document["check"]["bound"].get<double>() > 0);
  REQUIRE(document["samples_ns"].size() == 5);
  for (const auto& sample : document["samples_ns"]) {
    CHECK(sample.is_number_integer());
    CHECK(sample.get<std::int64_t>() > 0);
  }
  const json& parameters = document["parameters"];
  CHECK(parameters["m"] == 20);
  CHECK(parameters["seed"] == 3);
  CHECK(parameters["dtype"] == "float32");
  CHECK(parameters["threads"] == 1);
  const double batch = parameters["mini_batch"];
  CHECK(batch >= 1);
  CHECK(document["work"]["flop"] == 2.0 * 20 * 30 * 40 * batch);
  CHECK(document["work"]["bytes"] == 4.0 * (20 * 40 + 40 * 30 + 20 * 30) * batch);
  CHECK(document["work"]["items"] == batch);
}

TEST_CASE("files and phases tell what happened", "[pi]") {
  const auto result = run_matmul(fake("right"), {"m=16", "n=16", "k=16"});
  const json document = result.json();
  const auto files = document["files"].get<std::vector<std::string>>();
  CHECK(std::find(files.begin(), files.end(), fake("right")) != files.end());
  for (const std::string& file : files) {
    CHECK(file.front() == '/');
    CHECK(std::filesystem::exists(file));
  }
  std::vector<std::string> names;
  std::int64_t end = 0;
  for (const json& phase : document["phases"]) {
    names.push_back(phase["name"]);
    CHECK(phase["start_ns"].get<std::int64_t>() >=
          end - 1'000'000);  // two clocks: a millisecond of tolerance
    end = phase["start_ns"].get<std::int64_t>() + phase["duration_ns"].get<std::int64_t>();
  }
  CHECK(names == std::vector<std::string>{"load", "check", "calibrate", "warm_up", "measure"});
}

#ifndef __SANITIZE_ADDRESS__  // whose library brings libstdc++ along
TEST_CASE("stackx-pi itself loads no BLAS and no runtime", "[pi]") {
  const auto result = run_pi({"hello_world"});
  REQUIRE(result.status == 0);
  for (const std::string file : result.json()["files"])
    for (const char* name : {"blas", "mkl", "dnnl", "omp", "tbb", "stdc++", "gcc_s"})
      CHECK(file.find(name) == std::string::npos);
}
#endif

TEST_CASE("every naming and integer width is called right", "[pi]") {
  const auto [name, kind, interface, version] =
      GENERATE(table<std::string, std::string, std::string, json>({
          {"right", "netlib", "lp64", nullptr},
          {"right_fortran", "netlib", "lp64", nullptr},
          {"right_ilp64", "openblas", "ilp64", "0.3.99.dev"},
          {"right_lp64", "openblas", "lp64", "0.3.98"},
          {"right_suffix", "openblas", "ilp64", "0.3.97"},
          {"plain_ilp64", "openblas", "ilp64", "0.3.96"},
      }));
  for (const std::string dtype : {"float32", "float64"}) {
    INFO(name << " " << dtype);
    const auto result =
        run_matmul(fake(name), {"m=13", "n=29", "k=57", "repetitions=2", "dtype=" + dtype});
    REQUIRE(result.status == 0);
    const json document = result.json();
    CHECK(document["check"]["pass"] == true);
    CHECK(document["library"]["kind"] == kind);
    CHECK(document["library"]["interface"] == interface);
    CHECK(document["library"]["path"] == fake(name));
    CHECK(document["library"]["threads"] == 1);
    CHECK(document["samples_ns"].size() == 2);
    if (version.is_null()) {
      CHECK(document["loaded"].empty());
      CHECK_THAT(document["library"]["note"].get<std::string>(), Contains("version"));
    } else {
      CHECK(document["loaded"]["openblas"] == version);
      CHECK(document["library"]["core"] == "Fake");
      CHECK(document["loaded"]["openblas-coretype"] == "Fake");
    }
  }
}

TEST_CASE("a version is reported under the component's name, and not invented", "[pi]") {
  auto result = run_pi({"matmul", "--component", "my-blas", "--library", fake("right_lp64"), "m=8",
                        "n=8", "k=8", "warmup_ms=0"});
  CHECK(result.json()["component"] == "my-blas");
  CHECK(result.json()["loaded"] == json{{"my-blas", "0.3.98"}, {"openblas-coretype", "Fake"}});
  result = run_matmul(fake("odd_version"), {"m=8", "n=8", "k=8"});
  CHECK(result.json()["loaded"] == json{{"openblas-coretype", "Fake"}});
  CHECK(result.json()["library"]["config"] == "something else altogether");
}

TEST_CASE("a wrong product is told and not timed", "[pi]") {
  const std::string name =
      GENERATE("wrong_transposed", "wrong_untouched", "wrong_zeros", "wrong_element", "wrong_short",
               "wrong_accumulates", "wrong_half");
  for (const std::string size : {"40", "90"})
    for (const std::string dtype : {"float32", "float64"}) {
      INFO(name << " " << size << " " << dtype);
      const auto result =
          run_matmul(fake(name), {"m=" + size, "n=" + size, "k=" + size, "dtype=" + dtype});
      REQUIRE(result.status == 0);
      const json document = result.json();
      CHECK(document["check"]["pass"] == false);
      CHECK(document["check"]["max_relative_error"].get<double>() >
            document["check"]["bound"].get<double>());
      CHECK_FALSE(document["check"]["detail"].get<std::string>().empty());
      CHECK(document["samples_ns"].empty());
    }
}

TEST_CASE("a library that crashes takes the process with it, and no document appears", "[pi]") {
  const auto result = run_matmul(fake("crash"));
  CHECK(result.status == -SIGABRT);
  CHECK(result.out.empty());
}

TEST_CASE("what a library prints stays out of the document", "[pi]") {
  const auto result =
      run_matmul(fake("chatty"), {"m=4", "n=4", "k=4", "repetitions=1", "mini_batch=1"});
  CHECK(result.json()["check"]["pass"] == true);
  CHECK_THAT(result.err, Contains("a library that prints to stdout"));
}

TEST_CASE("threads that cannot be had are unsupported", "[pi]") {
  for (const std::string name : {"right", "one_thread"}) {
    const auto result = run_matmul(fake(name), {"threads=2", "m=8", "n=8", "k=8"});
    REQUIRE(result.status == 0);
    CHECK_THAT(result.json()["unsupported"].get<std::string>(),
               Contains("2 threads asked for, the library uses 1"));
    CHECK_FALSE(result.json().contains("samples_ns"));
    CHECK_FALSE(result.json().contains("check"));
  }
  const auto result = run_matmul(fake("right_lp64"), {"threads=3", "m=8", "n=8", "k=8"});
  CHECK(result.json()["library"]["threads"] == 3);
  CHECK(result.json()["check"]["pass"] == true);
}

TEST_CASE("types that a library lacks are unsupported", "[pi]") {
  for (const auto& [name, dtype] :
       std::vector<std::pair<std::string, std::string>>{{"right", "bfloat16"},
                                                        {"right_lp64", "bfloat16"},
                                                        {"right", "int8"},
                                                        {"mkl", "float64"},
                                                        {"onednn2", "float64"},
                                                        {"onednn3", "int8"}}) {
    INFO(name << " " << dtype);
    const auto result = run_matmul(fake(name), {"dtype=" + dtype, "m=8", "n=8", "k=8"},
                                   {"MKL_THREADING_LAYER=SEQUENTIAL"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK(result.json()["name"] == "matmul");
    CHECK_FALSE(result.json()["unsupported"].get<std::string>().empty());
    CHECK_FALSE(result.json().contains("samples_ns"));
  }
}

TEST_CASE("MKL's interface is used as documented", "[pi]") {
  for (const std::string dtype : {"float32", "bfloat16", "int8"}) {
    INFO(dtype);
    const auto result =
        run_matmul(fake("mkl"), {"dtype=" + dtype, "threads=2", "m=9", "n=17", "k=33"},
                   {"MKL_THREADING_LAYER=sequential", "MKL_INTERFACE_LAYER=ILP64"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    const json document = result.json();
    CHECK(document["check"]["pass"] == true);
    CHECK(document["check"]["bound"].get<double>() == (dtype == "int8" ? 0 : 0x1p-20));
    CHECK(document["loaded"] == json{{"mkl", "2031.7.1"}});
    CHECK(document["library"]["threading"] == "sequential");
    CHECK(document["library"]["interface"] == "ilp64");
    CHECK(document["library"]["core"] == "a fake processor");
    CHECK(document["library"]["threads"] == 2);
  }
}

TEST_CASE("MKL without its threading runtime cannot be loaded, and says which is missing", "[pi]") {
  int tried = 0;
  for (const auto& [layer, runtime] : std::vector<std::pair<std::string, std::string>>{
           {"INTEL", "libiomp5.so"}, {"TBB", "libtbb.so.12"}, {"GNU", "libgomp.so.1"}}) {
    const auto result = run_matmul(fake("mkl"), {"m=4", "n=4", "k=4"},
                                   {"MKL_THREADING_LAYER=" + layer, "LD_LIBRARY_PATH="});
    if (result.status == 0) continue;  // this system has that runtime
    ++tried;
    CHECK(result.status == 3);
    CHECK_THAT(result.err, Contains("MKL_THREADING_LAYER=" + layer + " needs " + runtime));
  }
  if (tried == 0) WARN("skipped: this system has all of MKL's threading runtimes");
}

TEST_CASE("oneDNN's two C interfaces are used as documented", "[pi]") {
  for (const std::string major : {"2", "3"}) {
    INFO("oneDNN " << major);
    const auto result = run_matmul(fake("onednn" + major), {"m=9", "n=17", "k=33"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    const json document = result.json();
    CHECK(document["check"]["pass"] == true);
    CHECK(document["loaded"] == json{{"onednn", major + ".9.1"}});
    CHECK(document["library"]["core"] == "fake:loops");
    CHECK(document["library"]["threading"] == "sequential");
  }
}

TEST_CASE("a partner beside the library is found without a run path", "[pi]") {
  const auto result =
      run_matmul(fake("needs_partner"), {"m=8", "n=8", "k=8"}, {"LD_LIBRARY_PATH="});
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto files = result.json()["files"].get<std::vector<std::string>>();
  CHECK(std::find(files.begin(), files.end(), fake("partner")) != files.end());
}

TEST_CASE("what cannot be loaded ends with status 3 and a reason", "[pi]") {
  auto result = run_matmul("/nonexistent/libblas.so");
  CHECK(result.status == 3);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains("/nonexistent/libblas.so: cannot load"));
  result = run_matmul(STACKX_SOURCE_DIR "/CMakeLists.txt");
  CHECK(result.status == 3);
  result = run_matmul(fake("nothing"));
  CHECK(result.status == 3);
  CHECK_THAT(result.err, Contains("libnothing.so") && Contains("expected cblas_sgemm"));
}

TEST_CASE("wrong usage ends with status 2 and says what was meant", "[pi]") {
  const auto [arguments, message] = GENERATE(table<Words, std::string>({
      {Words{}, "which performance indicator"},
      {Words{"matmull"}, "did you mean \"matmul\"?"},
      {Words{"matmul"}, "needs --library PATH"},
      {Words{"matmul", "--library"}, "--library needs a value"},
      {Words{"matmul", "--libary", "x"}, "unknown option --libary"},
      {Words{"matmul", "--library", "x", "thread=1"}, "did you mean \"threads\"?"},
      {Words{"matmul", "--library", "x", "dtype=float128"}, "expected one of float32"},
      {Words{"matmul", "--library", "x", "m=0"}, "m=0: expected a whole number from 1"},
      {Words{"matmul", "--library", "x", "m"}, "expected key=value"},
      {Words{"matmul", "--library", "x", "dtype=int8", "k=200000"}, "exact up to k="},
      {Words{"hello_world", "--library", "x"}, "takes no --library"},
      {Words{"transformer_ops"}, "transformer_ops needs --library PATH"},
      {Words{"transformer_ops", "--library", "x", "model=smal"}, "model=smal: expected one of tiny, small,"},
      {Words{"transformer_ops", "--library", "x", "phase=train"}, "expected one of prefill, decode"},
      {Words{"transformer_ops", "--library", "x", "heads=3"}, "width=256 is no multiple of heads=3"},
      {Words{"transformer_ops", "--library", "x", "kv_heads=3"}, "heads=8 is no multiple of kv_heads=3"},
      {Words{"transformer_ops", "--library", "x", "width=24"}, "make heads of 3: rotary positions need an even size"},
      {Words{"transformer_ops", "--library", "x", "context=0"}, "context=0: phase=prefill needs tokens"},
  }));
  const auto result = run_pi(arguments);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains(message));
}

TEST_CASE("max_seconds bounds a slow library and says so", "[pi]") {
  const auto result =
      run_matmul(fake("slow"), {"m=4", "n=4", "k=4", "max_seconds=0.05", "repetitions=50"});
  const json document = result.json();
  CHECK(document["samples_ns"].size() == 3);
  REQUIRE(document["notes"].size() == 1);
  CHECK_THAT(document["notes"][0].get<std::string>(),
             Contains("stopped after 3 of 50 repetitions"));
  CHECK(document["parameters"]["repetitions"] == 50);
}

TEST_CASE("list and help name every indicator and parameter", "[pi]") {
  const auto list = run_pi({"list"});
  CHECK(list.status == 0);
  CHECK_THAT(list.out, Contains("matmul\t") && Contains("hello_world\t"));
  const auto help = run_pi({"--help"});
  CHECK(help.status == 0);
  const json document = run_matmul(fake("right"), {"m=4", "n=4", "k=4"}).json();
  for (const auto& [key, value] : document["parameters"].items())
    CHECK_THAT(help.out, Contains("\n  " + key + " "));
}

TEST_CASE("hello_world needs nothing", "[pi]") {
  const auto result = run_pi({"hello_world", "repetitions=4", "items=10", "mini_batch=3"});
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["samples_ns"].size() == 4);
  CHECK(document["check"]["pass"] == true);
  CHECK(document["work"]["items"] == 30);
}
