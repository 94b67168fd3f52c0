#include "specs/toml.hpp"

#include <fmt/format.h>

#include <algorithm>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 64
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "specs/error.hpp"
#include "specs/text_file.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t max_dots = 64;

// toml++ limits nested values, but a.b.c....: one level a dot, would overflow the stack when the
// tables are destroyed. Gives the offset of a dot too many.
class DottedKeys {
 public:
  explicit DottedKeys(std::string_view text) : text_(text) {}

  std::size_t excess() {
    std::size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.' && ++dots > max_dots) return at_;
      if (std::string_view("=,[{\n").find(c) != std::string_view::npos) dots = 0;
      ++at_;
    }
    return std::string_view::npos;
  }

 private:
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multiline = text_.substr(at_).starts_with(triple);
    const std::string_view end = multiline ? std::string_view(triple) : text_.substr(at_, 1);
    at_ += end.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
      if (!multiline && text_[at_] == '\n') return;  // the parser tells
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + end.size(), text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void refuse_deep_keys(std::string_view text, const std::string& name) {
  const std::size_t at = DottedKeys(text).excess();
  if (at == text.npos) return;
  const auto before = text.substr(0, at);
  throw bad_input(fmt::format("{}:{}:{}: a key of more than {} parts; no document of ours has one",
                              name, 1 + std::ranges::count(before, '\n'), at - before.rfind('\n'),
                              max_dots));
}

}  // namespace

struct TomlNode::Builder {
  std::shared_ptr<const std::string> file;

  TomlNode node(const toml::node& value) const {
    TomlNode result;
    result.file_ = file;
    result.line_ = value.source().begin.line;
    result.column_ = value.source().begin.column;
    if (const auto* table = value.as_table()) {
      result.type_ = Type::table;
      result.members_ = members(*table);
    } else if (const auto* array = value.as_array()) {
      result.type_ = Type::array;
      for (const auto& item : *array) result.items_.push_back(node(item));
    } else if (const auto* text = value.as_string()) {
      result.type_ = Type::text;
      result.text_ = text->get();
    } else if (const auto* boolean = value.as_boolean()) {
      result.type_ = Type::boolean;
      result.boolean_ = boolean->get();
    }
    return result;
  }

  std::vector<std::pair<std::string, TomlNode>> members(const toml::table& table) const {
    std::vector<std::pair<std::string, TomlNode>> result;
    for (const auto& [key, value] : table) result.emplace_back(std::string(key.str()), node(value));
    std::ranges::stable_sort(result, {}, [](const auto& member) {
      return std::pair(member.second.line_, member.second.column_);
    });
    return result;
  }
};

TomlNode TomlNode::parse_text(std::string_view text, std::string name) {
  refuse_deep_keys(text, name);
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const auto& begin = parsed.error().source().begin;
    throw bad_input(fmt::format("{}:{}:{}: not TOML: {}", name, begin.line, begin.column,
                                parsed.error().description()));
  }
  return Builder{std::make_shared<const std::string>(std::move(name))}.node(parsed.table());
}

TomlNode TomlNode::parse_file(const std::filesystem::path& file) {
  return parse_text(read_text_file(file, "a TOML file"), file.string());
}

const TomlNode* TomlNode::find(std::string_view key) const {
  const auto found =
      std::ranges::find(members(), key, [](const auto& member) { return member.first; });
  return found == members_.end() ? nullptr : &found->second;
}

const TomlNode& TomlNode::at(std::string_view key) const {
  if (const TomlNode* node = find(key)) return *node;
  fail(fmt::format("the key \"{}\" is missing; add it", key));
}

const std::vector<std::pair<std::string, TomlNode>>& TomlNode::members() const {
  if (type_ != Type::table) expected("a table");
  return members_;
}

const std::vector<TomlNode>& TomlNode::items() const {
  if (type_ != Type::array) expected("an array");
  return items_;
}

const std::string& TomlNode::text() const {
  if (type_ != Type::text) expected("a string");
  return text_;
}

bool TomlNode::boolean() const {
  if (type_ != Type::boolean) expected("true or false");
  return boolean_;
}

std::string TomlNode::place() const { return fmt::format("{}:{}:{}", *file_, line_, column_); }

void TomlNode::fail(const std::string& message) const { throw bad_input(place() + ": " + message); }

void TomlNode::expected(const char* what) const {
  constexpr const char* names[] = {"a table", "an array", "a string", "a boolean",
                                   "a number or date"};
  fail(fmt::format("expected {}, found {}", what, names[int(type_)]));
}

}  // namespace stackx::specs
