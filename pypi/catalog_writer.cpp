#include "pypi/catalog_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace stackx::pypi {
namespace {

using Json = nlohmann::json;
using Requirements = std::map<std::string, std::vector<std::string>>;  // name -> specifiers

void add(Requirements& requirements, const std::string& name, const std::string& specifier) {
  auto& list = requirements[name];
  if (specifier != "*" && std::ranges::find(list, specifier) == list.end())
    list.push_back(specifier);
}

Json to_json(const Requirements& requirements) {
  Json result = Json::object();
  for (const auto& [name, list] : requirements)
    result[name] = list.empty() ? "*" : fmt::format("{}", fmt::join(list, ","));
  return result;
}

void add(Requirements& requirements, const std::string& own, const specs::Dependency& dependency) {
  const auto text = dependency.versions.text().empty() ? "*" : dependency.versions.text();
  if (dependency.name != own) add(requirements, dependency.name, text);
  for (const auto& extra : dependency.extras)
    add(requirements, dependency.name + "+" + extra, dependency.name == own ? "*" : text);
}

// Requires-Python, and the Pythons that the wheels are for.
Json python_requirement(const std::string& declared, const std::vector<std::string>& pythons) {
  if (pythons.empty()) return declared;
  Json any = Json::array();
  for (const auto& range : pythons)
    any.push_back(declared.empty() ? range : range + "," + declared);
  return any.size() == 1 ? any[0] : Json{{"any", any}};
}

Json entry(const std::string& name, const Release& release, const specs::Target& target) {
  Requirements requirements;
  for (const auto* dependency : dependencies(release, target, ""))
    add(requirements, name, *dependency);
  const auto& [version, file, fits, pythons] = release.candidate;
  Json requires_ = to_json(requirements);
  if (!release.requires_python.empty() || !pythons.empty())
    requires_["python"] = python_requirement(release.requires_python, pythons);
  Json result = Json::object();
  if (!requires_.empty()) result["requires"] = requires_;
  if (fits && !file.sha256.empty()) {
    Json artifact{{"type", "wheel"}, {"file", file.name}, {"sha256", file.sha256}};
    if (file.size > 0) artifact["size"] = file.size;
    result["artifacts"] = Json::array({artifact});
  }
  if (!fits)
    result["source"] = fmt::format(
        "no wheel for the target; requirements of {}{}", file.name,
        release.authoritative ? "" : ", as noted on its author's machine: not authoritative");
  return result;
}

// What an extra adds may contradict the version it belongs to: then it requires nothing that exists.
Json extra_entry(const std::string& name, const std::string& extra, const Release& release,
                 const specs::Target& target) {
  Requirements requirements;
  add(requirements, name, "==" + release.candidate.version.text());
  for (const auto* dependency : dependencies(release, target, extra)) {
    if (dependency->name == name && !dependency->versions.is_any())
      add(requirements, name, dependency->versions.text());
    add(requirements, name, *dependency);
  }
  requirements.erase(name + "+" + extra);
  return {{"requires", to_json(requirements)}};
}

std::string describe(const Project& project) {
  if (!project.known) return "not on the index";
  if (project.left_out.empty()) return "all versions";
  return "left out: " + count_reasons(project.left_out);
}

// One line a version: such a file can be read, searched and compared.
class Writer {
 public:
  void line(int depth, const std::string& text) { text_ += std::string(depth, ' ') + text + "\n"; }
  void component(const std::string& name, const Json& facts, const std::vector<std::string>& rows) {
    if (!first_) text_.insert(text_.size() - 1, ",");
    first_ = false;
    const auto head = facts.dump();
    line(4, fmt::format("{}: {},", Json(name).dump(), head.substr(0, head.size() - 1)));
    line(6, "\"versions\": {");
    for (std::size_t i = 0; i < rows.size(); ++i)
      line(8, rows[i] + (i + 1 < rows.size() ? "," : ""));
    line(6, "} }");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

std::string row(const std::string& version, const Json& value) {
  return Json(version).dump() + ": " + value.dump();
}

}  // namespace

std::string count_reasons(const std::vector<LeftOut>& left_out) {
  std::map<std::string, std::size_t> counts;
  for (const auto& one : left_out) ++counts[one.reason];
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto& one) { return one.second; });
  std::string text;
  for (const auto& [reason, count] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", count, reason);
  return text;
}

std::string write_catalog(const Closure& closure, const specs::Target& target, const CatalogHead& head) {
  std::map<std::string, std::pair<Json, std::vector<std::string>>> components;
  components["python"] = {{{"kind", "runtime"}, {"description", target.text()}},
                          {row(target.python(), Json::object())}};
  for (const auto& [name, project] : closure) {
    auto& [facts, rows] = components[name];
    facts = {{"kind", "package"}, {"ecosystem", "pypi"}, {"description", describe(project)}};
    for (const auto& release : project.releases)
      rows.push_back(row(release.candidate.version.text(), entry(name, release, target)));
    for (const auto& extra : project.extras) {
      auto& [extra_facts, extra_rows] = components[name + "+" + extra];
      extra_facts = {{"kind", "package"},
                     {"description", fmt::format("{} with its extra {}", name, extra)}};
      for (const auto& release : project.releases)
        extra_rows.push_back(
            row(release.candidate.version.text(), extra_entry(name, extra, release, target)));
    }
  }
  Writer writer;
  writer.line(0, "{ \"$schema\": \"stackx/catalog/1\",");
  writer.line(2, "\"description\": " + Json(head.description).dump() + ",");
  writer.line(2, "\"source\": " + Json(head.source).dump() + ",");
  writer.line(2, "\"components\": {");
  for (const auto& [name, component] : components)
    writer.component(name, component.first, component.second);
  writer.line(2, "}");
  writer.line(0, "}");
  return writer.take();
}

}  // namespace stackx::pypi
