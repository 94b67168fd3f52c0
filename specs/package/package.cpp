#include "specs/package/package.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "specs/format/json.hpp"
#include "specs/format/members.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::specs {
namespace {

std::vector<std::string> words_of(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<WheelTags> read_wheels(const Node& node) {
  std::vector<WheelTags> wheels;
  for (const auto& [platforms, tags] : node.members())
    for (const auto& tag : words_of(tags.nonempty(), ' ')) {
      const auto dash = std::min(tag.find('-'), tag.size());
      WheelTags one{words_of(tag.substr(0, dash), '.'), words_of(tag.substr(std::min(dash + 1, tag.size())), '.'),
                    words_of(platforms, '.')};
      if (one.pythons.empty() || one.abis.empty())
        tags.fail(fmt::format("\"{}\": expected PYTHON-ABI, such as cp311-cp311 or py3-none", tag));
      if (one.platforms.empty()) tags.fail("expected a platform as the key, such as manylinux_2_28_x86_64 or any");
      wheels.push_back(std::move(one));
    }
  return wheels;
}

bool flag(const Node& node, std::string_view key) {
  const auto found = node.find(key);
  return found && found->boolean();
}

PackageRelease read_release(const std::string& text, const Node& node) {
  node.only({"uploaded", "python", "wheels", "sdist", "yanked", "requires"});
  const auto version = Version::parse(text, Versioning::pep440);
  if (!version)
    node.fail(fmt::format("\"{}\" is no version: {}", text, version.error().reason));
  PackageRelease release{*version, optional_text(node, "uploaded"), optional_text(node, "python"), {},
                         flag(node, "sdist"), flag(node, "yanked"), {}};
  if (const auto wheels = node.find("wheels")) release.wheels = read_wheels(*wheels);
  if (const auto list = node.find("requires")) release.requires_ = list->texts();
  return release;
}

Json wheels_json(const std::vector<WheelTags>& wheels) {
  std::map<std::string, std::vector<std::string>> by_platform;
  for (const auto& tags : wheels)
    by_platform[fmt::format("{}", fmt::join(tags.platforms, "."))].push_back(
        fmt::format("{}-{}", fmt::join(tags.pythons, "."), fmt::join(tags.abis, ".")));
  Json result = Json::object();
  for (auto& [platform, tags] : by_platform) {
    std::ranges::sort(tags);
    const auto same = std::ranges::unique(tags);
    tags.erase(same.begin(), same.end());
    result[platform] = fmt::format("{}", fmt::join(tags, " "));
  }
  return result;
}

Json release_json(const PackageRelease& release) {
  Json result = Json::object();
  if (!release.uploaded.empty()) result["uploaded"] = release.uploaded;
  if (!release.requires_python.empty()) result["python"] = release.requires_python;
  if (!release.wheels.empty()) result["wheels"] = wheels_json(release.wheels);
  if (release.source) result["sdist"] = true;
  if (release.yanked) result["yanked"] = true;
  if (release.requires_) result["requires"] = *release.requires_;
  return result;
}

}  // namespace

const PackageRelease* Package::find(const Version& version) const {
  const auto found = std::ranges::find(releases, version, &PackageRelease::version);
  return found == releases.end() ? nullptr : &*found;
}

Package parse_package(const Node& document) {
  document.schema("stackx/package/1");
  document.only({"$schema", "name", "as_of", "source", "versions"});
  Package package{document.at("name").nonempty(), document.at("as_of").nonempty(),
                  document.at("source").nonempty(), {}};
  if (normalized_name(package.name) != package.name)
    document.at("name").fail(fmt::format("expected the normal form \"{}\"", normalized_name(package.name)));
  for (const auto& [text, node] : document.at("versions").members())
    package.releases.push_back(read_release(text, node));
  auto& releases = package.releases;
  std::ranges::stable_sort(releases, {}, [](const auto& one) { return one.version.key(); });
  const auto same = std::ranges::adjacent_find(releases, {}, &PackageRelease::version);
  if (same != releases.end())
    document.at("versions").fail(fmt::format("\"{}\" and \"{}\" are the same version; keep one", same->version.text(),
                                             std::next(same)->version.text()));
  return package;
}

Package load_package(const std::filesystem::path& file) { return parse_package(Node::parse_file(file)); }

std::string to_text(const Package& package) {
  std::string text = fmt::format("{{\"$schema\": \"stackx/package/1\", \"name\": {}, \"as_of\": {}, \"source\": {}, \"versions\": {{",
                                 Json(package.name).dump(), Json(package.as_of).dump(), Json(package.source).dump());
  const char* between = "\n";
  for (auto release = package.releases.rbegin(); release != package.releases.rend(); ++release) {
    text += fmt::format("{}{}: {}", between, Json(release->version.text()).dump(), release_json(*release).dump());
    between = ",\n";
  }
  return text + "\n}}\n";
}

}  // namespace stackx::specs
