#include "specs/version/version_text.hpp"

#include <cctype>
#include <ranges>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {

std::string major_release(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

std::string minor_release(std::string_view version) {
  const auto first = version.find('.');
  return std::string(version.substr(0, first == version.npos ? version.npos : version.find('.', first + 1)));
}

std::string public_version(std::string_view version) { return std::string(version.substr(0, version.find('+'))); }

bool is_local(std::string_view version) { return version.find('+') != version.npos; }

std::string patch_release(std::string_view version) {
  std::size_t end = 0;
  for (int dots = 0; end < version.size(); ++end)
    if (version[end] == '.' && ++dots == 3) break;
  return std::string(version.substr(0, end));
}

std::string local_label(std::string_view version) {
  return is_local(version) ? std::string(version.substr(version.find('+') + 1)) : "";
}

std::string label_from(std::string_view text) {
  std::string result;
  for (const char c : lowered(text)) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (kept || (!result.empty() && result.back() != '.')) result += kept ? c : '.';
  }
  while (result.ends_with('.')) result.pop_back();
  return result;
}

Version pep440_version(std::string_view version) { return Version::parse(version, Versioning::pep440).value(); }

bool is_newer(std::string_view version, std::string_view than) {
  const auto a = Version::parse(public_version(version), Versioning::pep440);
  const auto b = Version::parse(public_version(than), Versioning::pep440);
  return a && b && *a > *b;
}

std::string single_version(const SpecifierSet& range) {
  const auto& text = range.text();
  if (!text.starts_with("==") || text.find_first_of(",*") != text.npos) return "";
  return text.substr(text.find_first_not_of("= "));
}

bool is_pin(const SpecifierSet& range) {
  for (const auto part : std::views::split(range.text(), ',')) {
    const std::string_view clause(part.begin(), part.end());
    const auto at = clause.find_first_not_of(' ');
    if (at == clause.npos || !clause.substr(at).starts_with("==")) continue;
    const auto last = clause.find_last_not_of(' ');
    if (clause.substr(at).starts_with("===") || clause[last] != '*') return true;
  }
  return false;
}

SpecifierSet range_or_any(std::string_view text) {
  return SpecifierSet::parse(text, Versioning::pep440).value_or(SpecifierSet::any(Versioning::pep440));
}

}  // namespace stackx::specs
