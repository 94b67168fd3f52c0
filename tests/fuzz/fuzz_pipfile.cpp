// Input: a TOML document, read as a Pipfile and as a pyproject.toml, with and without where packages come from.
#include "specs/format/toml.hpp"
#include "specs/python/package_sources.hpp"
#include "specs/python/pipfile.hpp"
#include "specs/python/pyproject.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

void check(const PythonProject& project) {
  for (const auto& one : project.dependencies) {
    require(one.place.starts_with("f.toml:"), "a requirement has a place");
    const auto again = parse_dependency(one.dependency.text());
    require(again && again->text() == one.dependency.text(), "a requirement is what its text says");
  }
  if (project.python) require(project.python->dependency.name == "python", "requires a Python");
}

void check(const PackageSources& sources) {
  for (const auto& one : sources.of_packages) {
    require(one.package == normalized_name(one.package), "a source is of a package by its normal name");
    require(!one.index.empty() || !one.elsewhere.empty(), "a source says from where");
  }
  source_of("torch", sources, MarkerEnvironment::for_python("3.12", "linux x86_64"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = attempt([&] { return TomlNode::parse_text(text, "f.toml"); });
  if (!document) return 0;
  if (const auto project = attempt([&] { return parse_pipfile(*document, "Pipfile", {"dev"}); }))
    check(*project);
  if (const auto project =
          attempt([&] { return parse_pyproject(*document, "pyproject.toml", {"gpu"}, {"test"}); }))
    check(*project);
  for (const bool of_pipenv : {true, false}) {
    PackageSources sources;
    const auto project = attempt([&] {
      return of_pipenv ? parse_pipfile(*document, "Pipfile", {"dev"}, &sources)
                       : parse_pyproject(*document, "pyproject.toml", {"gpu"}, {"test"}, &sources);
    });
    if (project) check(*project), check(sources);
  }
  return 0;
}
