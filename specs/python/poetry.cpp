#include "specs/python/poetry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/alternatives.hpp"
#include "specs/python/package_sources.hpp"
#include "specs/python/pyproject.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t most_alternatives = 20;

// Numbers of "2.4.1", without what follows them ("rc1"); none where it begins otherwise.
std::vector<std::string> numbers_of(std::string_view version) {
  std::vector<std::string> numbers;
  while (!version.empty() && is_digit(version.front())) {
    const auto end = std::min(version.find_first_not_of("0123456789"), version.size());
    numbers.emplace_back(version.substr(0, end));
    version.remove_prefix(end);
    if (!version.starts_with('.')) break;
    version.remove_prefix(1);
  }
  return numbers;
}

// One more in decimal, of any length: "9" -> "10".
std::string one_more(std::string number) {
  auto at = number.size();
  while (at > 0 && number[at - 1] == '9') number[--at] = '0';
  if (at == 0) return "1" + number;
  ++number[at - 1];
  return number;
}

// From `version` up to the next where number `kept` changes: of 2.4.1 with 0 it is 3, with 1 it is 2.5.
std::string up_to_next(std::string_view version, const std::vector<std::string>& numbers, std::size_t kept) {
  std::vector<std::string> next(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(kept) + 1);
  next.back() = one_more(next.back());
  return fmt::format(">={},<{}", version, fmt::join(next, "."));
}

// The caret keeps the first number that is not 0; of nothing but zeros the last.
std::string caret(std::string_view version, const std::vector<std::string>& numbers) {
  const auto is_zero = [](const auto& number) { return number.find_first_not_of('0') == number.npos; };
  const auto first = static_cast<std::size_t>(std::ranges::find_if_not(numbers, is_zero) - numbers.begin());
  return up_to_next(version, numbers, std::min(first, numbers.size() - 1));
}

std::optional<std::string> one_range(std::string_view text) {
  const bool is_caret = text.starts_with('^'), is_tilde = text.starts_with('~') && !text.starts_with("~=");
  if (is_caret || is_tilde) {
    const auto version = trim(text.substr(1)).text;
    const auto numbers = numbers_of(version);
    if (numbers.empty()) return std::nullopt;
    return is_caret ? caret(version, numbers) : up_to_next(version, numbers, std::min<std::size_t>(1, numbers.size() - 1));
  }
  const bool bare = !text.empty() && is_digit(text.front());
  return (bare ? "==" : "") + std::string(text);
}

// python = ">=3.9,<4" of a package: a marker.
std::string python_marker(const std::string& range, const TomlNode& node) {
  std::string text;
  for (std::string_view rest = range; !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto clause = trim(rest.substr(0, end)).text;
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto version = clause.find_first_not_of("=<>!~ ");
    if (version == clause.npos || version == 0) node.fail(fmt::format("{} is no range of Pythons", in_quotes(range)));
    const auto number = clause.substr(version);
    const bool whole = std::ranges::count(number, '.') > 1 && !number.ends_with(".*");
    text += fmt::format("{}python_{}version {} '{}'", text.empty() ? "" : " and ", whole ? "full_" : "",
                        trim(clause.substr(0, version)).text, number);
  }
  return text;
}

class PoetryReader {
 public:
  PoetryReader(const TomlNode& poetry, const std::set<std::string>& extras, const std::set<std::string>& groups, PythonProject& project,
               PackageSources* sources)
      : poetry_(poetry), groups_(groups), project_(project), sources_(sources) {
    for (const auto& extra : extras)
      for (const auto& item : optional_part(poetry, poetry.find("extras"), extra, "extra").items())
        of_extras_.insert(normalized_name(item.text()));
  }

  void read() {
    if (const auto* name = poetry_.find("name"); name && name->is_text()) project_.name = name->text();
    if (const auto* packages = poetry_.find("dependencies")) read_packages(*packages);
    for (const auto& group : groups_) read_group(group);
  }

 private:
  void read_group(const std::string& group) {
    const auto* old = poetry_.find("dev-dependencies");
    const auto* table = poetry_.find("group");
    if (group == "dev" && old && (!table || !table->find("dev"))) return read_packages(*old);
    if (const auto* packages = optional_part(poetry_, table, group, "dependency group").find("dependencies")) read_packages(*packages);
  }

  void read_packages(const TomlNode& packages) {
    for (const auto& [name, node] : packages.members()) {
      if (normalized_name(name) == "python") {
        project_.python = python_dependency(range(node), node.place());
      } else if (node.is_array()) {
        for (const auto& one : node.items()) read_package(name, one);
      } else {
        read_package(name, node);
      }
    }
  }

  void read_package(const std::string& name, const TomlNode& node) {
    const auto* optional = node.is_table() ? node.find("optional") : nullptr;
    if (optional && optional->boolean() && !of_extras_.contains(normalized_name(name))) return;
    if (const auto from = elsewhere_in(node); !from.empty()) {
      if (!sources_)
        node.fail(fmt::format("the package comes by \"{}\", but a catalog holds released versions; write version = \"...\" instead", from));
      return sources_->elsewhere.push_back(fmt::format("{} @ {}", name, from));
    }
    auto placed = read_dependency(name + extras_of(node) + plain(version_of(node)), node.place());
    placed.dependency.marker = marker_of(node);
    project_.dependencies.push_back(std::move(placed));
  }

  static std::string plain(const std::string& range) { return range == "*" ? "" : range; }

  static std::string version_of(const TomlNode& node) {
    if (!node.is_table()) return range(node);
    const auto* version = node.find("version");
    return version ? range(*version) : "*";
  }

  static std::string range(const TomlNode& node) {
    const auto result = pep440_of_poetry(node.text());
    if (!result)
      node.fail(fmt::format("{}: expected a range, such as \"^2.4\", \">=2.4,<3\" or \"~2.4 || ~2.7\"; alternatives (||) are read "
                            "where it is known what lies between them", in_quotes(node.text())));
    return *result;
  }

  static std::string extras_of(const TomlNode& node) {
    const auto* list = node.is_table() ? node.find("extras") : nullptr;
    std::vector<std::string> extras;
    if (list)
      for (const auto& item : list->items()) extras.push_back(item.text());
    return extras.empty() ? "" : fmt::format("[{}]", fmt::join(extras, ","));
  }

  static std::optional<Marker> marker_of(const TomlNode& node) {
    if (!node.is_table()) return std::nullopt;
    std::string all;
    const auto add = [&](const std::string& one) { all += (all.empty() ? "(" : " and (") + one + ")"; };
    if (const auto* markers = node.find("markers")) add(markers->text());
    if (const auto* platform = node.find("platform")) add(fmt::format("sys_platform == '{}'", platform->text()));
    if (const auto* python = node.find("python"); python && range(*python) != "*") add(python_marker(range(*python), *python));
    if (all.empty()) return std::nullopt;
    const auto parsed = Marker::parse(all);
    if (!parsed)
      node.fail(fmt::format("{}: column {}: {}", in_quotes(all), parsed.error().column, to_utf8(parsed.error().reason.substr(0, 500))));
    return *parsed;
  }

  const TomlNode& poetry_;
  const std::set<std::string>& groups_;
  PythonProject& project_;
  PackageSources* sources_;
  std::set<std::string> of_extras_;
};

}  // namespace

namespace {

// Of what stands between two bars.
std::optional<std::string> one_alternative(std::string_view text) {
  text = trim(text).text;
  if (text.empty()) return std::nullopt;
  if (text == "*") return "*";
  std::string all;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto one = one_range(trim(text.substr(0, end)).text);
    if (!one) return std::nullopt;
    all += (all.empty() ? "" : ",") + *one;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return SpecifierSet::parse(all, Versioning::pep440) ? std::optional(all) : std::nullopt;
}

}  // namespace

std::optional<std::string> pep440_of_poetry(std::string_view text) {
  std::vector<std::string> alternatives;
  for (bool more = true; more;) {
    const auto bar = std::min(text.find('|'), text.size());
    auto one = one_alternative(text.substr(0, bar));
    if (!one || alternatives.size() > most_alternatives) return std::nullopt;
    alternatives.push_back(std::move(*one));
    more = bar < text.size();
    text.remove_prefix(std::min(bar + 1, text.size()));
    if (text.starts_with('|')) text.remove_prefix(1);
  }
  if (alternatives.size() == 1) return alternatives.front();
  if (std::ranges::find(alternatives, "*") != alternatives.end()) return "*";
  return any_of_ranges(alternatives);
}

bool is_in_poetrys_form(const TomlNode& document) {
  const auto* poetry = document.find("project") ? nullptr : tool_table(document, "poetry");
  return poetry && poetry->find("dependencies");
}

void read_poetry(const TomlNode& document, const std::set<std::string>& extras, const std::set<std::string>& groups, PythonProject& project,
                 PackageSources* sources) {
  PoetryReader(*tool_table(document, "poetry"), extras, groups, project, sources).read();
}

}  // namespace stackx::specs
