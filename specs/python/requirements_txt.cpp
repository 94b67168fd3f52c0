#include "specs/python/requirements_txt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/pip_text.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string text;  // continued lines are one
  std::size_t number = 0;
};

// A comment begins a line or follows white space: https://x/#sha1 has none.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
    if (at == 0 || is_space(line[at - 1])) return line.substr(0, at);
  return line;
}

std::string_view without_backslashes(std::string_view line) {
  const auto first = line.find_first_not_of('\\');
  return first == line.npos ? "" : line.substr(first, line.find_last_not_of('\\') - first + 1);
}

// As pip does it: lines are joined before comments are cut off, except that a line of comment ends what is continued;
// of what is continued all backslashes at both ends go.
void visit_logical_lines(std::string_view text, const std::function<void(const Line&)>& visit) {
  Line whole;
  bool continued = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!continued) {
      if (!whole.text.empty()) visit(whole);
      whole = {"", number};
    }
    const bool comment = trim(line).text.starts_with('#');
    continued = !comment && line.ends_with('\\');
    if (continued) line = without_backslashes(line);
    if (!comment) whole.text += line;
  }
  if (!whole.text.empty()) visit(whole);
}

// Split at white space; quotes hold a word together.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  bool inside = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote == '\0' && is_space(c)) {
      inside = false;
    } else {
      if (!inside) result.emplace_back();
      inside = true;
      if (c == quote)
        quote = '\0';
      else if (quote == '\0' && (c == '"' || c == '\''))
        quote = c;
      else
        result.back() += c;
    }
  }
  return result;
}

enum class Effect { include, constrain, editable, hash, index, extra_index, ignored_value, ignored_flag };
struct Option {
  std::string_view name;
  Effect effect;
};
constexpr Option options[] = {
    {"-r", Effect::include},
    {"--requirement", Effect::include},
    {"-c", Effect::constrain},
    {"--constraint", Effect::constrain},
    {"-e", Effect::editable},
    {"--editable", Effect::editable},
    {"--hash", Effect::hash},
    {"-i", Effect::index},
    {"--index-url", Effect::index},
    {"--pypi-url", Effect::index},
    {"--extra-index-url", Effect::extra_index},
    {"-f", Effect::ignored_value},
    {"--find-links", Effect::ignored_value},
    {"--no-binary", Effect::ignored_value},
    {"--only-binary", Effect::ignored_value},
    {"--trusted-host", Effect::ignored_value},
    {"--use-feature", Effect::ignored_value},
    {"--global-option", Effect::ignored_value},
    {"--install-option", Effect::ignored_value},
    {"--config-settings", Effect::ignored_value},
    {"--config-setting", Effect::ignored_value},
    {"-C", Effect::ignored_value},
    {"--no-index", Effect::ignored_flag},
    {"--pre", Effect::ignored_flag},
    {"--prefer-binary", Effect::ignored_flag},
    {"--require-hashes", Effect::ignored_flag},
    {"--always-unzip", Effect::ignored_flag},
    {"-Z", Effect::ignored_flag},
};

void check_hash(const std::string& value, const std::string& place) {
  constexpr std::pair<std::string_view, std::size_t> digits[] = {
      {"sha256", 64}, {"sha384", 96}, {"sha512", 128}};
  const std::size_t colon = value.find(':');
  const auto algorithm = std::ranges::find(digits, value.substr(0, colon),
                                           &std::pair<std::string_view, std::size_t>::first);
  const auto is_hex = [](char c) {
    return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
  };
  if (algorithm == std::end(digits) || colon == value.npos ||
      value.size() - colon - 1 != algorithm->second ||
      !std::ranges::all_of(value.substr(colon + 1), is_hex))
    throw bad_input(fmt::format(
        "{}: --hash {}: expected sha256:, sha384: or sha512: and 64, 96 or 128 hexadecimal digits",
        place, in_quotes(value)));
}

// What pip would take from elsewhere than an index.
bool is_path_or_url(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t;["));
  if (word.find('@') != word.npos && word.find("://") > word.find('@')) return false;  // name@URL
  if (word.find("://") != word.npos || word.starts_with('.') || word.starts_with("file:"))
    return true;
  const bool named = word.find_first_of("=<>!~(@") != word.npos;
  return !named && (word.find('/') != word.npos || word.find('\\') != word.npos ||
                    word.ends_with(".whl") || word.ends_with(".zip") || word.ends_with(".tar.gz"));
}

// That, and "name @ URL" of PEP 508.
bool comes_from_url(std::string_view text) {
  if (is_path_or_url(text)) return true;
  if (!text.contains('@')) return false;
  const auto dependency = parse_dependency(text);
  return dependency && !dependency->url.empty();
}

class RequirementsReader {
 public:
  explicit RequirementsReader(PythonProject& project, RequirementsBeside* beside = nullptr) : project_(project), beside_(beside) {}

  void start(const fs::path& path) { follow(path, false); }

  void text(std::string_view text, const fs::path& path, bool constraints) {
    visit_logical_lines(text, [&](const Line& one) {
      const std::string_view content = trim(without_comment(one.text)).text;
      if (content.empty()) return;
      const std::string place = fmt::format("{}:{}", path.string(), one.number);
      line(content, {path, place, constraints});
    });
  }

 private:
  struct Where {
    fs::path file;
    std::string place;
    bool constraints;
  };

  void follow(const fs::path& path, bool constraints) {
    active_.push_back(path);
    file(path, constraints);
    active_.pop_back();
  }

  void file(const fs::path& path, bool constraints) {
    std::error_code error;
    fs::path canonical = fs::weakly_canonical(path, error);
    if (error) canonical = path;
    if (!read_.insert({canonical, constraints}).second) return;  // it says nothing new
    text(read_pip_text(path, "a requirements file"), path, constraints);
  }

  void line(std::string_view text, const Where& where) {
    // Options follow the requirement after white space.
    std::size_t end = text.starts_with('-') ? 0 : text.size();
    for (std::size_t at = 1; at < end; ++at)
      if (text[at] == '-' && is_space(text[at - 1])) end = at;
    const std::string_view requirement = trim(text.substr(0, end)).text;
    if (!requirement.empty()) add(requirement, where);
    read_options(words(text.substr(end)), where);
  }

  void add(std::string_view text, const Where& where) {
    check_amount(where);
    if (beside_ && comes_from_url(text)) {
      beside_->elsewhere.emplace_back(text);
      return;
    }
    if (is_path_or_url(text))
      throw bad_input(
          fmt::format("{}: {} is a path or URL, but a catalog holds released versions; write the "
                      "package's name and versions instead (name==1.2)",
                      where.place, in_quotes(text)));
    PlacedDependency placed = read_dependency(text, where.place);
    (where.constraints ? project_.constraints : project_.dependencies).push_back(std::move(placed));
  }

  void check_amount(const Where& where) const {
    const auto elsewhere = beside_ ? beside_->elsewhere.size() : 0;
    if (project_.constraints.size() + project_.dependencies.size() + elsewhere >= most_requirements)
      throw bad_input(fmt::format("{}: more than {} requirements; no project has so many", where.place, most_requirements));
  }

  // "-r FILE", "-rFILE", "--requirement FILE", "--requirement=FILE"
  void read_options(const std::vector<std::string>& words, const Where& where) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_long = words[i].starts_with("--");
      const std::size_t end = is_long ? std::min(words[i].find('='), words[i].size()) : 2;
      const Option& option = find(words[i].substr(0, end), where);
      std::optional<std::string> value;
      if (words[i].size() > end) value = words[i].substr(is_long ? end + 1 : end);
      if (option.effect == Effect::ignored_flag) continue;
      if (!value && i + 1 < words.size()) value = words[++i];
      if (!value || value->empty())
        throw bad_input(fmt::format("{}: {} needs a value", where.place, option.name));
      apply(option, *value, where);
    }
  }

  static const Option& find(const std::string& name, const Where& where) {
    const auto found = std::ranges::find(options, std::string_view(name), &Option::name);
    if (found != std::end(options)) return *found;
    std::vector<std::string> known;
    for (const auto& option : options) known.emplace_back(option.name);
    throw bad_input(fmt::format("{}: pip's requirements files have no option {}{}", where.place,
                                in_quotes(name), suggestion(name, known)));
  }

  void apply(const Option& option, const std::string& value, const Where& where) {
    if (option.effect == Effect::hash) take_hash(value, where.place);
    if (option.effect == Effect::index && beside_) beside_->index = value;
    if (option.effect == Effect::extra_index && beside_) beside_->extra_indexes.push_back(value);
    if (option.effect == Effect::editable && beside_) {
      check_amount(where);
      beside_->elsewhere.push_back(value);
    } else if (option.effect == Effect::editable)
      throw bad_input(fmt::format(
          "{}: {} {}: a source tree is in no catalog; write what it requires, or the released "
          "package's name and versions",
          where.place, option.name, in_quotes(value)));
    if (option.effect == Effect::include || option.effect == Effect::constrain)
      include(value, where, where.constraints || option.effect == Effect::constrain);
  }

  void take_hash(const std::string& value, const std::string& place) {
    check_hash(value, place);
    constexpr std::string_view sha256 = "sha256:";
    if (!beside_ || !value.starts_with(sha256)) return;
    auto& digest = beside_->hashes[place].emplace_back(value.substr(sha256.size()));
    std::ranges::transform(digest, digest.begin(), to_lower);
  }

  void include(const std::string& name, const Where& where, bool constraints) {
    if (active_.empty())
      throw bad_input(where.place + ": names another file, which a text without a place cannot");
    if (name.find("://") != name.npos)
      throw bad_input(fmt::format("{}: {} is a URL; download the file and name it by its path",
                                  where.place, in_quotes(name)));
    if (name.find('\0') != name.npos)
      throw bad_input(where.place + ": a file name cannot hold a NUL character");
    const fs::path path = where.file.parent_path() / name;
    std::error_code error;
    if (!fs::exists(path, error))
      throw bad_input(
          fmt::format("{}: there is no file {}; the name is relative to the file that names it",
                      where.place, in_quotes(path.string())));
    refuse_cycle(path, where);
    follow(path, constraints);
  }

  void refuse_cycle(const fs::path& path, const Where& where) const {
    constexpr std::size_t deepest = 100;
    std::error_code error;
    std::vector<std::string> chain;
    for (const auto& one : active_) chain.push_back(one.string());
    chain.push_back(path.string());
    if (std::ranges::any_of(active_,
                            [&](const fs::path& one) { return fs::equivalent(one, path, error); }))
      throw bad_input(
          fmt::format("{}: the files include each other in a circle: {}; drop one of "
                      "these lines",
                      where.place, fmt::join(chain, " -> ")));
    if (active_.size() == deepest)
      throw bad_input(
          fmt::format("{}: more than {} files include each other", where.place, deepest));
  }

  PythonProject& project_;
  RequirementsBeside* beside_;
  std::vector<fs::path> active_;
  std::set<std::pair<fs::path, bool>> read_;
};

PythonProject empty_project(const fs::path& file) {
  PythonProject project;
  project.name = directory_name(file);
  project.file = file;
  return project;
}

}  // namespace

PythonProject read_requirements_txt(const fs::path& file, RequirementsBeside* beside) {
  PythonProject project = empty_project(file);
  RequirementsReader(project, beside).start(file);
  return project;
}

PythonProject parse_requirements_txt(std::string_view text, const std::string& name, RequirementsBeside* beside) {
  PythonProject project = empty_project(name);
  RequirementsReader(project, beside).text(text, name, false);
  return project;
}

}  // namespace stackx::specs
