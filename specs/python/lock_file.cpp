#include "specs/python/lock_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/conda_environment.hpp"
#include "specs/python/requirements_txt.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

bool is_pylock(const std::string& name) {
  return name == "pylock.toml" || (name.starts_with("pylock.") && name.ends_with(".toml"));
}

bool is_foreign(const std::string& name) {
  return name == "uv.lock" || name == "poetry.lock" || name == "pdm.lock";
}

bool is_hex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
  });
}

// "==1.2" -> "1.2", "===x" -> "x"; nothing for every other specifier.
std::optional<std::string> pinned_version(std::string_view text) {
  text = trim(text).text;
  if (!text.starts_with("==")) return std::nullopt;
  text = trim(text.substr(text.starts_with("===") ? 3 : 2)).text;
  if (!Version::parse(text, Versioning::pep440)) return std::nullopt;  // a wildcard, or a set
  return std::string(text);
}

class Builder {
 public:
  Builder(const fs::path& file, std::string python, const std::string& platform) {
    lock_.file = file;
    lock_.python = std::move(python);
    if (!lock_.python.empty()) environment_ = MarkerEnvironment::for_python(lock_.python, platform);
  }

  std::optional<MarkerEnvironment>& environment() { return environment_; }
  std::vector<std::string>& sources() { return lock_.sources; }
  void add_hash(const std::string& package, std::string digest) {
    std::ranges::transform(digest, digest.begin(), to_lower);
    auto& list = lock_.hashes[package];
    if (std::ranges::find(list, digest) == list.end()) list.push_back(std::move(digest));
  }
  Lock take() { return std::move(lock_); }

  void add(const Dependency& dependency, const std::string& version, const std::string& place) {
    add(dependency.name, version, place);
    for (const auto& extra : dependency.extras) add(dependency.name + "+" + extra, version, place);
  }

 private:
  void add(const std::string& name, const std::string& version, const std::string& place) {
    const auto [known, fresh] = lock_.components.emplace(name, version);
    if (!fresh && known->second != version)
      throw bad_input(fmt::format("{}: {} is locked to {}, but to {} at {}; keep one", place, name,
                                  in_quotes(version), in_quotes(known->second),
                                  lock_.where.at(name)));
    lock_.where.emplace(name, place);
  }

  Lock lock_;
  std::optional<MarkerEnvironment> environment_;
};

std::string place(const Node& node) { return fmt::format("{}: {}", node.file(), node.pointer()); }
std::string place(const TomlNode& node) { return node.place(); }

std::string package_name(const std::string& text, const auto& node) {
  const auto parsed = parse_dependency(text);
  if (!parsed || parsed->text() != parsed->name)
    node.fail(in_quotes(text) + " is not the name of a package");
  return parsed->name;
}

Marker marker(const std::string& text, const auto& node) {
  auto parsed = Marker::parse(text);
  if (!parsed)
    node.fail(fmt::format("{}: column {}: {}", in_quotes(text), parsed.error().column,
                          to_utf8(parsed.error().reason.substr(0, 500))));
  return *parsed;
}

namespace pipfile_lock {

// The SHA-256 among the hashes; others are checked for their form.
std::vector<std::string> hashes(const Node& entry) {
  std::vector<std::string> result;
  const auto list = entry.find("hashes");
  if (!list) return result;
  for (const auto& item : list->items()) {
    const std::string text = item.text();
    const auto colon = text.find(':');
    if (colon == 0 || colon == text.npos || !is_hex(std::string_view(text).substr(colon + 1)))
      item.fail("expected a hash such as \"sha256:0123abcd...\"");
    if (text.starts_with("sha256:")) result.push_back(text.substr(colon + 1));
  }
  return result;
}

void read_sources(const Node& document, Builder& builder) {
  const auto meta = document.find("_meta");
  const auto list = meta ? meta->find("sources") : std::nullopt;
  if (!list) return;
  for (const auto& source : list->items())
    if (const auto name = source.find("name")) builder.sources().push_back(name->text());
}

void read_package(const std::string& name, const Node& entry, Builder& builder) {
  PlacedDependency placed{{}, place(entry)};
  Dependency& dependency = placed.dependency;
  dependency.name = package_name(name, entry);
  if (const auto text = entry.find("markers")) dependency.marker = marker(text->text(), *text);
  if (const auto list = entry.find("extras"))
    for (const auto& item : list->items())
      dependency.extras.push_back(package_name(item.text(), item));
  const auto digests = hashes(entry);
  if (!applies(placed, builder.environment())) return;
  const auto version = entry.find("version");
  if (!version)
    entry.fail(
        "has no version: it comes from a path, file or repository, but a catalog holds "
        "released versions");
  const auto pinned = pinned_version(version->text());
  if (!pinned)
    version->fail(
        fmt::format("{} is no exact version; expected \"==1.2\"", in_quotes(version->text())));
  builder.add(dependency, *pinned, placed.place);
  for (const auto& digest : digests) builder.add_hash(dependency.name, digest);
}

std::string locked_python(const Node& document) {
  const auto meta = document.find("_meta");
  const auto required = meta ? meta->find("requires") : std::nullopt;
  if (!required) return "";
  for (const char* key : {"python_full_version", "python_version"})
    if (const auto version = required->find(key)) return version->text();
  return "";
}

Lock read(const Node& document, const fs::path& file, const std::string& python,
          const std::string& platform) {
  const Node packages = document.at("default");
  Builder builder(file, python.empty() ? locked_python(document) : python, platform);
  read_sources(document, builder);
  for (const auto& [name, entry] : packages.members()) read_package(name, entry, builder);
  return builder.take();
}

}  // namespace pipfile_lock

namespace pylock {

void check_version(const TomlNode& document) {
  const TomlNode& node = document.at("lock-version");
  if (node.text() != "1.0" && !node.text().starts_with("1."))
    node.fail(fmt::format("expected \"1.0\" (PEP 751), found {}", in_quotes(node.text())));
}

// {sha256 = "0123abcd..."} of a wheel, an sdist or an archive.
void read_hashes(const TomlNode& source, std::vector<std::string>& found) {
  const TomlNode* hashes = source.find("hashes");
  if (!hashes) return;
  for (const auto& [algorithm, digest] : hashes->members()) {
    if (!is_hex(digest.text())) digest.fail("expected hexadecimal digits");
    if (algorithm == "sha256") found.push_back(digest.text());
  }
}

void check_python(const TomlNode& node, const std::string& python) {
  const auto needed = python_dependency(node.text(), node.place());
  if (python.empty()) return;
  const auto version = Version::parse(python, Versioning::pep440);
  if (version && !needed.dependency.versions.contains(*version))
    node.fail(fmt::format("the lock is for Python {}, not {}", in_quotes(node.text()), python));
}

void check_environments(const TomlNode& document, const std::optional<MarkerEnvironment>& target) {
  const TomlNode* list = document.find("environments");
  if (!list) return;
  bool any = list->items().empty();
  for (const auto& item : list->items()) {
    const Marker one = marker(item.text(), item);
    any |= !target || one.holds(*target);
  }
  if (!any) list->fail("the lock is for other environments than the one asked for");
}

void read_package(const TomlNode& package, Builder& builder) {
  PlacedDependency placed{{}, place(package)};
  placed.dependency.name = package_name(package.at("name").text(), package.at("name"));
  if (const auto* text = package.find("marker"))
    placed.dependency.marker = marker(text->text(), *text);
  std::vector<std::string> digests;
  for (const char* kind : {"sdist", "archive"})
    if (const auto* source = package.find(kind)) read_hashes(*source, digests);
  if (const auto* wheels = package.find("wheels"))
    for (const auto& wheel : wheels->items()) read_hashes(wheel, digests);
  if (!applies(placed, builder.environment())) return;
  const TomlNode* version = package.find("version");
  if (!version)
    package.fail("has no version: it is a source tree, but a catalog holds released versions");
  if (const auto parsed = Version::parse(version->text(), Versioning::pep440); !parsed)
    version->fail(fmt::format("{}: column {}: {}", in_quotes(version->text()),
                              parsed.error().column, parsed.error().reason));
  builder.add(placed.dependency, version->text(), placed.place);
  for (const auto& digest : digests) builder.add_hash(placed.dependency.name, digest);
}

Lock load(const fs::path& file, const std::string& python, const std::string& platform) {
  const TomlNode document = TomlNode::parse_file(file);
  check_version(document);
  Builder builder(file, python, platform);
  auto& environment = builder.environment();
  if (const auto* node = document.find("requires-python")) check_python(*node, python);
  if (const auto* groups = document.find("default-groups"); groups && environment)
    for (const auto& group : groups->items())
      environment->dependency_groups.insert(normalized_name(group.text()));
  check_environments(document, environment);
  if (const auto* packages = document.find("packages"))
    for (const auto& package : packages->items()) read_package(package, builder);
  return builder.take();
}

}  // namespace pylock

Lock load_requirements(const fs::path& file, const std::string& python,
                       const std::string& platform) {
  Builder builder(file, python, platform);
  for (const auto& placed : read_requirements_txt(file).dependencies) {
    if (!applies(placed, builder.environment())) continue;
    const auto version = pinned_version(placed.dependency.versions.text());
    if (!version)
      throw bad_input(fmt::format("{}: {} is not pinned to one version; a lock says {}==VERSION",
                                  placed.place, in_quotes(placed.dependency.text()),
                                  placed.dependency.name));
    builder.add(placed.dependency, *version, placed.place);
  }
  return builder.take();
}

}  // namespace

bool is_lock_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "Pipfile.lock" || is_pylock(name) || is_foreign(name);
}

Lock read_pipfile_lock(const Node& document, const fs::path& file, const std::string& python,
                       const std::string& platform) {
  return pipfile_lock::read(document, file, python, platform);
}

Lock load_lock(const fs::path& file, const std::string& python, const std::string& platform) {
  const std::string name = file.filename().string();
  if (name == "Pipfile.lock")
    return pipfile_lock::read(Node::parse_file(file), file, python, platform);
  if (is_pylock(name)) return pylock::load(file, python, platform);
  if (file.extension() == ".txt" || file.extension() == ".in")
    return load_requirements(file, python, platform);
  throw bad_input(fmt::format(
      "{}: expected Pipfile.lock, pylock.toml or a requirements.txt{}", file.string(),
      is_foreign(name)             ? "; export it: uv export --format pylock.toml, poetry export, pdm export"
      : is_conda_environment(file) ? "; conda's environment.yml is a project: --project takes it"
                                   : ""));
}

}  // namespace stackx::specs
