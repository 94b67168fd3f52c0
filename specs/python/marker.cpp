#include "specs/python/marker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/pep440.hpp"
#include "specs/version/specifier.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr int max_depth = 100;  // of parentheses; people write two or three

enum class Type { text, version, extra, set };

struct Variable {
  std::string_view spelling;
  std::string_view name;
  Type type = Type::text;
};
constexpr Variable variables[] = {
    {"python_version", "python_version", Type::version},
    {"python_full_version", "python_full_version", Type::version},
    {"implementation_version", "implementation_version", Type::version},
    {"platform_release", "platform_release", Type::version},
    {"os_name", "os_name"},
    {"os.name", "os_name"},
    {"sys_platform", "sys_platform"},
    {"sys.platform", "sys_platform"},
    {"platform_system", "platform_system"},
    {"platform_version", "platform_version"},
    {"platform.version", "platform_version"},
    {"platform_machine", "platform_machine"},
    {"platform.machine", "platform_machine"},
    {"platform_python_implementation", "platform_python_implementation"},
    {"platform.python_implementation", "platform_python_implementation"},
    {"python_implementation", "platform_python_implementation"},
    {"implementation_name", "implementation_name"},
    {"extra", "extra", Type::extra},
    {"extras", "extras", Type::set},
    {"dependency_groups", "dependency_groups", Type::set},
};

constexpr bool is_word(char c) { return is_alphanumeric(c) || c == '_'; }

struct Operand {
  const Variable* variable = nullptr;  // or a literal:
  std::string literal;

  Type type() const { return variable ? variable->type : Type::text; }
  std::string text() const {
    if (variable) return std::string(variable->name);
    const char quote = literal.find('"') == literal.npos ? '"' : '\'';
    return quote + literal + quote;
  }
  const std::string& value(const MarkerEnvironment& environment) const {
    static const std::string absent;
    if (!variable) return literal;
    const auto found = environment.variables.find(variable->name);
    return found == environment.variables.end() ? absent : found->second;
  }
};

// `left` against the specifier `operation right`; nothing if that is none.
std::optional<bool> compare_versions(const std::string& left, const std::string& operation,
                                     const std::string& right) {
  if (right.find(',') != right.npos) return std::nullopt;  // a set of several
  const auto specifier = SpecifierSet::parse(operation + right, Versioning::pep440);
  if (!specifier) return std::nullopt;
  if (operation == "===") return std::ranges::equal(left, trim(right).text, {}, to_lower, to_lower);
  const auto version = Version::parse(left, Versioning::pep440);
  return version && specifier->contains(*version);
}

struct Comparison {
  Operand left;
  std::string operation;
  Operand right;

  // What decides how the two are compared: the variable, the left one of two.
  Type type() const { return left.variable ? left.type() : right.type(); }
  bool membership() const { return operation.ends_with("in"); }

  bool holds(const MarkerEnvironment& environment) const {
    if (type() == Type::set) return holds_in_set(environment) == (operation == "in");
    const std::string &a = left.value(environment), &b = right.value(environment);
    if (membership()) return (b.find(a) != b.npos) == (operation == "in");
    if (type() == Type::version)
      if (const auto result = compare_versions(a, operation, b)) return *result;
    if (operation == "!=") return a != b;
    return (operation == "==" || operation == "<=" || operation == ">=") && a == b;
  }
  std::string text() const { return fmt::format("{} {} {}", left.text(), operation, right.text()); }

 private:
  bool holds_in_set(const MarkerEnvironment& environment) const {
    const auto& set =
        right.variable->name == "extras" ? environment.extras : environment.dependency_groups;
    return set.contains(left.literal);
  }
};

}  // namespace

struct Marker::Tree {
  enum class Kind { comparison, all, any } kind = Kind::comparison;
  Comparison comparison;
  std::vector<Tree> children;

  bool holds(const MarkerEnvironment& environment) const {
    const auto child_holds = [&](const Tree& child) { return child.holds(environment); };
    if (kind == Kind::all) return std::ranges::all_of(children, child_holds);
    if (kind == Kind::any) return std::ranges::any_of(children, child_holds);
    return comparison.holds(environment);
  }

  void write(std::string& out) const {
    if (kind == Kind::comparison) {
      out += comparison.text();
      return;
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (i > 0) out += kind == Kind::all ? " and " : " or ";
      const bool parentheses = kind == Kind::all && children[i].kind == Kind::any;
      if (parentheses) out += '(';
      children[i].write(out);
      if (parentheses) out += ')';
    }
  }
};

// Recursive descent; a ParseError on the way out is thrown, and caught in Marker::parse.
class MarkerParser {
 public:
  explicit MarkerParser(std::string_view text) : in_(text) {}

  Marker marker() {
    Marker::Tree tree = any(0);
    if (!in_.at_end()) throw in_.error("expected \"and\", \"or\" or the end of the marker");
    return Marker(std::make_shared<const Marker::Tree>(std::move(tree)));
  }

 private:
  using Tree = Marker::Tree;

  Tree any(int depth) {
    return joined(Tree::Kind::any, "or", [&] { return all(depth); });
  }
  Tree all(int depth) {
    return joined(Tree::Kind::all, "and", [&] { return atom(depth); });
  }

  // One child stands for itself; `a and (b and c)` is one conjunction.
  template <typename Child>
  Tree joined(Tree::Kind kind, std::string_view word, Child&& child) {
    Tree tree{kind, {}, {}};
    do {
      Tree next = child();
      if (next.kind == kind)
        std::ranges::move(next.children, std::back_inserter(tree.children));
      else
        tree.children.push_back(std::move(next));
    } while (skip_keyword(word));
    if (tree.children.size() > 1) return tree;
    Tree only = std::move(tree.children.front());
    return only;
  }

  Tree atom(int depth) {
    skip_space();
    if (in_.peek() != '(') return {Tree::Kind::comparison, comparison(), {}};
    if (depth == max_depth)
      throw in_.error(fmt::format("more than {} parentheses inside each other", max_depth));
    in_.skip(1);
    Tree tree = any(depth + 1);
    if (in_.peek() != ')') throw in_.error("expected \"and\", \"or\" or a closing ')'");
    in_.skip(1);
    skip_space();
    return tree;
  }

  Comparison comparison() {
    const TextScanner start = in_;
    Comparison result;
    result.left = operand();
    skip_space();
    result.operation = operation();
    skip_space();
    result.right = operand();
    skip_space();
    if (const auto reason = nonsense(result); !reason.empty())
      throw ParseError{reason, start.column()};
    normalize(result);
    return result;
  }

  static std::string nonsense(const Comparison& comparison) {
    const auto& [left, operation, right] = comparison;
    if (!left.variable && !right.variable)
      return fmt::format("{} compares two texts; one side must be a variable such as {}",
                         in_quotes(comparison.text()), variables[0].name);
    if (left.type() == Type::set || right.type() == Type::set) {
      if (left.variable || !comparison.membership())
        return fmt::format("{} is a set; ask for a member: \"name\" in {}",
                           (right.type() == Type::set ? right : left).text(),
                           (right.type() == Type::set ? right : left).text());
    } else if ((operation == "~=" || operation == "===") && !is_specifier(comparison)) {
      return fmt::format("{}: {} compares versions only", in_quotes(comparison.text()), operation);
    }
    return "";
  }

  static bool is_specifier(const Comparison& comparison) {
    if (comparison.type() != Type::version) return false;
    return comparison.right.variable ||
           compare_versions("1", comparison.operation, comparison.right.literal);
  }

  static void normalize(Comparison& comparison) {
    if (comparison.type() != Type::extra && comparison.type() != Type::set) return;
    for (Operand* side : {&comparison.left, &comparison.right})
      side->literal = normalized_name(side->literal);
  }

  Operand operand() {
    if (const char quote = in_.peek(); quote == '\'' || quote == '"') return literal(quote);
    const TextScanner start = in_;
    const std::string_view word = in_.take_while([](char c) { return is_word(c) || c == '.'; });
    if (word.empty()) throw in_.error("expected a marker variable or a text in quotes");
    const auto found = std::ranges::find(variables, word, &Variable::spelling);
    if (found != std::end(variables)) return {&*found, ""};
    std::vector<std::string> known;
    for (const auto& variable : variables) known.emplace_back(variable.spelling);
    throw ParseError{fmt::format("there is no marker variable \"{}\"{} (a text needs quotes)", word,
                                 suggestion(word, known)),
                     start.column()};
  }

  Operand literal(char quote) {
    in_.skip(1);
    const std::string_view text = in_.take_while([&](char c) { return c != quote; });
    if (in_.at_end()) throw in_.error(fmt::format("a closing {} is missing", quote));
    in_.skip(1);
    return {nullptr, std::string(text)};
  }

  std::string operation() {
    for (const std::string_view symbol : {"===", "==", "~=", "!=", "<=", ">=", "<", ">"})
      if (in_.skip_word(symbol)) return std::string(symbol);
    if (skip_keyword("in")) return "in";
    if (skip_keyword("not") && skip_keyword("in")) return "not in";
    throw in_.error("expected one of == != <= >= < > ~= === in, not in");
  }

  // Lower case only, and not as the beginning of a longer word.
  bool skip_keyword(std::string_view word) {
    skip_space();
    if (!in_.rest().starts_with(word) || is_word(in_.peek(word.size()))) return false;
    in_.skip(word.size());
    return true;
  }
  void skip_space() { in_.take_while(is_space); }

  TextScanner in_;
};

std::expected<Marker, ParseError> Marker::parse(std::string_view text) {
  try {
    return MarkerParser(text).marker();
  } catch (const ParseError& error) {
    return std::unexpected(error);
  }
}

bool Marker::holds(const MarkerEnvironment& environment) const { return tree_->holds(environment); }

std::string Marker::text() const {
  std::string out;
  tree_->write(out);
  return out;
}

namespace {

struct System {
  std::string_view word, os_name, sys_platform, platform_system;
};
constexpr System systems[] = {
    {"linux", "posix", "linux", "Linux"},
    {"macos", "posix", "darwin", "Darwin"},
    {"windows", "nt", "win32", "Windows"},
};

}  // namespace

MarkerEnvironment MarkerEnvironment::for_python(std::string_view version,
                                                std::string_view platform) {
  const auto parts = pep440::parse(trim(version).text);
  if (!parts || parts->release.size() < 2)
    throw bad_input(
        fmt::format("{} is no Python version; expected one like 3.11 or 3.11.4", in_quotes(version)));
  const std::string minor = fmt::format("{}.{}", parts->release[0], parts->release[1]);
  std::string full = pep440::normal(*parts);
  if (parts->release.size() == 2) full = minor + ".0" + full.substr(minor.size());

  const std::string_view text = trim(platform).text;
  const std::size_t end = text.find_first_of(" _-");
  const auto system = std::ranges::find(systems, text.substr(0, end), &System::word);
  if (system == std::end(systems) || end == text.npos || end + 1 == text.size())
    throw bad_input(fmt::format(
        "{} is no platform that is known here; expected linux, macos or windows and the "
        "machine: linux x86_64, linux aarch64, macos arm64, windows amd64",
        in_quotes(platform)));
  std::string machine(trim(text.substr(end + 1)).text);
  if (system->word == "windows")
    std::ranges::transform(machine, machine.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  const bool python2 = parts->release[0] == "2" && system->word == "linux";
  MarkerEnvironment environment;
  environment.variables = {{"python_version", minor},
                           {"python_full_version", full},
                           {"implementation_name", "cpython"},
                           {"implementation_version", full},
                           {"platform_python_implementation", "CPython"},
                           {"os_name", std::string(system->os_name)},
                           {"sys_platform", python2 ? "linux2" : std::string(system->sys_platform)},
                           {"platform_system", std::string(system->platform_system)},
                           {"platform_machine", machine}};
  return environment;
}

}  // namespace stackx::specs
