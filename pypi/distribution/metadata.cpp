#include "pypi/distribution/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "specs/version/pep440.hpp"
#include "specs/version/text_scanner.hpp"
#include "specs/version/version.hpp"

namespace stackx::pypi {
namespace {

constexpr std::string_view kNotFinal = "X-Stackx-Requirements: requires.txt";

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) {
    return x < 128 && y < 128 && std::tolower(x) == std::tolower(y);
  });
}

struct Header {
  std::string name, value;
};

// Up to the empty line that begins the description.
std::vector<Header> headers(std::string_view text) {
  std::vector<Header> result;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.empty()) break;
    if ((line[0] == ' ' || line[0] == '\t') && !result.empty()) {
      result.back().value += " ";
      result.back().value += specs::trim(line).text;
      continue;
    }
    const auto colon = line.find(':');
    if (colon != line.npos)
      result.push_back(
          {std::string(line.substr(0, colon)), std::string(specs::trim(line.substr(colon + 1)).text)});
  }
  return result;
}

bool is_final(const std::vector<Header>& pkg_info) {
  const auto first = specs::Version::parse("2.2", specs::Versioning::pep440);
  bool recent = false;
  for (const auto& header : pkg_info) {
    if (same_name(header.name, "Metadata-Version")) {
      const auto version = specs::Version::parse(header.value, specs::Versioning::pep440);
      recent = version && *version >= *first;
    }
    if (same_name(header.name, "Dynamic") && same_name(header.value, "Requires-Dist")) return false;
  }
  return recent;
}

// "[extra:marker]" and a requirement under it -> PEP 508.
std::string with_section(std::string_view requirement, std::string_view section) {
  if (section.empty()) return std::string(requirement);
  const auto colon = section.find(':');
  const auto extra = specs::trim(section.substr(0, colon)).text;
  std::string marker;
  if (colon != section.npos) marker = "(" + std::string(specs::trim(section.substr(colon + 1)).text) + ")";
  if (!extra.empty())
    marker += (marker.empty() ? "" : " and ") + ("extra == \"" + std::string(extra) + "\"");
  const auto own = requirement.find(';');
  if (own != requirement.npos)
    marker = "(" + std::string(specs::trim(requirement.substr(own + 1)).text) + ") and " + marker;
  return std::string(specs::trim(requirement.substr(0, own)).text) + " ; " + marker;
}

}  // namespace

Metadata parse_metadata(std::string_view text) {
  Metadata metadata;
  metadata.authoritative = !text.starts_with(kNotFinal);
  for (auto& header : headers(specs::to_utf8(std::string(text)))) {
    if (same_name(header.name, "Name")) metadata.name = header.value;
    if (same_name(header.name, "Version")) metadata.version = header.value;
    if (same_name(header.name, "Requires-Dist")) metadata.requires_dist.push_back(header.value);
    if (same_name(header.name, "Requires-Python")) metadata.requires_python = specs::printable(header.value);
  }
  return metadata;
}

std::string source_metadata(const SourceFacts& facts) {
  const auto pkg_info = headers(facts.pkg_info);
  if (is_final(pkg_info)) return facts.pkg_info;
  std::string result(kNotFinal);
  result += '\n';
  for (const auto& header : pkg_info)
    for (const char* kept : {"Name", "Version", "Requires-Python"})
      if (same_name(header.name, kept)) result += fmt::format("{}: {}\n", kept, header.value);
  std::string section;
  for (std::string_view rest = facts.requires_txt; !rest.empty();) {
    const auto line = specs::trim(take_line(rest)).text;
    if (line.empty() || line[0] == '#') continue;
    if (line.front() == '[' && line.back() == ']')
      section = line.substr(1, line.size() - 2);
    else
      result += "Requires-Dist: " + with_section(line, section) + "\n";
  }
  return result;
}

}  // namespace stackx::pypi
