#include "pypi/distribution/metadata.hpp"

#include <fmt/format.h>

#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace {

constexpr std::string_view kNotFinal = "X-Stackx-Requirements: requires.txt";

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
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

Metadata parse_metadata(std::string_view text) { return {specs::parse_core_metadata(text), !text.starts_with(kNotFinal)}; }

std::string source_metadata(const SourceFacts& facts) {
  const auto stated = specs::parse_core_metadata(facts.pkg_info);
  if (stated.final_in_source) return facts.pkg_info;
  std::string result = fmt::format("{}\nName: {}\nVersion: {}\nRequires-Python: {}\n", kNotFinal, stated.name, stated.version,
                                   stated.requires_python);
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
