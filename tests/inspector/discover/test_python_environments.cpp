#include <catch2/catch.hpp>
#include <filesystem>

#include "inspector/discover/python_environments.hpp"
#include "tests/inspector/remarks.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

namespace {

// An interpreter that says these directories are its path. Its arguments are checked: no user site, not -S.
Interpreter interpreter(const fs::path& prefix, const std::string& version,
                        const std::string& answer) {
  const auto program = prefix / "bin/python3";
  write(program, "#!/bin/sh\n[ \"$1 $2 $3\" = '-E -s -c' ] || exit 9\nprintf '" + answer + "'\n");
  fs::permissions(program, fs::perms::owner_all);
  return {program, version, "cpython-311", "cp311", prefix, ""};
}

void install(const fs::path& site, const std::string& name, const std::string& version) {
  write(site / (name + "-" + version + ".dist-info/METADATA"),
        "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version +
            "\n\nVersion: of the description\nName: x\n");
}

}  // namespace

TEST_CASE(
    "distributions: dist-info, egg-info as directory and file, the first on the path counts") {
  TempDirectory place;
  install(place / "a", "NumPy", "1.26.4");
  install(place / "b", "numpy", "1.19.5");
  write(place / "b/tensorflow_cpu-2.3.1.egg-info/PKG-INFO",
        "Name: tensorflow_cpu\r\nVersion: 2.3.1\r\n\r\n");
  write(place / "b/mxnet-1.9.1.egg-info", "Name: mxnet\nVersion: 1.9.1\n");
  write(place / "b/broken-1.0.dist-info/METADATA", "Name: broken\n");
  fs::create_directories(place / "b/empty-1.0.dist-info");
  const auto found = distributions_in({place / "a", place / "nowhere", place / "b"});
  CHECK(found.size() == 3);
  CHECK(found.at("numpy").version == "1.26.4");
  CHECK(found.at("tensorflow-cpu").version == "2.3.1");
  CHECK(found.at("mxnet").version == "1.9.1");
}

TEST_CASE("an environment is what its interpreter says, named after its place") {
  TempDirectory home;
  const Variable user("HOME", home.path().string());
  const auto site = home / "venvs/tf/lib/site-packages";
  install(site, "numpy", "1.26.4");
  install(site, "tensorflow", "2.15.1");
  install(site, "jax", "0.4.30");
  install(site, "torch", "unknown");
  install(site, "requests", "2.0");
  KeptRemarks remarks;
  const auto found = look_into(
      {interpreter(home / "venvs/tf", "3.11.7", "noise stackx\\000" + site.string() + "\\000"),
       interpreter(home / "venvs-tf", "3.11.2", "stackx\\000" + site.string() + "\\000"),
       interpreter(home / "silent", "3.11.2", "nothing")},
      remarks.keep());
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "python3.11-venvs-tf");
  CHECK(found[0].frameworks == std::vector<std::string>{"numpy", "tensorflow"});
  CHECK(found[1].name != found[0].name);
  CHECK(found[1].name.starts_with("python3.11-venvs-tf-"));
  CHECK(found[2].frameworks.empty());
  CHECK(remarks.has(Remark::left_out, "jaxlib"));
  CHECK(remarks.has(Remark::left_out, "torch unknown"));
  CHECK(remarks.has(Remark::left_out, "does not say where"));
  CHECK(remarks.has(Remark::found, "numpy 1.26.4, tensorflow 2.15.1"));
  CHECK_FALSE(remarks.has(Remark::found, "requests"));
}

TEST_CASE("names of environments are versions, whatever the directory is called") {
  TempDirectory place;
  const Variable user("HOME", "/nowhere");
  for (const std::string name : {"a b", "x;y", "$(id)", "\n", "\xff"}) {
    const auto found = look_into({interpreter(place / name, "2.7.18", "stackx\\000/none\\000")},
                                 [](const Remark&) {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].name.starts_with("python2.7-"));
    CHECK(found[0].name.size() <= 128);
    for (const char c : found[0].name)
      CHECK((std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.'));
  }
}

TEST_CASE("which distributions are frameworks") {
  CHECK(framework_of("tensorflow-cpu") == "tensorflow");
  CHECK(framework_of("mxnet-cu92mkl") == "mxnet");
  CHECK(framework_of("onnxruntime-gpu") == "onnxruntime");
  CHECK_FALSE(framework_of("jaxlib"));
  CHECK_FALSE(framework_of("numpydoc"));
}

TEST_CASE("an interpreter of this machine says where its packages are") {
  const auto found = find_interpreters();
  if (found.empty()) {
    WARN("no Python on this machine: nothing to ask");
    return;
  }
  const auto sites = ask_sites(found[0]);
  REQUIRE_FALSE(sites.empty());
  for (const auto& site : sites) CHECK(fs::is_directory(site));
}
