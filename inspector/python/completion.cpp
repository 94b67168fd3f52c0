#include "inspector/python/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "specs/error.hpp"
#include "specs/format/names.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/core_metadata.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

specs::CoreMetadata stated_by(const Wheel& wheel) {
  const auto is_metadata = [](const WheelFile& file) {
    return file.path.ends_with(".dist-info/METADATA") && file.path.find('/') == file.path.rfind('/');
  };
  const auto file = std::ranges::find_if(wheel.files, is_metadata);
  if (file == wheel.files.end()) return {};
  auto stated = specs::parse_core_metadata(specs::read_text_file(wheel.directory / file->path, "the metadata of a wheel"));
  stated.name = specs::normalized_name(stated.name);
  return stated;
}

bool has_extra(const specs::CoreMetadata& stated, std::string_view extra) {
  return std::ranges::find(stated.provides_extra, extra, specs::normalized_name) != stated.provides_extra.end();
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
bool is_honest(const specs::CoreMetadata& stated) {
  return specs::is_python_package_name(stated.name) && specs::Version::parse(stated.version, specs::Versioning::pep440).has_value();
}

}  // namespace

bool comes_as_wheels(std::string_view component) { return component == "cudnn" || component == "nccl"; }

Completion completion_of(const std::vector<NamedWheel>& wheels, const specs::MarkerEnvironment& environment) {
  Completion result;
  std::vector<specs::CoreMetadata> all;
  std::set<std::string> lacking;
  for (const auto& one : wheels) {
    all.push_back(one.wheel ? stated_by(*one.wheel) : specs::CoreMetadata{});
    if (comes_as_wheels(one.package))
      for (const auto cuda : {11, 12, 13})
        result.constraints.push_back(fmt::format("nvidia-{}-cu{}=={}.*", one.package, cuda, one.version));
    else if (!one.wheel)
      lacking.insert(specs::normalized_name(one.package) + "==" + one.version);
    if (is_honest(all.back())) result.present[all.back().name] = all.back().version;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto here = environment;
    if (const auto label = specs::local_label(wheels[i].version); has_extra(all[i], label)) here.variables["extra"] = label;
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
