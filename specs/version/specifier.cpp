#include "specs/version/specifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "specs/version/clause.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {

// The clauses folded together: a version must lie in the range and in no hole, and be written like
// the literals.
struct SpecifierSet::Data {
  Versioning scheme = Versioning::pep440;
  std::string text;
  bool any = true;
  bool names_prerelease = false;
  KeyRange range;
  std::vector<KeyRange> holes;  // in order and apart, once settled
  std::vector<std::string> literals;

  void add(Clause clause) {
    any = false;
    names_prerelease |= clause.names_prerelease;
    if (clause.operation == Operator::arbitrary_equal)
      literals.push_back(std::move(clause.literal));
    else if (clause.operation == Operator::not_equal)
      holes.push_back(std::move(clause.range));
    else
      range.intersect(clause.range);
  }

  // A list of packages may leave out ten thousand versions, each of which is held against all.
  void settle() {
    std::ranges::sort(holes, {}, &KeyRange::lower);
    std::vector<KeyRange> apart;
    for (auto& hole : holes)
      if (apart.empty() || !apart.back().unite(hole)) apart.push_back(std::move(hole));
    holes = std::move(apart);
  }

  bool in_a_hole(std::string_view key) const {
    const auto lower = [](const KeyRange& hole) { return std::string_view(hole.lower); };
    const auto above = std::ranges::upper_bound(holes, key, {}, lower);
    return above != holes.begin() && std::prev(above)->contains(key);
  }
};

namespace {

bool same_text(std::string_view a, std::string_view b, Versioning scheme) {
  if (scheme != Versioning::pep440) return a == b;
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

}  // namespace

SpecifierSet::SpecifierSet() : SpecifierSet(any(Versioning::pep440)) {}

SpecifierSet::SpecifierSet(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

SpecifierSet SpecifierSet::any(Versioning scheme) {
  Data data;
  data.scheme = scheme;
  data.text = "*";
  return SpecifierSet(std::make_shared<const Data>(std::move(data)));
}

std::expected<SpecifierSet, ParseError> SpecifierSet::parse(std::string_view text,
                                                            Versioning scheme) {
  Data data;
  data.scheme = scheme;
  data.text = trim(text).text;
  if (data.text == "*") return SpecifierSet(std::make_shared<const Data>(std::move(data)));
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Trimmed part = trim(text.substr(begin, end - begin));
    if (!part.text.empty()) {  // like `packaging`, which lets ">=1," pass
      auto clause = parse_clause(part.text, scheme);
      if (!clause)
        return std::unexpected(
            ParseError{clause.error().reason, clause.error().column + begin + part.offset});
      data.add(std::move(*clause));
    }
    begin = end + 1;
  }
  data.settle();
  return SpecifierSet(std::make_shared<const Data>(std::move(data)));
}

bool SpecifierSet::contains(const Version& version, Prereleases policy) const {
  const Data& data = *data_;
  if (policy == Prereleases::by_rule && version.is_prerelease() && !data.names_prerelease)
    return false;
  if (data.any) return true;
  if (version.scheme() != data.scheme)
    throw std::invalid_argument(fmt::format("{} ({}) cannot be held against {} ({})",
                                            version.text(), to_string(version.scheme()), data.text,
                                            to_string(data.scheme)));
  const std::string_view key = version.key();
  return data.range.contains(key) && !data.in_a_hole(key) &&
         std::ranges::all_of(data.literals, [&](const std::string& literal) {
           return same_text(version.text(), literal, data.scheme);
         });
}

bool SpecifierSet::is_impossible() const { return data_->range.upper && data_->range.lower >= *data_->range.upper; }
bool SpecifierSet::lies_above(const Version& version) const { return data_->range.upper && version.key() >= *data_->range.upper; }
bool SpecifierSet::lies_below(const Version& version) const { return version.key() < data_->range.lower; }
bool SpecifierSet::is_any() const { return data_->any; }
const std::string& SpecifierSet::text() const { return data_->text; }
Versioning SpecifierSet::scheme() const { return data_->scheme; }

}  // namespace stackx::specs
