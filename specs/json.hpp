// Strict reading of JSON documents: every value knows its file and its JSON pointer (RFC 6901).
//
// A Node is a value with its place. Readers ask for what they expect; what is not there, has another
// type, or stands under a key that nobody reads becomes one Error (bad_input) naming file, pointer,
// what was expected and, for a misspelt key, the nearest known one. Duplicate keys are errors too:
// nlohmann would keep the last one silently, and a catalog must lose nothing.
// Rejected: nlohmann's from_json conversions, whose messages name neither file nor pointer.
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
  // Parse errors give line and column. Files above 1 GiB are refused.
  static Node parse_file(const std::filesystem::path& file);
  static Node parse_text(std::string_view text, std::string name);

  const Json& json() const { return *value_; }
  const std::string& file() const;
  const std::string& pointer() const { return pointer_; }

  Node at(std::string_view key) const;                   // a required member of an object
  std::optional<Node> find(std::string_view key) const;  // an optional one; JSON null counts as absent
  std::vector<std::pair<std::string, Node>> members() const;  // in key order
  std::vector<Node> items() const;                            // of an array

  std::string text() const;        // a string
  std::int64_t integer() const;    // a whole number
  std::uint64_t unsigned_integer() const;
  double number() const;           // a finite number
  bool boolean() const;
  std::vector<std::string> texts() const;  // an array of strings

  // The members of this object must be among `known`.
  void only(std::initializer_list<std::string_view> known) const;
  // "$schema" must be `expected`, e.g. "stackx/catalog/1".
  void schema(std::string_view expected) const;

  // "FILE: POINTER: <message>"
  [[noreturn]] void fail(const std::string& message) const;

 private:
  struct Document;  // keeps file name and root value alive
  Node(std::shared_ptr<const Document> document, const Json* value, std::string pointer);
  std::shared_ptr<const Document> document_;
  const Json* value_;
  std::string pointer_;
};

// The document's text, canonical: sorted keys, no spaces, UTF-8 (what ids are hashed from).
std::string canonical(const Json& value);

}  // namespace stackx::specs
