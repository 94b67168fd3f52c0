#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "inspector/discover/blas_libraries.hpp"
#include "tests/inspector/fake_packages.hpp"
#include "tests/inspector/remarks.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

namespace {

const Settings settings{
    {{"auto", {}}, {"Haswell", {{"CORE", "Haswell"}}}, {"Zen", {{"CORE", "Zen"}}}},
    {{"intel", {{"MKL_THREADING_LAYER", "INTEL"}}},
     {"sequential", {{"MKL_THREADING_LAYER", "SEQUENTIAL"}}}}};

// Libraries that answer by what their file holds.
std::expected<LibraryAnswer, std::string> answer(const fs::path& file,
                                                 const Environment& environment) {
  const auto text = read(file);
  if (text.starts_with("broken")) return std::unexpected("loading or using it ends in SIGSEGV");
  if (text.starts_with("netlib")) return LibraryAnswer{"netlib", "", "lp64", "", ""};
  if (text.starts_with("mkl")) {
    if (environment.contains("MKL_THREADING_LAYER") &&
        environment.at("MKL_THREADING_LAYER") == "SEQUENTIAL")
      return LibraryAnswer{"mkl", "2024.2.2", "lp64", "sequential", "AVX2"};
    return std::unexpected("needs libiomp5.so");
  }
  // Built with Haswell's kernels alone.
  return LibraryAnswer{"openblas", "0.3.23.dev", text.starts_with("wide") ? "ilp64" : "lp64",
                       "pthreads", "HASWELL"};
}

struct Asked {
  std::vector<BlasLibrary> libraries;
  KeptRemarks remarks;
};

Asked ask(const std::vector<fs::path>& files, FakePackages packages = {},
          const std::vector<PythonEnvironment>& environments = {}) {
  Asked result;
  result.libraries =
      ask_libraries(files, answer, settings, packages, environments, result.remarks.keep());
  return result;
}

}  // namespace

TEST_CASE("files are told by name") {
  CHECK(is_blas_name("libopenblas.so.0"));
  CHECK(is_blas_name("libscipy_openblas64_-56d6093b.so"));
  CHECK(is_blas_name("libmkl_rt.so.2"));
  CHECK(is_blas_name("libdnnl.so.3.5"));
  CHECK(is_blas_name("libblas64.so.3"));
  CHECK_FALSE(is_blas_name("libopenblas.a"));
  CHECK_FALSE(is_blas_name("libcublas.so.12"));
  CHECK_FALSE(is_blas_name("libblastrampoline.so.5"));
  CHECK(parse_loader_cache(
            "2 libs found\n\tlibopenblas.so.0 (libc6,x86-64) => /lib/libopenblas.so.0\n"
            "\tlibm.so.6 (libc6,x86-64) => /lib/libm.so.6\n") ==
        std::vector<fs::path>{"/lib/libopenblas.so.0"});
}

TEST_CASE("a library is named by its kind, width and threading, its version by where it is from") {
  TempDirectory place;
  write(place / "a/libopenblas.so.0", "openblas");
  write(place / "b/libopenblas64.so", "wide");
  fs::create_symlink(place / "a/libopenblas.so.0", place / "libopenblas.so");
  FakePackages packages;
  packages.owners[place / "a/libopenblas.so.0"] = "libopenblas0-pthread:amd64";
  packages.versions["libopenblas0-pthread"] = "0.3.23+ds-4";
  const auto asked =
      ask({place / "libopenblas.so", place / "a/libopenblas.so.0", place / "b/libopenblas64.so"},
          packages);
  REQUIRE(asked.libraries.size() == 2);
  const auto& first = asked.libraries[0];
  CHECK(first.component == "local-openblas-pthreads");
  CHECK(first.version == "0.3.23+debian.ds.4");
  CHECK(first.provides == "0.3.23");
  CHECK(first.reports == "0.3.23.dev");
  CHECK(first.file == place / "a/libopenblas.so.0");
  CHECK(first.settings == std::vector<std::string>{"auto", "Haswell"});
  CHECK(asked.libraries[1].component == "local-openblas64-pthreads");
  CHECK(asked.libraries[1].version.starts_with("0.3.23+file."));
}

TEST_CASE("one content counts once; other content of one version has another name") {
  TempDirectory place;
  const auto site = place / "site";
  write(site / "numpy.libs/libopenblas-1.so", "one");
  write(site / "numpy.libs/libopenblas-2.so", "two");
  write(place / "copy/libopenblas.so", "one");
  PythonEnvironment environment;
  environment.sites = {site};
  environment.distributions["numpy"] = {"numpy", "1.26.4", site};
  environment.interpreter.prefix = "/nowhere";
  auto files = find_blas_files({place / "copy"}, {environment});
  REQUIRE(files.size() == 3);
  std::swap(files[0], files[2]);
  const auto asked = ask(files, {}, {environment});
  REQUIRE(asked.libraries.size() == 2);
  CHECK(asked.libraries[0].version == "0.3.23+numpy.1.26.4");
  CHECK(asked.libraries[1].version.starts_with("0.3.23+numpy.1.26.4."));
  CHECK(asked.remarks.has(Remark::left_out, "the same content"));
}

TEST_CASE(
    "the reference BLAS is told by its package or its file's name, and others are not taken for "
    "it") {
  TempDirectory place;
  write(place / "1/libblas.so.3.11.0", "netlib a");
  write(place / "2/libblas.so.3", "netlib b");
  write(place / "3/libblas.so.3", "netlib c");
  write(place / "4/libblas.so.3", "netlib d");
  FakePackages packages;
  packages.owners[place / "2/libblas.so.3"] = "libblas3";
  packages.versions["libblas3"] = "1:3.12.0-3";
  packages.owners[place / "3/libblas.so.3"] = "libblis4-pthread";
  packages.versions["libblis4-pthread"] = "0.9.0-1";
  const auto asked = ask({place / "1/libblas.so.3.11.0", place / "2/libblas.so.3",
                          place / "3/libblas.so.3", place / "4/libblas.so.3"},
                         packages);
  REQUIRE(asked.libraries.size() == 2);
  CHECK(asked.libraries[0].provides == "3.11.0");
  CHECK(asked.libraries[0].component == "local-netlib");
  CHECK(asked.libraries[1].version == "3.12.0+debian.3");
  CHECK(asked.remarks.has(Remark::left_out, "libblis4-pthread is not the reference BLAS"));
  CHECK(asked.remarks.has(Remark::left_out, "which version it is"));
}

TEST_CASE(
    "MKL is offered in the layers that work; what does not load is left out with the reason") {
  TempDirectory place;
  write(place / "libmkl_rt.so.2", "mkl");
  write(place / "libopenblas.so.0", "broken");
  write(place / "libblas.so.3", "openblas interface");
  const auto asked = ask({place / "libmkl_rt.so.2", place / "libopenblas.so.0",
                          place / "libblas.so.3", place / "nothing.so"});
  REQUIRE(asked.libraries.size() == 1);
  CHECK(asked.libraries[0].component == "local-mkl");
  CHECK(asked.libraries[0].settings == std::vector<std::string>{"sequential"});
  CHECK(asked.remarks.has(Remark::left_out, "SIGSEGV"));
  CHECK(asked.remarks.has(Remark::left_out, "only the interface to openblas"));
}
