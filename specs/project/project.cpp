#include "specs/project/project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "specs/catalog/open.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/names.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/is_project.hpp"
#include "specs/python/lock_file.hpp"
#include "specs/python/project.hpp"

namespace stackx::specs {
namespace {

// Hardware named "host" may be unknown to every catalog: its entry is added when the machine is
// detected.
std::set<std::string> host_components(const Node& document) {
  std::set<std::string> names;
  if (const auto hardware = document.find("hardware"))
    for (const auto& [name, value] : hardware->members())
      if (value.text() == "host") names.insert(name);
  return names;
}

class ProjectReader {
 public:
  ProjectReader(const Catalog& catalog, std::set<std::string> hosts)
      : catalog_(catalog), hosts_(std::move(hosts)) {}

  std::vector<Requirement> requirements(const Node& map) const {
    std::vector<Requirement> result;
    for (const auto& [key, value] : map.members()) result.push_back(requirement(key, value));
    return result;
  }

  std::map<std::string, std::string> hardware(const Node& map) const {
    std::map<std::string, std::string> result;
    for (const auto& [name, value] : map.members()) {
      check_component_name(name, value);
      result[name] = hardware_version(name, value);
    }
    return result;
  }

  void check_stratum(const CampaignSpec& campaign, const Node& node) const {
    const std::string& by = campaign.sampler.by;
    if (by.empty() || catalog_.is_virtual(by)) return;
    node.at("sampler").at("by").fail(fmt::format(
        "\"{}\" is not a virtual component: nothing provides it{}", by,
        catalog_.find(by) ? " (it is a component itself)" : suggestion(by, known_names(catalog_))));
  }

 private:
  Requirement requirement(const std::string& key, const Node& value) const {
    const Component* component = catalog_.find(catalog_.real_name(key));
    auto result =
        parse_requirement(key, value, component ? component->versioning : Versioning::pep440);
    result.component = catalog_.real_name(result.component);
    const std::string& name = result.component;
    if (!catalog_.find(name) && !catalog_.is_virtual(name) && !hosts_.contains(name))
      value.fail(fmt::format("no catalog declares or provides \"{}\"{}", name,
                             suggestion(name, known_names(catalog_))));
    return result;
  }

  // As the catalog writes it.
  std::string hardware_version(const std::string& name, const Node& value) const {
    const std::string text = value.text();
    if (text == "host") return text;
    const Component* component = catalog_.find(name);
    if (!component)
      value.fail(fmt::format("no catalog declares the component \"{}\"{}", name,
                             suggestion(name, known_names(catalog_))));
    if (component->kind != Kind::hardware && component->kind != Kind::driver)
      value.fail(fmt::format("\"{}\" is of the kind {}, not hardware; use \"requires\"", name,
                             to_string(component->kind)));
    if (const auto* entry = component->find(text)) return entry->version.text();
    if (name == "cpu" && component->versions.empty()) return text;  // a microarchitecture: workspace/load.hpp binds it
    if (name == "gpu" && !models_named(*component, text).empty()) return text;  // a name of several: workspace/load.hpp binds it
    if (component->open && Version::parse(text, component->versioning)) return text;  // split_open() adds it
    std::vector<std::string> versions{"host"};
    for (const auto& entry : component->versions) versions.push_back(entry.version.text());
    value.fail(
        fmt::format("the catalog has no {} \"{}\"{}", name, text, suggestion(text, versions)));
  }

  const Catalog& catalog_;
  std::set<std::string> hosts_;
};

void check_head(const Node& document) {
  if (document.kind() == "stackx/catalog/1")
    document.fail("is a catalog, no project; of a package that it holds: stackx resolve NAME --catalog FILE");
  document.schema("stackx/project/1");
  document.only({"$schema", "name", "description", "catalogs", "requires", "hardware", "pins",
                 "workload", "campaign", "cluster"});
}

std::vector<std::string> catalog_names(const Node& document) {
  const Node list = document.at("catalogs");
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto& item : list.items()) {
    names.push_back(item.nonempty());
    if (names.back().find('\0') != std::string::npos)
      item.fail("a file name cannot hold a NUL character");
    if (!seen.insert(names.back()).second)
      item.fail(fmt::format("\"{}\" stands twice; keep one", names.back()));
  }
  if (names.empty()) list.fail("expected at least one catalog");
  return names;
}

// The catalogs' files: beside the project, else in the data directory. `fail` tells what is wrong.
template <typename Fail>
std::vector<std::filesystem::path> find_catalogs(const std::vector<std::string>& names,
                                                 const std::filesystem::path& beside,
                                                 const std::filesystem::path& data_directory,
                                                 Fail&& fail) {
  std::vector<std::filesystem::path> files;
  for (const auto& name : names) {
    const auto near = beside / name, far = data_directory / name;
    std::error_code error;  // a name that is too long is a file that does not exist
    if (std::filesystem::exists(near, error)) {
      files.push_back(near);
    } else if (std::filesystem::exists(far, error)) {
      files.push_back(far);
    } else {
      std::vector<std::string> known;
      for (const auto& directory : {beside.empty() ? std::filesystem::path(".") : beside, data_directory})
        for (const auto& file : json_files(directory)) known.push_back(file.filename().string());
      fail(fmt::format("there is no catalog \"{}\": neither {} nor {} exists{}", name, near.string(), far.string(),
                       suggestion_or(name, known, fmt::format("; `ls {}` shows those that come with stackx", data_directory.string()))));
    }
  }
  return files;
}

// Drivers and other open components become classes that nothing in project or catalog tells apart further.
void settle_open(const Project& project, Catalog& catalog) {
  for (const auto& [name, version] : project.hardware)
    if (const auto found = catalog.components.find(name); found != catalog.components.end())
      add_open(found->second, version);
  auto asked = project.requires_;
  asked.insert(asked.end(), project.pins.begin(), project.pins.end());
  split_open(catalog, asked);
}

LoadedProject load_json_project(const std::filesystem::path& file,
                                const std::filesystem::path& data_directory,
                                const PythonContext& context) {
  const Node document = Node::parse_file(file);
  check_head(document);
  LoadedProject loaded;
  auto files = find_catalogs(catalog_names(document), file.parent_path(), data_directory,
                             [&](const std::string& wrong) { document.at("catalogs").fail(wrong); });
  for (auto& overlay : find_catalogs(context.catalogs, "", data_directory,
                                     [](const std::string& wrong) { throw bad_input("--catalog: " + wrong); })) {
    if (!is_overlay(overlay))
      throw bad_input(fmt::format("--catalog {}: {} names its catalogs itself; only an overlay (\"overlay\": true) lies over them",
                                  overlay.string(), file.string()));
    files.push_back(std::move(overlay));
  }
  loaded.catalog = load_catalogs(files, context.overlays);
  check(loaded.catalog, file.string(), host_components(document));
  loaded.project = parse_project(document, loaded.catalog);
  settle_open(loaded.project, loaded.catalog);
  return loaded;
}

LoadedProject load_python_project(const std::filesystem::path& file,
                                  const std::filesystem::path& data_directory,
                                  const PythonContext& context) {
  const PythonProject python_project = read_python_project(file, context);
  if (context.catalogs.empty())
    throw bad_input(file.string() +
                    ": a Python project names no catalogs; say which versions there are: --catalog "
                    "FILE (`stackx catalog import pypi PACKAGE... --python 3.11 -o FILE` makes one of what it asks for)");
  LoadedProject loaded;
  loaded.catalog = load_catalogs(
      find_catalogs(context.catalogs, "", data_directory,
                    [](const std::string& wrong) { throw bad_input("--catalog: " + wrong); }),
      context.overlays);
  check(loaded.catalog, file.string(), {});
  loaded.project = to_project(python_project, loaded.catalog, context);
  settle_open(loaded.project, loaded.catalog);
  return loaded;
}

}  // namespace

Project parse_project(const Node& document, const Catalog& catalog) {
  check_head(document);
  const ProjectReader reader(catalog, host_components(document));
  Project project;
  project.file = document.file();
  project.name = document.at("name").nonempty();
  if (!is_printable(project.name))
    document.at("name").fail("control characters (also newlines and tabs) have no place here");
  if (const auto node = document.find("description")) project.description = node->text();
  project.catalogs = catalog_names(document);
  project.requires_ = reader.requirements(document.at("requires"));
  if (project.requires_.empty())
    document.at("requires").fail("expected at least one requirement: what is the stack for?");
  if (const auto node = document.find("hardware")) project.hardware = reader.hardware(*node);
  if (const auto node = document.find("pins")) project.pins = reader.requirements(*node);
  if (const auto node = document.find("workload")) project.workloads = expand_workloads(*node);
  if (const auto node = document.find("campaign")) {
    project.campaign = campaign_from(*node);
    reader.check_stratum(project.campaign, *node);
  }
  if (const auto node = document.find("cluster")) project.cluster = cluster_settings_from(*node);
  return project;
}

std::vector<std::string> known_names(const Catalog& catalog) {
  std::set<std::string> names;
  for (const auto& [name, component] : catalog.components) {
    names.insert(name);
    for (const auto& entry : component.versions)
      for (const auto& [virtual_name, version] : entry.provides) names.insert(virtual_name);
  }
  return {names.begin(), names.end()};
}

LoadedProject load_project(const std::filesystem::path& file,
                           const std::filesystem::path& data_directory,
                           const PythonContext& context) {
  check_is_project(file);
  if (is_python_project(file)) return load_python_project(file, data_directory, context);
  return load_json_project(file, data_directory, context);
}

}  // namespace stackx::specs
