#include "inspector/python/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "specs/error.hpp"
#include "specs/format/names.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// The headers of a METADATA that count here, up to the empty line that begins the description.
struct Stated {
  std::string name, version;
  std::vector<std::string> requires_dist;
  std::set<std::string, std::less<>> extras;
};

Stated stated_by(const Wheel& wheel) {
  Stated result;
  const auto is_metadata = [](const WheelFile& file) {
    return file.path.ends_with(".dist-info/METADATA") && file.path.find('/') == file.path.rfind('/');
  };
  for (const auto& file : wheel.files) {
    if (!is_metadata(file)) continue;
    std::istringstream lines(specs::read_text_file(wheel.directory / file.path, "the metadata of a wheel"));
    for (std::string line; std::getline(lines, line) && !line.empty() && line != "\r";) {
      if (line.ends_with('\r')) line.pop_back();
      const auto colon = line.find(": ");
      if (colon == line.npos) continue;
      const auto value = line.substr(colon + 2);
      if (line.starts_with("Name: ")) result.name = specs::normalized_name(value);
      if (line.starts_with("Version: ")) result.version = value;
      if (line.starts_with("Requires-Dist: ")) result.requires_dist.push_back(value);
      if (line.starts_with("Provides-Extra: ")) result.extras.insert(specs::normalized_name(value));
    }
  }
  return result;
}

// Of a wheel's URL or path; what is not plain in a file name of one is the '+' of a local version.
std::string file_of(const std::string& url) {
  auto name = url.substr(url.rfind('/') + 1);
  if (const auto plus = name.find("%2B"); plus != name.npos) name.replace(plus, 3, "+");
  return name;
}

// What is asked of the index: names and versions alone, no URLs.
std::string asked_of_index(specs::Dependency dependency) {
  dependency.marker.reset();
  dependency.url.clear();
  return dependency.text();
}

// A wheel says its name and version itself, and they become words of a command.
bool is_honest(const Stated& stated) {
  return specs::is_python_package_name(stated.name) && specs::Version::parse(stated.version, specs::Versioning::pep440).has_value();
}

}  // namespace

bool comes_as_wheels(std::string_view component) { return component == "cudnn" || component == "nccl"; }

Completion completion_of(const std::vector<NamedWheel>& wheels, const specs::MarkerEnvironment& environment) {
  Completion result;
  std::vector<Stated> all;
  std::set<std::string> lacking;
  for (const auto& one : wheels) {
    all.push_back(one.wheel ? stated_by(*one.wheel) : Stated{});
    if (comes_as_wheels(one.package))
      for (const auto cuda : {11, 12, 13})
        result.constraints.push_back(fmt::format("nvidia-{}-cu{}=={}.*", one.package, cuda, one.version));
    else if (!one.wheel)
      lacking.insert(specs::normalized_name(one.package) + "==" + one.version);
    if (is_honest(all.back())) result.present[all.back().name] = all.back().version;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto here = environment;
    if (const auto label = specs::local_label(wheels[i].version); all[i].extras.contains(label)) here.variables["extra"] = label;
    for (const auto& text : all[i].requires_dist) {
      const auto wanted = specs::parse_dependency(text);
      if (wanted && wanted->holds(here) && !result.present.contains(wanted->name)) lacking.insert(asked_of_index(*wanted));
    }
  }
  if (!lacking.empty() && !result.present.contains("numpy")) lacking.insert("numpy");
  result.requirements.assign(lacking.begin(), lacking.end());
  return result;
}

std::vector<ChosenWheel> read_choice(const fs::path& pylock) {
  const auto document = specs::TomlNode::parse_file(pylock);
  std::vector<ChosenWheel> result;
  const auto* packages = document.find("packages");
  for (const auto& package : packages ? packages->items() : std::vector<specs::TomlNode>{}) {
    const auto& wheels = package.at("wheels").items();
    if (wheels.empty()) package.fail("no wheel was chosen; remove the file, and it is made anew");
    const auto& wheel = wheels.front();
    ChosenWheel chosen{package.at("name").text(), package.at("version").text(), {}};
    chosen.artifact.type = specs::ArtifactType::wheel;
    chosen.artifact.sha256 = wheel.at("hashes").at("sha256").text();
    if (const auto* name = wheel.find("name")) chosen.artifact.file = name->text();
    for (const char* place : {"url", "path"})
      if (const auto* text = wheel.find(place); text && chosen.artifact.file.empty()) chosen.artifact.file = file_of(text->text());
    if (const auto* size = wheel.find("size")) chosen.artifact.size = static_cast<std::uint64_t>(std::max<std::int64_t>(size->integer(), 0));
    result.push_back(std::move(chosen));
  }
  return result;
}

}  // namespace stackx::inspector
