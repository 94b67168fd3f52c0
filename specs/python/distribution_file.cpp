#include "specs/python/distribution_file.hpp"

#include <array>

#include "specs/python/pep508.hpp"

namespace stackx::specs {
namespace {

constexpr std::array<std::string_view, 6> kArchives{".tar.gz", ".zip",    ".tar.bz2",
                                                    ".tgz",    ".tar.xz", ".tar.Z"};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::expected<Version, std::string> version_of(std::string_view text) {
  const auto version = Version::parse(text, Versioning::pep440);
  if (!version) return std::unexpected("version not after PEP 440");
  return *version;
}

std::expected<FileName, std::string> wheel(std::string_view stem, std::string_view project) {
  const auto parts = split(stem, '-');
  if (parts.size() != 5 && parts.size() != 6)
    return std::unexpected("wheel's name not after PEP 427");
  if (normalized_name(parts[0]) != project)
    return std::unexpected("file of another project");
  std::string text = parts[1];
  for (char& c : text)
    if (c == '_') c = '-';  // old builders escaped the '-' of 1.0-1 so
  const auto version = version_of(text);
  if (!version) return std::unexpected(version.error());
  const std::size_t last = parts.size() - 1;
  return FileName{*version, WheelTags{split(parts[last - 2], '.'), split(parts[last - 1], '.'),
                                      split(parts[last], '.')}};
}

// The name itself may hold '-': the version begins after the one that leaves the project's name before it.
std::expected<FileName, std::string> archive(std::string_view stem, std::string_view project) {
  for (auto dash = stem.find('-'); dash != stem.npos; dash = stem.find('-', dash + 1)) {
    if (normalized_name(stem.substr(0, dash)) != project) continue;
    const auto version = version_of(stem.substr(dash + 1));
    if (!version) return std::unexpected(version.error());
    return FileName{*version, std::nullopt};
  }
  return std::unexpected("file of another project");
}

}  // namespace

std::expected<FileName, std::string> parse_file_name(std::string_view file,
                                                     std::string_view project) {
  if (file.ends_with(".whl")) return wheel(file.substr(0, file.size() - 4), project);
  for (const auto ending : kArchives)
    if (file.ends_with(ending))
      return archive(file.substr(0, file.size() - ending.size()), project);
  return std::unexpected("neither wheel nor source archive");
}

}  // namespace stackx::specs
