// Reading of TOML 1.0 documents: every value knows its file, line and column.
//
// The counterpart of Node (json.hpp) for the TOML files of Python projects. Those hold much that is
// not ours ([tool.*]), so unknown keys are not errors. Parsed by toml++, which this header does not
// show: its single header takes seconds to compile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stackx::specs {

class TomlNode {
 public:
  // Syntax errors give line and column; nesting (and dots in a key) above 64 levels is refused, and so are more than a
  // million values: lock files of some MB are common and have tens of thousands.
  static TomlNode parse_file(const std::filesystem::path& file);
  static TomlNode parse_text(std::string_view text, std::string name);

  bool is_table() const { return type_ == Type::table; }
  bool is_text() const { return type_ == Type::text; }
  bool is_array() const { return type_ == Type::array; }
  bool is_boolean() const { return type_ == Type::boolean; }

  const TomlNode* find(std::string_view key) const;  // a member of a table, or null
  const TomlNode& at(std::string_view key) const;    // a required one
  const std::vector<std::pair<std::string, TomlNode>>& members() const;  // as the document has them
  const std::vector<TomlNode>& items() const;                            // of an array
  const std::string& text() const;                                       // a string
  bool boolean() const;
  std::int64_t integer() const;

  std::string place() const;  // "FILE:LINE:COLUMN"
  [[noreturn]] void fail(const std::string& message) const;

 private:
  enum class Type { table, array, text, boolean, integer, other };
  struct Builder;
  [[noreturn]] void expected(const char* what) const;

  Type type_ = Type::other;
  std::string text_;
  bool boolean_ = false;
  std::int64_t integer_ = 0;
  std::vector<std::pair<std::string, TomlNode>> members_;
  std::vector<TomlNode> items_;
  std::shared_ptr<const std::string> file_;
  std::size_t line_ = 1, column_ = 1;
};

}  // namespace stackx::specs
