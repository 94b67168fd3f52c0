#include <fmt/format.h>

#include "resolver/resolver.hpp"
#include "specs/error.hpp"

namespace stackx::resolver {
namespace {

using specs::VersionEntry;

specs::Version parsed(const std::string& text, const specs::Component& component,
                      const std::string& where) {
  auto version = specs::Version::parse(text, component.versioning);
  if (version) return *version;
  throw bad_input(
      fmt::format("{}: \"{}\", which is this machine's {}, is no {} version ({}); declare the "
                  "component {} with "
                  "another \"versioning\" or name a version instead of \"host\"",
                  where, text, component.name, to_string(component.versioning),
                  version.error().reason, component.name));
}

// This machine as a version of the component; its scheme may still be another than the component's.
VersionEntry entry_of(const std::string& name, const specs::Host& host, std::size_t gpu,
                      const std::string& where) {
  if (name == "cpu") return host.cpu_entry();
  if (name == "gpu") {
    if (auto entry = host.gpu_entry(gpu)) return *std::move(entry);
    throw broken_environment(
        fmt::format("{}: no GPU is to be seen on this machine{}; name a model instead of \"host\"",
                    where, host.gpu_note.empty() ? "" : " (" + host.gpu_note + ")"));
  }
  if (name == "driver") {
    VersionEntry entry;
    if (auto version = specs::Version::parse(host.driver, specs::Versioning::opaque)) {
      entry.version = *version;
      return entry;
    }
    throw broken_environment(fmt::format(
        "{}: no GPU driver is to be seen on this machine{}; name a version instead of \"host\"",
        where, host.gpu_note.empty() ? "" : " (" + host.gpu_note + ")"));
  }
  throw bad_input(fmt::format(
      "{}: \"host\" is known for cpu, gpu and driver only; name a version of {}", where, name));
}

specs::Component& component_of(const std::string& name, specs::Catalog& catalog) {
  auto [at, is_new] = catalog.components.try_emplace(name);
  if (is_new) {
    at->second.name = name;
    at->second.kind = name == "driver" ? specs::Kind::driver : specs::Kind::hardware;
    at->second.versioning =
        name == "driver" ? specs::Versioning::pep440 : specs::Versioning::opaque;
    at->second.description = "the machine at hand";
  }
  return at->second;
}

}  // namespace

void bind_host(specs::Project& project, specs::Catalog& catalog, const specs::Host& host,
               std::size_t gpu) {
  for (auto& [name, version] : project.hardware) {
    if (version != "host") continue;
    const std::string where = fmt::format("{}: /hardware/{}", project.file.string(), name);
    VersionEntry entry = entry_of(name, host, gpu, where);
    auto& component = component_of(name, catalog);
    entry.version = parsed(entry.version.text(), component, where);
    version = entry.version.text();
    const auto* known = name == "gpu" ? specs::gpu_called(component, host.gpus[gpu].model) : component.find(version);
    if (known != nullptr) {
      auto& listed =
          component.versions[static_cast<std::size_t>(known - component.versions.data())];
      version = listed.version.text();
      for (auto& [attribute, value] : entry.attributes)
        listed.attributes.insert_or_assign(attribute, std::move(value));
    } else {
      component.versions.push_back(std::move(entry));
    }
  }
}

}  // namespace stackx::resolver
