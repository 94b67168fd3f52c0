// stackx catalog: check catalogs, show what they hold; import them (command_catalog_import),
// discover what is installed (command_catalog_discover).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/catalog/discover.hpp"
#include "cli/catalog/import.hpp"
#include "cli/catalog/refresh.hpp"
#include "cli/commands.hpp"
#include "cli/output/print.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/pep508.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

// A catalog is named by its path, or by the name of one that comes with stackx ("blas" or
// "blas.json").
fs::path find_catalog(const std::string& name, const Globals& globals) {
  for (const fs::path& place :
       {fs::path(name), globals.data_directory() / name, globals.data_directory() / (name + ".json")})
    if (fs::is_regular_file(place)) return place;
  if (fs::is_directory(name)) throw bad_input(name + ": is a directory; expected a catalog's file");
  std::vector<std::string> known;
  for (const auto& file : specs::json_files(globals.data_directory())) known.push_back(file.stem().string());
  throw bad_input(fmt::format("{}: neither a file nor a catalog that comes with stackx{}", name,
                              specs::suggestion_or(fs::path(name).stem().string(), known,
                                                   fmt::format("; `ls {}` shows those", globals.data_directory().string()))));
}

void validate(const std::vector<std::string>& names, const Globals& globals) {
  std::vector<fs::path> files;
  std::string where;
  for (const auto& name : names) {
    files.push_back(find_catalog(name, globals));
    where += (where.empty() ? "" : ", ") + files.back().filename().string();
  }
  const auto catalog = specs::load_catalogs(files);
  specs::check(catalog, where);
  std::size_t versions = 0;
  for (const auto& [name, component] : catalog.components) versions += component.versions.size();
  if (globals.json)
    print_json(
        {{"valid", true}, {"components", catalog.components.size()}, {"versions", versions}});
  else
    workspace::print("{}: valid, {} with {}\n", where, workspace::counted(catalog.components.size(), "component"),
                     workspace::counted(versions, "version"));
}

void print_version(const specs::VersionEntry& entry) {
  const bool named = entry.by_name != specs::ByName::no;
  print_line(entry.version.text() + (named ? fmt::format(" ({}: only where a requirement names it)", to_string(entry.by_name)) : ""), 2);
  for (const auto& requirement : entry.requires_) print_line(fmt::format("needs {}", requirement.text()), 4);
  for (const auto& conditional : entry.requires_if)
    for (const auto& requirement : conditional.then) {
      std::string condition;
      for (const auto& part : conditional.if_)
        condition += (condition.empty() ? "" : " and ") + part.text();
      print_line(fmt::format("needs {} if {}", requirement.text(), condition), 4);
    }
  for (const auto& requirement : entry.conflicts) print_line(fmt::format("not with {}", requirement.text()), 4);
  for (const auto& [name, version] : entry.provides) print_line(fmt::format("is {} {}", name, version.text()), 4);
  for (const auto& artifact : entry.artifacts)
    print_line(fmt::format("from {}{}", specs::printable(artifact.file.empty() ? artifact.package : artifact.file),
                           artifact.size > 0 ? ", " + workspace::bytes(static_cast<double>(artifact.size)) : ""), 4);
  for (const auto& [name, value] : entry.environment)
    print_line(fmt::format("sets {}={}", name, specs::printable(value)), 4);
}

void print_left_out(const specs::LeftOut& group) {
  constexpr std::size_t at_most = 6;
  std::vector<std::string> versions;
  for (const auto& version : group.versions) versions.push_back(version.text());
  const auto more = versions.size() > at_most ? versions.size() - at_most : 0;
  versions.resize(versions.size() - more);
  print_line(fmt::format("left out: {}{}{}{}{}", fmt::join(versions, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                         versions.empty() ? "" : ": ", specs::printable(group.why),
                         group.to_have.empty() ? "" : fmt::format(" ({})", specs::printable(group.to_have))), 2);
}

std::vector<std::string> texts(const std::vector<specs::Requirement>& requirements) {
  std::vector<std::string> all;
  for (const auto& one : requirements) all.push_back(one.text());
  return all;
}

nlohmann::json version_json(const specs::VersionEntry& entry) {
  nlohmann::json json = {{"version", entry.version.text()},
                         {"only_where_named", entry.by_name == specs::ByName::no ? "" : to_string(entry.by_name)},
                         {"requires", texts(entry.requires_)},
                         {"requires_if", nlohmann::json::array()},
                         {"conflicts", texts(entry.conflicts)},
                         {"provides", nlohmann::json::object()},
                         {"artifacts", nlohmann::json::array()},
                         {"environment", entry.environment}};
  for (const auto& one : entry.requires_if) json["requires_if"].push_back({{"if", texts(one.if_)}, {"then", texts(one.then)}});
  for (const auto& [name, version] : entry.provides) json["provides"][name] = version.text();
  for (const auto& one : entry.artifacts)
    json["artifacts"].push_back({{"file", one.file.empty() ? one.package : one.file}, {"size", one.size}});
  return json;
}

nlohmann::json summary_json(const specs::Component& component) {
  return {{"name", component.name},
          {"kind", specs::to_string(component.kind)},
          {"versions", component.versions.size()},
          {"description", component.description}};
}

nlohmann::json component_json(const specs::Component& component) {
  auto json = summary_json(component);
  json["versioning"] = specs::to_string(component.versioning);
  json["sources"] = component.sources;
  json["versions"] = nlohmann::json::array();
  for (const auto& entry : component.versions) json["versions"].push_back(version_json(entry));
  json["left_out"] = nlohmann::json::array();
  for (const auto& group : component.left_out) {
    std::vector<std::string> versions;
    for (const auto& version : group.versions) versions.push_back(version.text());
    json["left_out"].push_back({{"versions", versions}, {"why", group.why}, {"to_have", group.to_have}});
  }
  return json;
}

void list(const specs::Catalog& catalog, bool json) {
  if (json) {
    auto rows = nlohmann::json::array();
    for (const auto& [key, component] : catalog.components) rows.push_back(summary_json(component));
    return print_json({{"components", std::move(rows)}});
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, component] : catalog.components)
    rows.push_back({key, specs::to_string(component.kind), std::to_string(component.versions.size()), component.description});
  print_table({{"component"}, {"kind"}, {"versions", true}, {"description"}}, rows);
}

// Where else to look: a virtual component is what others provide, "tensorflow" may be tensorflow-cpu.
std::string instead_of(const std::string& name, const specs::Catalog& catalog, const std::string& where) {
  std::vector<std::string> known, longer, providers;
  for (const auto* provider : catalog.providers(name)) providers.push_back(provider->name);
  if (!providers.empty()) return fmt::format("; that is what {} provides", fmt::join(providers, ", "));
  for (const auto& [key, component] : catalog.components) {
    known.push_back(key);
    if (key.starts_with(specs::normalized_name(name))) longer.push_back(key);
  }
  if (!longer.empty()) return fmt::format("; there is {}", fmt::join(longer, ", "));
  return specs::suggestion_or(name, known, fmt::format("; `stackx catalog show {}` lists them", where));
}

const specs::Component& find_component(const specs::Catalog& catalog, const std::string& name, const std::string& where) {
  if (const auto* component = catalog.find(catalog.real_name(name))) return *component;
  for (const auto& [key, component] : catalog.components)
    if (specs::normalized_name(key) == specs::normalized_name(name)) return component;
  throw bad_input(fmt::format("{}: holds no component {}{}", where, specs::in_quotes(name), instead_of(name, catalog, where)));
}

void show(const std::string& name, const std::string& component_name, const Globals& globals) {
  const auto catalog = specs::load_catalog(find_catalog(name, globals));
  if (component_name.empty()) return list(catalog, globals.json);
  const auto* component = &find_component(catalog, component_name, name);
  if (globals.json) return print_json(component_json(*component));
  print_paragraph(fmt::format("{} ({}, {} versions): {}", component->name, specs::to_string(component->kind),
                              specs::to_string(component->versioning), specs::printable(component->description)));
  for (const auto& source : component->sources) print_line("source: " + specs::printable(source), 2);
  for (const auto& entry : component->versions) print_version(entry);
  for (const auto& group : component->left_out) print_left_out(group);
}

}  // namespace

void add_catalog(Command app, Globals& globals) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto name = std::make_shared<std::string>();
  auto component = std::make_shared<std::string>();
  const auto command = app.add_subcommand("catalog", "Check catalogs, show what they hold, make them");
  command.describe(
      {"A catalog is a JSON file that declares components (packages, runtimes, drivers, hardware, images, "
       "settings), their versions, and what each version requires. Some come with stackx; your own in "
       "`~/.config/stackx/catalogs` lie over them.",
       {{"What is known of a component", "stackx catalog show blas.json mkl"},
        {"A catalog of the newest NumPy and all that it requires", "stackx catalog import pypi \"numpy>=2\" --python 3.11 -o numpy.json"},
        {"A catalog of what is installed here", "stackx catalog discover -o here.json"}}});
  command.require_subcommand(1);
  const auto validate_command =
      command.add_subcommand("validate", "Read catalogs together and report the first mistake");
  validate_command.add_option("catalogs", *names, "Files, or names of catalogs that come with stackx")
      .type_name("CATALOG")
      .required();
  validate_command.callback([names, &globals] { validate(*names, globals); });
  const auto show_command =
      command.add_subcommand("show", "The components of a catalog, or one of them in full");
  show_command.add_option("catalog", *name, "File, or name of a catalog that comes with stackx")
      .type_name("CATALOG")
      .required();
  show_command.add_option("component", *component, "Component to show in full").type_name("COMPONENT");
  show_command.callback([name, component, &globals] { show(*name, *component, globals); });
  add_catalog_import(command, globals);
  add_catalog_discover(command, globals);
  add_catalog_refresh(command, globals);
}

}  // namespace stackx::cli
