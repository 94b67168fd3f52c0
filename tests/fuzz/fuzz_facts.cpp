// Input: a catalog with facts. All that is read can be asked: which GPUs, which drivers.
#include "specs/catalog/driver.hpp"
#include "specs/catalog/fact.hpp"
#include "specs/catalog/open.hpp"
#include "specs/catalog/overlay.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

const char* const capabilities[] = {"3.5", "7.0", "8.6", "9.0", "12.0"};

void check_build(const GpuBuild& build) {
  const auto range = build.runs_on();
  require(!range.any.empty() && !range.text.empty(), "a range is some, with words");
  for (const auto& capability : capabilities)
    require(holds(range, Attribute(std::string(capability))) == (build.reach(capability) != GpuBuild::Reach::none),
            "the range is where the build reaches");
}

void check_drivers(const DriverFacts& drivers) {
  for (const auto& capability : capabilities) {
    auto component = drivers.component(capability);
    require(component.open && !component.versions.empty(), "drivers are open");
    require(add_open(component, "535.183.01") != nullptr, "any driver is one");
    for (const auto reach : {GpuBuild::Reach::cubin, GpuBuild::Reach::ptx})
      if (const auto least = drivers.least(capability, reach))
        require(Version::parse(*least, Versioning::pep440).has_value(), "a least driver is a version");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  DriverFacts drivers;
  if (attempt([&] { return drivers.read(*document), true; })) check_drivers(drivers);
  const auto facts = attempt([&] { return read_facts(*document); });
  if (!facts) return 0;
  const auto version = *Version::parse("2.8.0+cu126", Versioning::pep440);
  for (const auto& fact : *facts) {
    require(!fact.of.empty() && fact.file == "fuzz.json", "a fact is of something, and from somewhere");
    require(!fact.range || !fact.is_about(version), "a range has no local builds");
    if (fact.built_for) check_build(*fact.built_for);
    for (const auto& [cuda, build] : fact.built_for_cuda) check_build(build);
    for (const auto& [name, range] : fact.requires_)
      require(SpecifierSet::parse(range, Versioning::pep440).has_value(), "what is required is a range");
  }
  auto catalog = attempt([&] { return parse_catalog(*document); });
  if (!catalog) return 0;
  apply_facts(*catalog, *facts);
  split_open(*catalog);
  for (const auto& [name, component] : catalog->components)
    if (component.open) require(!component.versions.empty(), "an open component has a class");
  attempt([&] { return resolve_aliases(*catalog), 0; });
  return 0;
}
