#include "workspace/one_version.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::workspace {

specs::Component one_version(const std::string& name, specs::Kind kind,
                             specs::Versioning versioning, const std::string& version,
                             const std::string& where) {
  auto parsed = specs::Version::parse(version, versioning);
  if (!parsed)
    throw bad_input(fmt::format("{}: {} {}: {}", where, name, specs::in_quotes(version),
                                parsed.error().reason));
  specs::Component result;
  result.name = name;
  result.kind = kind;
  result.versioning = versioning;
  result.versions.emplace_back().version = *parsed;
  return result;
}

specs::Requirement exactly(const specs::Component& component) {
  const std::string text = "==" + component.versions.front().version.text();
  specs::Requirement result;
  result.component = component.name;
  result.constraint.any = {{*specs::SpecifierSet::parse(text, component.versioning), {}}};
  result.constraint.text = text;
  return result;
}

}  // namespace stackx::workspace
