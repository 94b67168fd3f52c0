#include "cli/lock_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "specs/digest.hpp"
#include "specs/error.hpp"
#include "specs/json.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using specs::Json;

struct Package {
  std::string version;
  std::set<std::string> extras, hashes;
  bool root = false;
};
using Packages = std::map<std::string, Package>;

bool is_python_package(const specs::Component& component, const specs::VersionEntry& entry) {
  const bool files = std::ranges::any_of(entry.artifacts, [](const auto& artifact) {
    return artifact.type == specs::ArtifactType::wheel ||
           artifact.type == specs::ArtifactType::sdist;
  });
  return component.kind == specs::Kind::package && (component.ecosystem == "pypi" || files);
}

void add(Packages& packages, const specs::Component& component, const specs::VersionEntry& entry,
         bool root) {
  bool any = false;
  for (const auto& artifact : entry.artifacts) {
    if (artifact.type != specs::ArtifactType::wheel && artifact.type != specs::ArtifactType::sdist)
      continue;
    auto& package = packages[artifact.package.empty() ? component.name : artifact.package];
    package.version =
        artifact.package_version.empty() ? entry.version.text() : artifact.package_version;
    package.hashes.insert("sha256:" + artifact.sha256);
    package.root |= root;
    any = true;
  }
  if (any) return;
  packages[component.name].version = entry.version.text();
  packages[component.name].root |= root;
}

Packages packages_of(const specs::Stack& stack, const specs::Project& project,
                     const specs::Catalog& catalog) {
  std::set<std::string> roots;
  for (const auto& requirement : project.requires_) roots.insert(requirement.component);
  Packages packages;
  for (const auto& [name, version] : stack.components) {
    const auto* component = catalog.find(name);
    const auto* entry = component ? component->find(version) : nullptr;
    if (!entry) continue;
    if (const auto plus = name.find('+'); plus != name.npos) {  // requests+security
      auto& package = packages[name.substr(0, plus)];
      package.extras.insert(name.substr(plus + 1));
      package.root |= roots.contains(name);
    } else if (is_python_package(*component, *entry)) {
      add(packages, *component, *entry, roots.contains(name));
    }
  }
  std::erase_if(packages, [](const auto& one) { return one.second.version.empty(); });
  const bool rooted =
      std::ranges::any_of(packages, [](const auto& one) { return one.second.root; });
  for (auto& [name, package] : packages) package.root |= !rooted;  // roots are virtual: name all
  return packages;
}

Json pinned(const Package& package) {
  const std::string version = "==" + package.version;
  if (package.extras.empty()) return version;
  return {{"version", version}, {"extras", package.extras}};
}

// What both files say of the source and the Python.
Json sources(const std::string& url) {
  return Json::array({{{"name", "pypi"}, {"url", url}, {"verify_ssl", true}}});
}

Json requires_of(const specs::Stack& stack) {
  const auto python = stack.components.find("python");
  if (python == stack.components.end()) return Json::object();
  const auto& text = python->second;
  const auto first = text.find('.');
  return {
      {"python_version", first == text.npos ? text : text.substr(0, text.find('.', first + 1))}};
}

// JSON's strings are TOML's basic strings, and so are the arrays of them.
std::string pipfile(const Json& source, const Json& packages, const Json& requires_) {
  std::string text = "[[source]]\n";
  for (const auto& [key, value] : source[0].items()) text += key + " = " + value.dump() + "\n";
  text += "\n[packages]\n";
  for (const auto& [name, value] : packages.items()) {
    const bool bare = name.find('.') == name.npos;  // other characters of PEP 503 need no quotes
    text += (bare ? name : Json(name).dump()) + " = ";
    text += value.is_string() ? value.dump()
                              : fmt::format("{{version = {}, extras = {}}}",
                                            value["version"].dump(), value["extras"].dump());
    text += "\n";
  }
  text += "\n[dev-packages]\n";
  if (!requires_.empty())
    text += "\n[requires]\npython_version = " + requires_["python_version"].dump() + "\n";
  return text;
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw broken_environment(
        fmt::format("{}: cannot be written; is the disk full?", file.string()));
}

}  // namespace

LockWriter::LockWriter(fs::path directory, const specs::Project& project,
                       const specs::Catalog& catalog, std::string index_url)
    : directory_(fs::absolute(directory).lexically_normal()),
      project_(project),
      catalog_(catalog),
      index_url_(std::move(index_url)) {
  if (!directory_.has_filename()) directory_ = directory_.parent_path();
  std::error_code error;
  if (fs::exists(directory_, error) &&
      (!fs::is_directory(directory_, error) || !fs::is_empty(directory_, error)))
    throw bad_input(fmt::format(
        "--output {}: there is something already; name a directory that is new or empty",
        directory.string()));
  part_ = directory_.string() + fmt::format(".{}.part", getpid());
  fs::remove_all(part_, error);
  fs::create_directories(part_, error);
  if (error)
    throw broken_environment(
        fmt::format("--output {}: {}: {}", directory.string(), part_.string(), error.message()));
}

LockWriter::~LockWriter() {
  std::error_code error;
  if (!part_.empty()) fs::remove_all(part_, error);
}

void LockWriter::write(const specs::Stack& stack) {
  if (!written_.insert(stack.id()).second) return;
  const auto packages = packages_of(stack, project_, catalog_);
  Json asked = Json::object(), locked = Json::object();
  for (const auto& [name, package] : packages) {
    if (package.root) asked[name] = pinned(package);
    Json entry = {{"index", "pypi"}, {"version", "==" + package.version}};
    if (!package.hashes.empty()) entry["hashes"] = package.hashes;
    if (!package.extras.empty()) entry["extras"] = package.extras;
    locked[name] = std::move(entry);
  }
  const Json source = sources(index_url_), requires_ = requires_of(stack);
  // What pipenv compares with the Pipfile: is the lock out of date?
  const Json meaning = {{"_meta", {{"sources", source}, {"requires", requires_}}},
                        {"default", asked},
                        {"develop", Json::object()}};
  const Json lock = {{"_meta",
                      {{"hash", {{"sha256", specs::sha256(meaning.dump(-1, ' ', true))}}},
                       {"pipfile-spec", 6},
                       {"requires", requires_},
                       {"sources", source}}},
                     {"default", locked},
                     {"develop", Json::object()}};
  const auto place = part_ / stack.short_id();
  std::error_code error;
  fs::create_directory(place, error);
  write_file(place / "Pipfile", pipfile(source, asked, requires_));
  write_file(place / "Pipfile.lock", lock.dump(4) + "\n");
}

std::size_t LockWriter::finish() {
  std::error_code error;
  fs::rename(part_, directory_, error);
  if (error)
    throw broken_environment(fmt::format("--output {}: cannot be put in place: {}",
                                         directory_.string(), error.message()));
  part_.clear();
  return written_.size();
}

}  // namespace stackx::cli
