#include "specs/python/package_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::specs {
namespace {

// What a member says in one word; "" where there is none, or something else.
std::string word_in(const TomlNode& table, const char* key) {
  const auto* node = table.is_table() ? table.find(key) : nullptr;
  return node && node->is_text() ? node->text() : "";
}

bool is_set(const TomlNode& table, const char* key) {
  const auto* node = table.find(key);
  return node && node->is_boolean() && node->boolean();
}

struct IndexInFile {
  std::string name, url;
  const TomlNode* node;
};

// [[source]], [[tool.uv.index]]
std::vector<IndexInFile> indexes_in(const TomlNode& table, const char* key) {
  std::vector<IndexInFile> found;
  if (const auto* list = table.find(key))
    for (const auto& one : list->items()) found.push_back({word_in(one, "name"), word_in(one, "url"), &one});
  return found;
}

std::string url_of(const std::string& name, const std::vector<IndexInFile>& indexes) {
  const auto found = std::ranges::find(indexes, name, &IndexInFile::name);
  return found == indexes.end() ? "" : found->url;
}

std::optional<Marker> marker_in(const TomlNode& table, const char* key) {
  const auto* node = table.find(key);
  if (!node) return std::nullopt;
  auto marker = Marker::parse(node->text());
  if (!marker)
    node->fail(fmt::format("{}: column {}: {}", in_quotes(node->text()), marker.error().column,
                           to_utf8(marker.error().reason.substr(0, 500))));
  return *marker;
}

bool is_asked(const std::string& name, const std::set<std::string>& asked) {
  return name.empty() || std::ranges::any_of(asked, [&](const auto& one) { return normalized_name(one) == normalized_name(name); });
}

// Of the packages of a table: torch = {index = "pytorch"}, or a list of such.
void read_named(const TomlNode& packages, const char* key, const std::vector<IndexInFile>& indexes, PackageSources& sources) {
  const auto take = [&](const std::string& name, const TomlNode& node) {
    if (const auto index = word_in(node, key); !index.empty())
      sources.of_packages.push_back({normalized_name(name), index, url_of(index, indexes), "", marker_in(node, "markers")});
  };
  for (const auto& [name, node] : packages.members()) {
    take(name, node);
    if (node.is_array())
      for (const auto& one : node.items()) take(name, one);
  }
}

class UvSources {
 public:
  UvSources(const TomlNode& uv, const std::set<std::string>& extras, const std::set<std::string>& groups, PackageSources& sources)
      : uv_(uv), extras_(extras), groups_(groups), sources_(sources) {}

  void read() {
    const auto indexes = indexes_in(uv_, "index");
    for (const auto& [name, url, node] : indexes) {
      if (is_set(*node, "explicit")) continue;
      is_set(*node, "default") ? take_default(url) : take(url);
    }
    if (const auto* extra = uv_.find("extra-index-url"))
      for (const auto& one : extra->items()) take(one.text());
    take_default(word_in(uv_, "index-url"));
    if (const auto* table = uv_.find("sources"))
      for (const auto& [package, node] : table->members()) read_package(package, node, indexes);
  }

 private:
  void take_default(const std::string& url) {
    if (sources_.index.empty()) sources_.index = url;
  }

  // uv stays with the first index that has a package, unless it is told to look at all.
  void take(const std::string& url) {
    const bool looks_at_all = word_in(uv_, "index-strategy").starts_with("unsafe-");
    (looks_at_all ? sources_.beside : sources_.first).push_back(url);
  }

  void read_package(const std::string& package, const TomlNode& node, const std::vector<IndexInFile>& indexes) {
    if (node.is_table()) return read_source(package, node, indexes);
    for (const auto& one : node.items()) read_source(package, one, indexes);
  }

  void read_source(const std::string& package, const TomlNode& node, const std::vector<IndexInFile>& indexes) {
    if (!is_asked(word_in(node, "extra"), extras_) || !is_asked(word_in(node, "group"), groups_)) return;
    PackageSource source{normalized_name(package), word_in(node, "index"), "", elsewhere_in(node), marker_in(node, "marker")};
    source.url = url_of(source.index, indexes);
    if (!source.index.empty() || !source.elsewhere.empty()) sources_.of_packages.push_back(std::move(source));
  }

  const TomlNode& uv_;
  const std::set<std::string>& extras_;
  const std::set<std::string>& groups_;
  PackageSources& sources_;
};

}  // namespace

const TomlNode* tool_table(const TomlNode& document, const char* name) {
  const auto* tool = document.find("tool");
  const auto* one = tool && tool->is_table() ? tool->find(name) : nullptr;
  return one && one->is_table() ? one : nullptr;
}

const PackageSource* source_of(const std::string& package, const PackageSources& sources, const MarkerEnvironment& environment) {
  const auto found = std::ranges::find_if(sources.of_packages, [&](const auto& one) {
    return one.package == package && (!one.marker || one.marker->holds(environment));
  });
  return found == sources.of_packages.end() ? nullptr : &*found;
}

std::string elsewhere_in(const TomlNode& package) {
  if (!package.is_table()) return "";
  for (const char* key : {"git", "hg", "svn", "bzr", "url", "path", "file", "editable", "workspace"})
    if (const auto* node = package.find(key); node && (!node->is_boolean() || node->boolean())) return key;
  return "";
}

void read_uv_sources(const TomlNode& document, const std::set<std::string>& extras, const std::set<std::string>& groups,
                     PackageSources& sources) {
  if (const auto* uv = tool_table(document, "uv")) UvSources(*uv, extras, groups, sources).read();
}

// pipenv looks for what names no index at the first one alone.
void read_pipfile_sources(const TomlNode& document, PackageSources& sources) {
  const auto indexes = indexes_in(document, "source");
  if (!indexes.empty()) sources.index = indexes.front().url;
  for (const auto& [name, table] : document.members())
    if (table.is_table() && (name == "packages" || name.ends_with("packages"))) read_named(table, "index", indexes, sources);
}

// Of several sources Poetry takes the newest; the package index is one of them unless a primary one is named in its place. A
// supplemental one is looked into where no other has the package, and the package index has all that is judged here.
void read_poetry_sources(const TomlNode& document, PackageSources& sources) {
  const auto* poetry = tool_table(document, "poetry");
  if (!poetry) return;
  const auto indexes = indexes_in(*poetry, "source");
  const bool with_usual = std::ranges::any_of(indexes, [](const auto& one) { return normalized_name(one.name) == "pypi"; });
  for (const auto& [name, url, node] : indexes) {
    const auto priority = word_in(*node, "priority");
    if (url.empty() || priority == "explicit" || priority == "supplemental") continue;
    const bool is_second = is_set(*node, "secondary");  // before Poetry 1.5
    const bool in_place = !with_usual && !is_second && (priority.empty() || priority == "primary" || priority == "default");
    if (in_place && sources.index.empty())
      sources.index = url;
    else
      sources.beside.push_back(url);
  }
  if (const auto* packages = poetry->find("dependencies")) read_named(*packages, "source", indexes, sources);
  if (const auto* groups = poetry->find("group"))
    for (const auto& [name, group] : groups->members())
      if (const auto* packages = group.find("dependencies")) read_named(*packages, "source", indexes, sources);
}

void read_pdm_sources(const TomlNode& document, PackageSources& sources) {
  const auto* pdm = tool_table(document, "pdm");
  if (!pdm) return;
  const auto indexes = indexes_in(*pdm, "source");
  for (const auto& [name, url, node] : indexes) {
    const auto* included = node->find("include_packages");
    if (!included && normalized_name(name) == "pypi")
      sources.index = url;
    else if (!included)
      sources.beside.push_back(url);
    else
      for (const auto& one : included->items())
        sources.of_packages.push_back({normalized_name(one.text()), name.empty() ? "without a name" : name, url, "", std::nullopt});
  }
}

}  // namespace stackx::specs
