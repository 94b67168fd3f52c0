#include <catch2/catch.hpp>

#include "inspector/confinement/sandbox.hpp"
#include "inspector/environment/stack_python.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using specs::Artifact;
using specs::ArtifactType;
using specs::Outcome;

namespace {

Artifact file(const std::string& name) {
  Artifact artifact;
  artifact.type = name.ends_with(".whl") ? ArtifactType::wheel : ArtifactType::sdist;
  artifact.file = name;
  artifact.sha256 = std::string(64, 'a');
  return artifact;
}

std::vector<Artifact> files(const std::vector<std::string>& names) {
  std::vector<Artifact> result;
  for (const auto& name : names) result.push_back(file(name));
  return result;
}

std::string chosen(const std::vector<std::string>& names, const std::string& python,
                   const std::string& platform = "manylinux_2_36_x86_64") {
  const auto artifacts = files(names);
  const auto* artifact = choose(artifacts, {python, platform});
  return artifact == nullptr ? "" : artifact->file;
}

}  // namespace

TEST_CASE("the wheel that suits the Python is taken", "[stack_python]") {
  const std::vector<std::string> numpy{
      "numpy-1.16.6-cp27-cp27mu-manylinux1_x86_64.whl", "numpy-1.16.6-cp27-cp27m-manylinux1_x86_64.whl",
      "numpy-1.16.6-cp39-cp39-manylinux2014_x86_64.whl", "numpy-1.16.6-cp311-cp311-manylinux_2_17_x86_64.whl",
      "numpy-1.16.6-cp313-cp313-manylinux_2_28_x86_64.whl", "numpy-1.16.6-cp311-cp311-win_amd64.whl",
      "numpy-1.16.6-cp311-cp311-manylinux_2_17_aarch64.whl", "numpy-1.16.6-cp313-cp313t-manylinux_2_28_x86_64.whl"};
  CHECK(chosen(numpy, "2.7") == numpy[0]);  // wide Unicode
  CHECK(chosen(numpy, "3.9") == numpy[2]);
  CHECK(chosen(numpy, "3.11") == numpy[3]);
  CHECK(chosen(numpy, "3.13") == numpy[4]);  // not the free-threaded one
  CHECK(chosen(numpy, "3.12").empty());
}

TEST_CASE("a wheel that wants a newer C library is none", "[stack_python]") {
  const std::vector<std::string> both{"x-1.0-cp311-cp311-manylinux_2_34_x86_64.whl",
                                      "x-1.0-cp311-cp311-manylinux_2_17_x86_64.whl"};
  CHECK(chosen(both, "3.11", "manylinux_2_36_x86_64") == both[0]);
  CHECK(chosen(both, "3.11", "manylinux_2_31_x86_64") == both[1]);
  CHECK(chosen({both[0]}, "3.11", "manylinux_2_31_x86_64").empty());
}

TEST_CASE("one built for this very Python, then abi3, then none; whatever their order", "[stack_python]") {
  std::vector<std::string> all{"x-1.0-py3-none-any.whl", "x-1.0-cp38-abi3-manylinux_2_17_x86_64.whl",
                               "x-1.0-cp311-cp311-manylinux_2_17_x86_64.whl", "x-1.0.tar.gz"};
  for (int i = 0; i < 4; ++i) {
    CHECK(chosen(all, "3.11") == "x-1.0-cp311-cp311-manylinux_2_17_x86_64.whl");
    CHECK(chosen(all, "3.12") == "x-1.0-cp38-abi3-manylinux_2_17_x86_64.whl");
    CHECK(chosen(all, "3.7") == "x-1.0-py3-none-any.whl");
    CHECK(chosen(all, "2.7") == "x-1.0.tar.gz");
    std::rotate(all.begin(), all.begin() + 1, all.end());
  }
  CHECK(chosen({"x-1.0-py2.py3-none-any.whl"}, "2.7") == "x-1.0-py2.py3-none-any.whl");
}

TEST_CASE("where no wheel suits, the source archive; where none is, nothing", "[stack_python]") {
  CHECK(chosen({"x-1.0-cp39-cp39-win_amd64.whl", "x-1.0.tar.gz"}, "3.9") == "x-1.0.tar.gz");
  CHECK(chosen({"x-1.0-cp39-cp39-win_amd64.whl"}, "3.9").empty());
  CHECK(chosen({}, "3.9").empty());
  // A name that says nothing is for nobody.
  CHECK(chosen({"$(touch x).whl", "x.whl", "-x-1.0.whl"}, "3.9").empty());
}

TEST_CASE("a package with files for other machines only is unsupported, and says for what", "[stack_python]") {
  const TempDirectory root;
  StackPythons pythons(root.path(), nullptr);
  specs::Component component;
  component.name = "winonly";
  specs::VersionEntry entry;
  entry.version = *specs::Version::parse("1.0", specs::Versioning::pep440);
  const PythonPlace place{{"/usr/bin/python3.11", "3.11.2", "cpython-311", "2.36", {}}, ""};
  // Nothing of Python's: nothing to install.
  CHECK_FALSE(pythons.install(component, entry, place, {}).value());
  entry.artifacts = files({"winonly-1.0-cp311-cp311-win_amd64.whl"});
  const auto refused = pythons.install(component, entry, place, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().outcome == Outcome::unsupported);
  CHECK_THAT(refused.error().reason, Catch::StartsWith("winonly 1.0: none of its files is for CPython 3.11"));
  CHECK(std::filesystem::is_empty(root.path()));
}

TEST_CASE("a Python that is not here is unsupported, and those that are here are named", "[stack_python]") {
  const TempDirectory root;
  const auto sandbox = Sandbox::probe(supervisor());
  PythonInstaller::Settings settings;
  settings.supervisor = supervisor();
  StackPythons pythons(root.path(), std::make_shared<PythonInstaller>(settings, nullptr, sandbox));
  const auto none = pythons.local("1.5");
  REQUIRE_FALSE(none);
  CHECK(none.error().outcome == Outcome::unsupported);
  CHECK_THAT(none.error().reason, Catch::StartsWith("no Python 1.5 on this machine; found: "));
  CHECK_THAT(none.error().reason, Catch::Contains("container runner"));

  testing::write(root / "python", "#!/bin/sh\necho no python\n");
  std::filesystem::permissions(root / "python", std::filesystem::perms::owner_all);
  for (const auto& program : {root / "python", root / "nothing", root.path()}) {
    const auto refused = pythons.local_program(program);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().outcome == Outcome::unsupported);
    CHECK_THAT(refused.error().reason, Catch::Contains("does not answer as a CPython"));
  }
  testing::write(root / "python", "#!/bin/sh\necho > '" + (root / "ran").string() + "'\n");
  std::filesystem::permissions(root / "python", std::filesystem::perms(0755));
  CHECK_FALSE(pythons.local_program(root / "python"));
  CHECK(std::filesystem::exists(root / "ran") == !sandbox.available());
  const auto real = pythons.local_program(STACKX_TEST_PYTHON);
  REQUIRE(real);
  CHECK(real->version.starts_with(real->minor() + "."));
  CHECK(pythons.local(real->version));
}
