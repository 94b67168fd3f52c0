// Strict reading of JSON documents: every value knows its file and its JSON pointer (RFC 6901).
//
// A Node is a value with its place. Readers ask for what they expect; what is not there, has
// another type, or stands under a key that nobody reads becomes one Error (bad_input) naming file,
// pointer, what was expected and, for a misspelt key, the nearest known one. Duplicate keys are
// errors too: nlohmann would keep the last one silently, and a catalog must lose nothing. For the
// same reason the listed order of members and the written text of numbers ("7.0", "1.10") are kept
// beside the values. Rejected: nlohmann's from_json conversions, whose messages name neither file
// nor pointer; ordered_json, which looks up a key in linear time and still forgets how a number was
// written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stackx::specs {

using Json = nlohmann::json;  // object keys are sorted: dump() is our canonical JSON

class Node {
 public:
  // Parse errors give line and column. What holds too much is refused: json_reader.hpp says how much.
  static Node parse_file(const std::filesystem::path& file);
  static Node parse_text(std::string_view text, std::string name);

  const Json& json() const { return *value_; }
  const std::string& file() const;
  const std::string& pointer() const { return pointer_; }

  Node at(std::string_view key) const;  // a required member of an object
  std::optional<Node> find(
      std::string_view key) const;  // an optional one; JSON null counts as absent
  std::vector<std::pair<std::string, Node>> members() const;  // in the order of the document
  std::vector<Node> items() const;                            // of an array

  std::string text() const;      // a string
  std::string nonempty() const;  // a string that is not ""
  std::int64_t integer() const;  // a whole number
  std::uint64_t unsigned_integer() const;
  double number() const;  // a finite number
  bool boolean() const;
  std::string scalar() const;              // a string, number (as written) or boolean, as text
  std::vector<std::string> texts() const;  // an array of strings

  // The members of this object must be among `known`.
  void only(std::initializer_list<std::string_view> known) const;
  // "$schema" must be `expected`, e.g. "stackx/catalog/1".
  void schema(std::string_view expected) const;
  std::string kind() const;  // what "$schema" says, to tell what else a document is; "": nothing

  // "FILE: POINTER: <message>"; of the whole document "FILE: <message>"
  [[noreturn]] void fail(const std::string& message) const;

 private:
  struct Document;  // keeps file name and root value alive
  Node(std::shared_ptr<const Document> document, const Json* value, std::string pointer);
  Node child(std::string_view token, const Json& value) const;
  [[noreturn]] void expected(const char* what) const;
  const Json::object_t& object() const;

  std::shared_ptr<const Document> document_;
  const Json* value_;
  std::string pointer_;
};

// The document's text, canonical: sorted keys, no spaces, UTF-8 (what ids are hashed from).
// Numbers that are not finite and texts that are not UTF-8 are errors (bad_input) naming the
// pointer.
std::string canonical(const Json& value);

void require_finite(const Json& value);  // the first of these errors alone

// `text` with everything that is not UTF-8 replaced by U+FFFD: output of programs, before it is
// stored.
std::string to_utf8(std::string_view text);

}  // namespace stackx::specs
