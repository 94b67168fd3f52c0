#include "specs/python/pipfile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/package_sources.hpp"

namespace stackx::specs {
namespace {

constexpr std::string_view elsewhere[] = {"git", "hg", "svn", "bzr", "path", "file", "editable"};
constexpr std::string_view without_effect[] = {"index",        "hashes",    "ref",
                                               "subdirectory", "no_binary", "skip_resolver"};
constexpr std::string_view marker_keys[] = {"os_name",
                                            "sys_platform",
                                            "platform_machine",
                                            "platform_version",
                                            "platform_system",
                                            "platform_release",
                                            "python_version",
                                            "python_full_version",
                                            "platform_python_implementation",
                                            "implementation_name",
                                            "implementation_version"};

bool among(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != std::end(words);
}

void refuse_unknown(std::string_view key, const TomlNode& value) {
  std::vector<std::string> known{"version", "extras", "markers"};
  if (among(key, known) || among(key, without_effect) || among(key, marker_keys)) return;
  for (const auto word : marker_keys) known.emplace_back(word);
  value.fail(
      fmt::format("pipenv has no key {} for a package{}", in_quotes(key), suggestion(key, known)));
}

void refuse_elsewhere(std::string_view key, const TomlNode& value) {
  if (!among(key, elsewhere) || (value.is_boolean() && !value.boolean())) return;
  value.fail(
      fmt::format("the package comes by \"{}\", but a catalog holds released versions; "
                  "write version = \"...\" instead",
                  key));
}

SpecifierSet versions(const TomlNode& node) {
  const std::string& text = node.text();
  auto result = SpecifierSet::parse(text, Versioning::pep440);
  if (!result)
    node.fail(fmt::format("{}: column {}: {}; any version is \"*\"", in_quotes(text),
                          result.error().column, result.error().reason));
  return *result;
}

std::vector<std::string> extras(const TomlNode& list) {
  std::set<std::string> result;
  for (const auto& item : list.items()) {
    const auto extra = parse_dependency(item.text());
    if (!extra || extra->text() != extra->name)
      item.fail(fmt::format("{} is not the name of an extra", in_quotes(item.text())));
    result.insert(extra->name);
  }
  return {result.begin(), result.end()};
}

// `markers` and keys such as sys_platform = "== 'linux'", which must all hold.
std::optional<Marker> marker(const TomlNode& table) {
  std::string all;
  const TomlNode* last = nullptr;
  for (const auto& [key, value] : table.members()) {
    if (key != "markers" && !among(key, marker_keys)) continue;
    const std::string one = key == "markers" ? value.text() : key + " " + value.text();
    if (const auto parsed = Marker::parse(one); !parsed)
      value.fail(fmt::format("{}: column {}: {}", in_quotes(one), parsed.error().column,
                             parsed.error().reason.substr(0, 500)));
    all += (all.empty() ? "(" : " and (") + one + ")";
    last = &value;
  }
  if (!last) return std::nullopt;
  const auto parsed = Marker::parse(all);
  if (!parsed) last->fail(parsed.error().reason);  // one parenthesis more was too many
  return *parsed;
}

PlacedDependency package(const std::string& name, const TomlNode& node) {
  const auto parsed = parse_dependency(name);
  if (!parsed || !parsed->versions.is_any() || parsed->marker || !parsed->url.empty())
    node.fail(fmt::format("{} is not the name of a package", in_quotes(name)));
  Dependency dependency = *parsed;  // "requests[security]" = "*" is read too
  if (!node.is_table()) {
    dependency.versions = versions(node);
    return {std::move(dependency), node.place()};
  }
  for (const auto& [key, value] : node.members()) {
    refuse_elsewhere(key, value);
    if (!among(key, elsewhere)) refuse_unknown(key, value);
  }
  if (const auto* version = node.find("version")) dependency.versions = versions(*version);
  if (const auto* list = node.find("extras")) dependency.extras = extras(*list);
  dependency.marker = marker(node);
  return {std::move(dependency), node.place()};
}

void read_requires(const TomlNode& table, PythonProject& project) {
  if (const auto* full = table.find("python_full_version"))
    project.python = python_dependency("==" + full->text(), full->place());
  else if (const auto* version = table.find("python_version"); version && version->text() != "*")
    project.python = python_dependency("==" + version->text() + ".*", version->place());
}

}  // namespace

PythonProject parse_pipfile(const TomlNode& document, const std::filesystem::path& file,
                            const std::set<std::string>& categories, PackageSources* sources) {
  PythonProject project;
  project.name = directory_name(file);
  project.file = file;
  std::vector<std::string> tables{"packages"};
  for (const auto& one : categories) tables.push_back(one == "dev" ? "dev-packages" : one);
  for (const auto& name : tables) {
    const TomlNode* table = name == "packages" ? document.find(name) : &document.at(name);
    if (!table) continue;
    for (const auto& [package_name, node] : table->members())
      if (const auto from = elsewhere_in(node); sources && !from.empty())
        sources->elsewhere.push_back(fmt::format("{} @ {}", package_name, from));
      else
        project.dependencies.push_back(package(package_name, node));
  }
  if (sources) read_pipfile_sources(document, *sources);
  if (const auto* table = document.find("requires")) read_requires(*table, project);
  return project;
}

PythonProject read_pipfile(const std::filesystem::path& file,
                           const std::set<std::string>& categories, PackageSources* sources) {
  return parse_pipfile(TomlNode::parse_file(file), file, categories, sources);
}

}  // namespace stackx::specs
