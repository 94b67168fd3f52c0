#include <catch2/catch.hpp>

#include "inspector/run/verify.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;
using stackx::inspector::testing::mentions;

namespace {

// MKL from a wheel, with TBB from another, and Debian's netlib as an alternative library.
StackEnvironment mkl_with_tbb() {
  StackEnvironment environment;
  Part mkl;
  mkl.component = "mkl";
  mkl.version = "2024.2.2";
  mkl.directories = {"/cache/a"};
  mkl.shared_objects = {"/cache/a/lib/libmkl_rt.so.2", "/cache/a/lib/libmkl_core.so.2"};
  mkl.library = "/cache/a/lib/libmkl_rt.so.2";
  Part tbb;
  tbb.component = "tbb";
  tbb.version = "2021.13.1";
  tbb.reports = "2021.13.0";
  tbb.directories = {"/cache/b"};
  tbb.shared_objects = {"/cache/b/lib/libtbb.so.12"};
  Part core;
  core.component = "coretype";
  core.version = "SkylakeX";
  core.kind = specs::Kind::setting;
  Part gomp;
  gomp.component = "libgomp";
  gomp.version = "system";
  gomp.reports = "*";
  environment.parts = {mkl, tbb, core, gomp};
  environment.component = "mkl";
  environment.library = mkl.library;
  return environment;
}

PiReport right() {
  PiReport report;
  report.loaded = {
      {"mkl", "2024.2.2"}, {"tbb", "2021.13.0"}, {"coretype", "SKYLAKEX"}, {"libgomp", "12.2"}};
  report.files = {"/lib/libc.so.6", "/cache/a/lib/libmkl_rt.so.2", "/cache/b/lib/libtbb.so.12"};
  return report;
}

std::string wrong(const PiReport& report) {
  return verify(mkl_with_tbb(), report).wrong.value_or("");
}

}  // namespace

TEST_CASE("the stack that was asked for is the right one", "[verify]") {
  CHECK(wrong(right()).empty());
  auto report = right();
  report.loaded["mkl"] = "2024.2.2.0";  // equal after PEP 440
  CHECK(wrong(report).empty());
  report.loaded["something-else"] = "1";  // not ours to judge
  CHECK(wrong(report).empty());
  CHECK(verify(mkl_with_tbb(), report).loaded == report.loaded);
}

TEST_CASE("a plain program need not say what it loaded, and what it says has to be right", "[verify]") {
  const PiReport silent;
  CHECK(mentions(wrong(silent), "nothing shows that the stack was measured"));
  CHECK_FALSE(verify(mkl_with_tbb(), silent, true).wrong);
  CHECK(verify(mkl_with_tbb(), silent, true).loaded.empty());
  auto report = right();
  report.loaded["tbb"] = "1.0";
  CHECK(verify(mkl_with_tbb(), report, true).wrong);
  report = right();
  report.files = {"/lib/libc.so.6"};
  CHECK(verify(mkl_with_tbb(), report, true).wrong);
}

TEST_CASE("another version is another stack", "[verify]") {
  auto report = right();
  report.loaded["mkl"] = "2024.2.1";
  CHECK(mentions(wrong(report), "mkl says it is version 2024.2.1; the stack asks for 2024.2.2"));
  report = right();
  report.loaded["tbb"] = "2021.13.1";  // what the wheel is called, not what it would say
  CHECK(mentions(wrong(report), "which would say 2021.13.0"));
  report = right();
  report.loaded["coretype"] = "Haswell";
  CHECK(mentions(wrong(report), "coretype says it is version Haswell"));
}

TEST_CASE("a file from elsewhere is another stack", "[verify]") {
  auto report = right();
  report.files[2] = "/usr/lib/x86_64-linux-gnu/libtbb.so.12.8";
  CHECK(mentions(wrong(report), "/usr/lib/x86_64-linux-gnu/libtbb.so.12.8"));
  report.files[2] = "/cache/bb/lib/libtbb.so.12";  // a neighbour whose name begins alike
  CHECK(mentions(wrong(report), "/cache/bb/lib/libtbb.so.12"));
  report = right();
  report.files[1] = "/opt/intel/libmkl_rt.so.2";
  CHECK(mentions(wrong(report), "/opt/intel/libmkl_rt.so.2"));
  report = right();
  report.files.push_back("/opt/intel/libmkl_core.so.2");  // a partner of the same wheel
  CHECK(mentions(wrong(report), "/opt/intel/libmkl_core.so.2"));
  report = right();
  report.files.erase(report.files.begin() + 1);
  CHECK(mentions(wrong(report), "was never loaded"));
  report = right();
  report.files = {"/cache/b/../evil/libtbb.so.12", "/cache/a/lib/libmkl_rt.so.2"};
  CHECK(mentions(wrong(report), "evil"));
}

TEST_CASE("thousands of files are looked up once each", "[verify]") {
  auto environment = mkl_with_tbb();
  for (int i = 0; i < 50'000; ++i)
    environment.parts[0].shared_objects.push_back("/cache/a/lib/libpart" + std::to_string(i) + ".so");
  auto report = right();
  for (int i = 0; i < 4'000; ++i) report.files.push_back("/elsewhere/libother" + std::to_string(i) + ".so");
  for (int i = 0; i < 100'000; ++i) report.files.push_back(report.files.back());
  const auto begun = std::chrono::steady_clock::now();
  CHECK_FALSE(verify(environment, report).wrong);
  report.files.push_back("/elsewhere/libpart7.so");
  CHECK(mentions(verify(environment, report).wrong.value_or(""), "libpart7 was loaded from /elsewhere/libpart7.so"));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(60));
}

TEST_CASE("a library that states no version is taken at the package manager's word", "[verify]") {
  StackEnvironment netlib;
  Part part;
  part.component = "netlib-blas";
  part.version = "3.11.0-2";
  part.package_version = "3.11.0-2";
  part.library = "/usr/lib/blas/libblas.so.3.11.0";
  netlib.parts = {part};
  netlib.component = part.component;
  netlib.library = part.library;
  PiReport report;
  report.files = {part.library};
  const auto verified = verify(netlib, report);
  CHECK_FALSE(verified.wrong);
  CHECK(verified.loaded.at("netlib-blas") == "3.11.0-2");

  report.files = {"/usr/lib/other/libblas.so.3"};  // the name, from another place
  CHECK(verify(netlib, report).wrong);
  report.files.clear();
  CHECK(mentions(*verify(netlib, report).wrong, "neither which version"));
  report.loaded = {{"netlib-blas", "3.11.0-2"}};
  CHECK_FALSE(verify(netlib, report).wrong);
}

TEST_CASE("a stack without a library has nothing to verify", "[verify]") {
  CHECK_FALSE(verify(StackEnvironment{}, PiReport{}).wrong);
}

TEST_CASE("a Python may say more than was asked for, and nothing else", "[verify]") {
  StackEnvironment environment;
  Part python;
  python.component = "python";
  python.kind = specs::Kind::runtime;
  Part numpy;
  numpy.component = "numpy";
  numpy.version = "1.26";
  const auto judged = [&](const std::string& asked, const std::string& says) {
    python.version = asked;
    environment.parts = {python, numpy};
    PiReport report;
    report.loaded = {{"python", says}};
    return verify(environment, report).wrong.value_or("");
  };
  CHECK(judged("3.11", "3.11.2").empty());
  CHECK(judged("3.11.2", "3.11.2").empty());
  CHECK(judged("2.7", "2.7.18").empty());
  CHECK(mentions(judged("3.1", "3.11.2"), "python says it is version 3.11.2; the stack asks for 3.1"));
  CHECK(mentions(judged("3.11.2", "3.11.20"), "asks for 3.11.2"));
  CHECK(mentions(judged("3.11", "3.12.1"), "asks for 3.11"));
  CHECK(mentions(judged("3.11.2", "3.11"), "asks for 3.11.2"));
  // Only of Python: a package that says 1.26.4 is another one than 1.26.
  PiReport report;
  report.loaded = {{"numpy", "1.26.4"}};
  CHECK(mentions(verify(environment, report).wrong.value_or(""), "numpy says it is version 1.26.4"));
}
