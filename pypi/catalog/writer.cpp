#include "pypi/catalog/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

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

// What a version requires, and what it requires only for some of the targets that it serves.
class Conditional {
 public:
  Conditional(const Indices& served, const Targets& targets) : served_(served), targets_(targets) {}

  Requirements& of(const Indices& targets) {
    return targets == served_ ? always_ : sometimes_[targets];
  }
  Requirements& always() { return always_; }
  bool has_conditions() const { return !sometimes_.empty(); }

  void remove(const std::string& name) {
    always_.erase(name);
    for (auto& [targets, requirements] : sometimes_) requirements.erase(name);
    std::erase_if(sometimes_, [](const auto& one) { return one.second.empty(); });
  }

  // "requires_if"
  Json conditions() const {
    Json result = Json::array();
    for (const auto& [targets, requirements] : sometimes_)
      result.push_back({{"if", {{"python", any_of(targets_.ranges(targets))}}},
                        {"then", to_json(requirements)}});
    return result;
  }

  static Json any_of(const std::vector<std::string>& ranges) {
    return ranges.size() == 1 ? Json(ranges[0]) : Json{{"any", ranges}};
  }

 private:
  Indices served_;
  const Targets& targets_;
  Requirements always_;
  std::map<Indices, Requirements> sometimes_;
};

Indices served_by(const Release& release) {
  Indices result;
  for (const auto& serving : release.candidate.servings) result.push_back(serving.target);
  return result;
}

// Requires-Python, where all files of the version agree on it.
std::string declared_python(const Release& release) {
  const auto& first = release.facts[0].requires_python;
  const bool same = std::ranges::all_of(
      release.facts, [&](const Facts& facts) { return facts.requires_python == first; });
  return same ? first : "";
}

Indices allowed_by(const std::string& requires_python, const Targets& targets) {
  const auto range = specs::SpecifierSet::parse(requires_python, specs::Versioning::pep440);
  Indices result;
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!range || range->contains(targets[i].python_version())) result.push_back(i);
  return result;
}

// Requires-Python, and the Pythons that there are files for where those are fewer; "" for any.
Json python_requirement(const Release& release, const Targets& targets) {
  const auto declared = declared_python(release);
  auto ranges = release.candidate.pythons;
  if (ranges.empty() && served_by(release) != allowed_by(declared, targets))
    ranges = targets.ranges(served_by(release));
  if (ranges.empty()) return declared.empty() && targets.size() > 1 ? "*" : declared;
  if (!declared.empty())
    for (auto& range : ranges) range += "," + declared;
  return Conditional::any_of(ranges);
}

Json to_json(const char* type, const File& file) {
  Json artifact{{"type", type}, {"file", file.name}, {"sha256", file.sha256}};
  if (file.size > 0) artifact["size"] = file.size;
  return artifact;
}

// Each file once: a wheel may serve several targets.
Json artifacts(const Release& release) {
  Json result = Json::array();
  std::set<std::string> seen;
  const auto add = [&](const char* type, const File& file) {
    if (!file.sha256.empty() && seen.insert(file.name).second)
      result.push_back(to_json(type, file));
  };
  for (const auto& serving : release.candidate.servings)
    if (serving.fits) add("wheel", serving.file);
  for (const auto& serving : release.candidate.servings)
    if (serving.source) add("sdist", *serving.source);
  return result;
}

// Where the facts come from if no wheel states them; "" if all targets have one.
std::string source_of_facts(const Release& release, const Targets& targets) {
  std::vector<std::string> pythons;
  const Serving* without = nullptr;
  bool authoritative = true;
  for (std::size_t i = 0; i < release.facts.size(); ++i) {
    const auto& serving = release.candidate.servings[i];
    if (serving.fits) continue;
    without = &serving;
    authoritative = release.facts[i].authoritative;
    pythons.push_back(targets[serving.target].python());
  }
  if (!without) return "";
  const char* all = targets.size() > 1 ? "the targets" : "the target";
  return fmt::format(
      "no wheel for {}; requirements of {}{}",
      pythons.size() == targets.size() ? all : fmt::format("Python {}", fmt::join(pythons, ", ")),
      without->file.name,
      authoritative ? "" : ", as noted on its author's machine: not authoritative");
}

Json named(const Release& release) {
  const auto by_name = release.candidate.by_name;
  return by_name == specs::ByName::no ? Json::object() : Json{{"by_name", to_string(by_name)}};
}

Json entry(const std::string& name, const Release& release, const Targets& targets) {
  Conditional all(served_by(release), targets);
  for (const auto& need : needs(release, targets, ""))
    add(all.of(need.targets), name, *need.dependency);
  Json requires_ = to_json(all.always());
  const auto python = python_requirement(release, targets);
  if (python != "") requires_["python"] = python;
  Json result = named(release);
  if (!requires_.empty()) result["requires"] = requires_;
  if (all.has_conditions()) result["requires_if"] = all.conditions();
  if (const auto files = artifacts(release); !files.empty()) result["artifacts"] = files;
  const auto source = source_of_facts(release, targets);
  if (!source.empty()) result["source"] = source;
  return result;
}

// What an extra adds may contradict the version it belongs to: then it requires nothing that exists.
Json extra_entry(const std::string& name, const std::string& extra, const Release& release,
                 const Targets& targets) {
  Conditional all(served_by(release), targets);
  add(all.always(), name, "==" + release.candidate.version.text());
  for (const auto& need : needs(release, targets, extra)) {
    auto& requirements = all.of(need.targets);
    const auto& dependency = *need.dependency;
    if (dependency.name == name && !dependency.versions.is_any())
      add(requirements, name, dependency.versions.text());
    add(requirements, name, dependency);
  }
  all.remove(name + "+" + extra);
  Json result = named(release);
  result["requires"] = to_json(all.always());
  if (all.has_conditions()) result["requires_if"] = all.conditions();
  return result;
}

std::string describe(const Project& project) {
  if (!project.fault.empty()) return "its page on the index could not be read";
  if (!project.known) return "not on the index";
  if (project.left_out.empty()) return "all versions";
  return "left out: " + count_reasons(project.left_out);
}

// Versions of one reason together, those that a catalog can name; what is left out without a version is a reason alone.
Json left_out(const Project& project) {
  const auto nothing = [](const std::string& why) { return Json::array({{{"why", why}, {"versions", Json::array()}}}); };
  if (!project.known) return nothing(describe(project));
  if (project.releases.empty() && project.left_out.empty()) return nothing("the index has no file of it");
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> groups;  // by key: the version
  const auto is_here = [&](const specs::Version& version) {
    return std::ranges::any_of(project.releases, [&](const Release& one) { return one.candidate.version == version; });
  };
  for (const auto& one : project.left_out)
    if (const auto version = specs::Version::parse(one.version, specs::Versioning::pep440); version && !is_here(*version))
      groups[{one.reason, one.to_have}].emplace(version->key(), one.version);
  Json result = Json::array();
  for (const auto& [why, versions] : groups) {
    Json group{{"why", why.first}, {"versions", Json::array()}};
    if (!why.second.empty()) group["to_have"] = why.second;
    for (const auto& [key, version] : versions) group["versions"].push_back(version);
    result.push_back(std::move(group));
  }
  return result;
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

std::string write_catalog(const Closure& closure, const Targets& targets, const CatalogHead& head) {
  std::map<std::string, std::pair<Json, std::vector<std::string>>> components;
  components["python"].first = {{"kind", "runtime"}, {"description", targets.text()}};
  for (const auto& target : targets)
    components["python"].second.push_back(row(target.python(), Json::object()));
  for (const auto& [name, project] : closure) {
    auto& [facts, rows] = components[name];
    facts = {{"kind", "package"}, {"ecosystem", "pypi"}, {"description", describe(project)}};
    const auto list = left_out(project);
    if (!list.empty()) facts["left_out"] = list;
    for (const auto& release : project.releases)
      rows.push_back(row(release.candidate.version.text(), entry(name, release, targets)));
    for (const auto& extra : project.extras) {
      auto& [extra_facts, extra_rows] = components[name + "+" + extra];
      extra_facts = {{"kind", "package"},
                     {"description", fmt::format("{} with its extra {}", name, extra)}};
      if (!list.empty()) extra_facts["left_out"] = list;
      for (const auto& release : project.releases)
        extra_rows.push_back(
            row(release.candidate.version.text(), extra_entry(name, extra, release, targets)));
    }
  }
  Writer writer;
  writer.line(0, "{ \"$schema\": \"stackx/catalog/1\",");
  writer.line(2, "\"description\": " + Json(head.description).dump() + ",");
  writer.line(2, "\"source\": " + Json(head.source).dump() + ",");
  if (head.imported) writer.line(2, "\"import\": " + specs::to_json(*head.imported).dump() + ",");
  writer.line(2, "\"components\": {");
  for (const auto& [name, component] : components)
    writer.component(name, component.first, component.second);
  writer.line(2, "}");
  writer.line(0, "}");
  return writer.take();
}

}  // namespace stackx::pypi
