#include "pypi/index/facts.hpp"

#include <fmt/format.h>

#include "specs/format/brief.hpp"
#include "specs/format/names.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::pypi {
namespace {

// Each is compared with the others. The most that PyPI's projects state, with all their extras, are some 2,000.
constexpr std::size_t kMostRequirements = 10'000;

const std::string& stated_python(const File& file, const Metadata& metadata) {
  return file.requires_python.empty() ? metadata.requires_python : file.requires_python;
}

}  // namespace

std::expected<Facts, std::string> read_facts(const File& file, const Metadata& metadata) {
  Facts facts{stated_python(file, metadata), metadata.authoritative, {}};
  const auto python = specs::SpecifierSet::parse(facts.requires_python, specs::Versioning::pep440);
  if (!python || python->is_any()) facts.requires_python.clear();
  if (metadata.requires_dist.size() > kMostRequirements)
    return std::unexpected(
        fmt::format("states {} requirements, more than {}", metadata.requires_dist.size(), kMostRequirements));
  for (const auto& text : metadata.requires_dist) {
    auto dependency = specs::parse_dependency(text);
    if (!dependency)
      return std::unexpected(fmt::format("{} is not PEP 508: column {}: {}", specs::in_quotes(text),
                                         dependency.error().column,
                                         specs::brief(specs::printable(dependency.error().reason))));
    if (const auto wrong = unnameable(*dependency); !wrong.empty()) return std::unexpected(wrong);
    facts.dependencies.push_back(std::move(*dependency));
  }
  return facts;
}

std::string inconsistent(const std::string& project, const specs::Version& version, const Metadata& metadata) {
  if (!metadata.name.empty() && specs::normalized_name(metadata.name) != project)
    return fmt::format("inconsistent name: its metadata says {}", specs::in_quotes(metadata.name));
  if (metadata.version.empty()) return "";
  const auto stated = specs::Version::parse(metadata.version, specs::Versioning::pep440);
  if (stated && *stated == version) return "";
  return fmt::format("inconsistent version: its metadata says {}", specs::in_quotes(metadata.version));
}

bool serves_python(const File& file, const Metadata& metadata, const specs::Target& target) {
  const auto python = specs::SpecifierSet::parse(stated_python(file, metadata), specs::Versioning::pep440);
  return !python || python->contains(target.python_version());
}

std::vector<const specs::Dependency*> holding(const Facts& facts, const specs::Target& target, const std::string& extra) {
  const auto& plain = target.environment();
  auto with_extra = plain;
  if (!extra.empty()) with_extra.variables["extra"] = extra;
  std::vector<const specs::Dependency*> result;
  for (const auto& dependency : facts.dependencies) {
    const bool always = dependency.holds(plain);
    if (extra.empty() ? always : !always && dependency.holds(with_extra))
      result.push_back(&dependency);
  }
  return result;
}

std::string unnameable(const specs::Dependency& dependency) {
  if (dependency.name == "python") return "requires python, which in a catalog is Python itself and no project";
  auto error = specs::component_name_error(dependency.name);
  for (const auto& extra : dependency.extras)
    if (error.empty()) error = specs::component_name_error(dependency.name + "+" + extra);
  return error.empty() ? "" : fmt::format("requires {}: {}", specs::in_quotes(dependency.text()), error);
}

}  // namespace stackx::pypi
