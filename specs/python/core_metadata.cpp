#include "specs/python/core_metadata.hpp"

#include <algorithm>
#include <cctype>

#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "specs/version/text_scanner.hpp"
#include "specs/version/version.hpp"

namespace stackx::specs {
namespace {

bool same_header(std::string_view a, std::string_view b) {
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
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if ((line[0] == ' ' || line[0] == '\t') && !result.empty()) {
      result.back().value += " ";
      result.back().value += trim(line).text;
      continue;
    }
    const auto colon = line.find(':');
    if (colon != line.npos)
      result.push_back({std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)).text)});
  }
  return result;
}

bool says_what_is_dynamic(std::string_view metadata_version) {
  const auto version = Version::parse(metadata_version, Versioning::pep440);
  return version && *version >= *Version::parse("2.2", Versioning::pep440);
}

}  // namespace

CoreMetadata parse_core_metadata(std::string_view text) {
  CoreMetadata metadata;
  std::string metadata_version;
  bool dynamic = false;
  for (auto& [name, value] : headers(to_utf8(text))) {
    if (same_header(name, "Metadata-Version")) metadata_version = value;
    if (same_header(name, "Dynamic")) dynamic = dynamic || same_header(value, "Requires-Dist");
    if (same_header(name, "Name")) metadata.name = value;
    if (same_header(name, "Version")) metadata.version = value;
    if (same_header(name, "Requires-Python")) metadata.requires_python = printable(value);
    if (same_header(name, "Requires-Dist")) metadata.requires_dist.push_back(value);
    if (same_header(name, "Provides-Extra")) metadata.provides_extra.push_back(value);
  }
  metadata.final_in_source = !dynamic && says_what_is_dynamic(metadata_version);
  return metadata;
}

}  // namespace stackx::specs
