#include "specs/python/alternatives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/version/specifier.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

struct End {
  std::string text = {};  // "" is without one
  bool included = false;
  Version version() const { return *Version::parse(text, Versioning::pep440); }
};
struct Span {
  End from, to;
};

// "2.4.1" -> 2, 4, 1; nothing for "2.4rc1" and what is longer than versions are.
std::optional<std::vector<std::size_t>> release_numbers(std::string_view version) {
  std::vector<std::size_t> numbers;
  for (bool more = true; more;) {
    const auto end = std::min(version.find('.'), version.size());
    const auto digits = version.substr(0, end);
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != digits.npos || numbers.size() > 5) return std::nullopt;
    numbers.push_back(std::stoul(std::string(digits)));
    more = end < version.size();
    version.remove_prefix(std::min(end + 1, version.size()));
  }
  return numbers;
}

// "2.4" of ==2.4.*
bool take_series(const std::string& series, Span& span) {
  auto next = release_numbers(series);
  if (!next || !span.from.text.empty() || !span.to.text.empty()) return false;
  ++next->back();
  span = {{series, true}, {fmt::format("{}", fmt::join(*next, ".")), false}};
  return true;
}

// ">=2.4" of a span; false for what has no such form.
bool take_clause(std::string_view clause, Span& span) {
  const auto at = std::min(clause.find_first_not_of("=<>!~"), clause.size());
  const auto operation = clause.substr(0, at);
  const auto version = std::string(trim(clause.substr(at)).text);
  if (operation == "==" && version.ends_with(".*")) return take_series(version.substr(0, version.size() - 2), span);
  if (!Version::parse(version, Versioning::pep440)) return false;
  if (operation == ">=" || operation == ">") return span.from.text.empty() && (span.from = {version, operation == ">="}, true);
  if (operation == "<=" || operation == "<") return span.to.text.empty() && (span.to = {version, operation == "<="}, true);
  return operation == "==" && span.from.text.empty() && span.to.text.empty() && (span = {{version, true}, {version, true}}, true);
}

std::optional<Span> span_of(std::string_view range) {
  Span span;
  while (!range.empty()) {
    const auto end = std::min(range.find(','), range.size());
    if (!take_clause(trim(range.substr(0, end)).text, span)) return std::nullopt;
    range.remove_prefix(std::min(end + 1, range.size()));
  }
  const bool empty = !span.from.text.empty() && !span.to.text.empty() && span.to.version() < span.from.version();
  return empty ? std::nullopt : std::optional(span);
}

bool begins_before(const Span& a, const Span& b) {
  if (a.from.text.empty() || b.from.text.empty()) return a.from.text.empty() && !b.from.text.empty();
  return a.from.version() < b.from.version() || (a.from.version() == b.from.version() && a.from.included && !b.from.included);
}

// Nothing lies between the end and the beginning.
bool meet(const End& to, const End& from) {
  if (to.text.empty() || from.text.empty() || from.version() < to.version()) return true;
  return to.version() == from.version() && (to.included || from.included);
}

bool reaches_further(const End& a, const End& b) {
  if (a.text.empty() || b.text.empty()) return a.text.empty();
  return b.version() < a.version() || (a.version() == b.version() && a.included);
}

// What lies in [from, to), by series: of 2.5 to 2.7.1 it is 2.5, 2.6 and 2.7.0. Nothing where a series has no end.
std::optional<std::vector<std::string>> series_between(std::vector<std::size_t> from, std::vector<std::size_t> to) {
  constexpr std::size_t most = 50;
  const auto length = std::max(from.size(), to.size());
  from.resize(length), to.resize(length);
  std::vector<std::string> series;
  while (from < to) {
    std::vector<std::size_t> next;
    std::size_t kept = 0;
    for (bool fits = false; !fits && kept < length;) {
      ++kept;
      next.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(kept));
      ++next.back();
      next.resize(length);
      const bool whole = std::all_of(from.begin() + static_cast<std::ptrdiff_t>(kept), from.end(), [](auto number) { return number == 0; });
      fits = whole && next <= to;
    }
    const std::vector<std::size_t> prefix(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(kept));
    if (kept > 1 && !std::equal(prefix.begin(), prefix.end() - 1, to.begin())) return std::nullopt;  // 1.27, 1.28, ... up to 2
    series.push_back(fmt::format("!={}.*", fmt::join(prefix, ".")));
    if (series.size() > most) return std::nullopt;
    from = next;
  }
  return series;
}

std::optional<std::vector<std::string>> without_gap(const End& to, const End& from) {
  const auto begin = release_numbers(to.text), end = release_numbers(from.text);
  if (!begin || !end || to.included) return std::nullopt;
  auto left_out = series_between(*begin, *end);
  if (left_out && !from.included) left_out->push_back("!=" + from.text);
  return left_out;
}

}  // namespace

std::optional<std::string> any_of_ranges(const std::vector<std::string>& ranges) {
  std::vector<Span> spans;
  for (const auto& range : ranges) {
    const auto span = span_of(range);
    if (!span) return std::nullopt;
    spans.push_back(*span);
  }
  if (spans.empty()) return std::nullopt;
  std::ranges::stable_sort(spans, begins_before);
  std::vector<std::string> left_out;
  auto all = spans.front();
  for (const auto& span : spans) {
    if (!meet(all.to, span.from)) {
      const auto gap = without_gap(all.to, span.from);
      if (!gap) return std::nullopt;
      left_out.insert(left_out.end(), gap->begin(), gap->end());
    }
    if (reaches_further(span.to, all.to)) all.to = span.to;
  }
  std::vector<std::string> clauses;
  if (!all.from.text.empty()) clauses.push_back((all.from.included ? ">=" : ">") + all.from.text);
  if (!all.to.text.empty()) clauses.push_back((all.to.included ? "<=" : "<") + all.to.text);
  clauses.insert(clauses.end(), left_out.begin(), left_out.end());
  return clauses.empty() ? "*" : fmt::format("{}", fmt::join(clauses, ","));
}

}  // namespace stackx::specs
