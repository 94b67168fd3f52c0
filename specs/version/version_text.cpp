#include "specs/version/version_text.hpp"

namespace stackx::specs {

std::string major_release(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

std::string minor_release(std::string_view version) {
  const auto first = version.find('.');
  return std::string(version.substr(0, first == version.npos ? version.npos : version.find('.', first + 1)));
}

std::string public_version(std::string_view version) { return std::string(version.substr(0, version.find('+'))); }

bool is_local(std::string_view version) { return version.find('+') != version.npos; }

std::string single_version(const SpecifierSet& range) {
  const auto& text = range.text();
  if (!text.starts_with("==") || text.find_first_of(",*") != text.npos) return "";
  return text.substr(text.find_first_not_of("= "));
}

SpecifierSet range_or_any(std::string_view text) {
  return SpecifierSet::parse(text, Versioning::pep440).value_or(SpecifierSet::any(Versioning::pep440));
}

}  // namespace stackx::specs
