#include "specs/format/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "specs/error.hpp"
#include "specs/format/brief.hpp"
#include "specs/format/input_file.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/utf16.hpp"

namespace stackx::specs {
namespace {

const char* type_name(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_boolean()) return "a boolean";
  if (value.is_number()) return "a number";
  return "null";
}

[[noreturn]] void not_canonical(const std::string& pointer, const std::string& why) {
  throw bad_input(pointer.empty() ? why : pointer + ": " + why);
}

void check_numbers(const Json& value, const std::string& pointer) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    not_canonical(pointer, "not a finite number; JSON has no NaN and no infinity");
  if (value.is_object())
    for (const auto& [key, member] : value.items())
      check_numbers(member, append_token(pointer, key));
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      if (!value[i].is_number_integer())
        check_numbers(value[i], append_token(pointer, std::to_string(i)));
}

// The same question without naming the place: what documents are asked that are sound.
bool all_finite(const Json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  return !value.is_structured() || std::ranges::all_of(value, all_finite);
}

}  // namespace

struct Node::Document {
  explicit Document(std::string file) : name(std::move(file)) {}

  std::string name;
  ParsedJson parsed;  // stays where it is
};

Node::Node(std::shared_ptr<const Document> document, const Json* value, std::string pointer)
    : document_(std::move(document)), value_(value), pointer_(std::move(pointer)) {}

Node Node::parse_text(std::string_view text, std::string name) {
  refuse_utf16(text, name);
  auto document = std::make_shared<Document>(std::move(name));
  read_json(text, document->name, document->parsed);
  const Json* root = &document->parsed.root;
  return Node(std::move(document), root, "");
}

Node Node::parse_file(const std::filesystem::path& file) {
  return parse_text(InputFile(file, "a JSON file").whole(most_bytes), file.string());
}

const std::string& Node::file() const { return document_->name; }

Node Node::child(std::string_view token, const Json& value) const {
  return Node(document_, &value, append_token(pointer_, token));
}

const Json::object_t& Node::object() const {
  if (!value_->is_object()) expected("an object");
  return value_->get_ref<const Json::object_t&>();
}

Node Node::at(std::string_view key) const {
  if (auto node = find(key)) return *node;
  fail(fmt::format("the key \"{}\" is missing; add it", key));
}

std::optional<Node> Node::find(std::string_view key) const {
  const auto& members = object();
  const auto found = members.find(key);
  if (found == members.end() || found->second.is_null()) return std::nullopt;
  return child(key, found->second);
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> result;
  const auto& members = object();
  result.reserve(members.size());
  if (const auto listed = document_->parsed.order.find(&members);
      listed != document_->parsed.order.end()) {
    for (const auto& key : listed->second) result.emplace_back(key, child(key, members.at(key)));
  } else {
    for (const auto& [key, value] : members) result.emplace_back(key, child(key, value));
  }
  return result;
}

std::vector<Node> Node::items() const {
  if (!value_->is_array()) expected("an array");
  std::vector<Node> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    result.push_back(child(std::to_string(i), (*value_)[i]));
  return result;
}

std::string Node::text() const {
  if (!value_->is_string()) expected("a string");
  return value_->get<std::string>();
}

std::string Node::nonempty() const {
  auto result = text();
  if (result.empty()) fail("expected a text that is not empty");
  return result;
}

std::int64_t Node::integer() const {
  if (!value_->is_number_integer()) expected("a whole number");
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX)
    fail("too large; expected a whole number below 2^63");
  return value_->get<std::int64_t>();
}

std::uint64_t Node::unsigned_integer() const {
  if (!value_->is_number_integer()) expected("a whole number");
  if (!value_->is_number_unsigned() && value_->get<std::int64_t>() < 0)
    fail("expected a whole number that is not negative");
  return value_->get<std::uint64_t>();
}

double Node::number() const {
  if (!value_->is_number()) expected("a number");
  return value_->get<double>();  // finite: the parser refuses what overflows
}

bool Node::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::string Node::scalar() const {
  if (value_->is_string()) return value_->get<std::string>();
  if (value_->is_number_float()) {
    const auto written = document_->parsed.numbers.find(value_);
    return written == document_->parsed.numbers.end() ? value_->dump() : written->second;
  }
  if (value_->is_number() || value_->is_boolean()) return value_->dump();
  expected("a string, a number or a boolean");
}

std::vector<std::string> Node::texts() const {
  std::vector<std::string> result;
  for (const auto& item : items()) result.push_back(item.text());
  return result;
}

void Node::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : object()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    fail(fmt::format("unknown key \"{}\"{}", key,
                     suggestion(key, std::vector<std::string>(known.begin(), known.end()))));
  }
}

std::string Node::kind() const {
  const auto* members = value_->get_ptr<const Json::object_t*>();
  if (!members) return "";
  const auto found = members->find("$schema");
  return found != members->end() && found->second.is_string() ? found->second.get<std::string>() : "";
}

void Node::schema(std::string_view expected) const {
  const auto found = find("$schema");
  if (!found)
    fail(fmt::format("the key \"$schema\" is missing; expected \"$schema\": \"{}\"", expected));
  if (found->text() != expected)
    found->fail(fmt::format("expected \"{}\", found \"{}\"", expected, found->text()));
}

void Node::expected(const char* what) const {
  fail(fmt::format("expected {}, found {}", what, type_name(*value_)));
}

void Node::fail(const std::string& message) const {
  const std::string place = pointer_.empty() ? file() : file() + ": " + pointer_;
  throw bad_input(printable(brief(place + ": " + message)));  // keys and values of a stranger's document
}

std::string canonical(const Json& value) {
  require_finite(value);
  try {
    return value.dump();
  } catch (const Json::type_error& error) {  // 316, the only one that dump() throws
    not_canonical("", std::string("a text is not UTF-8: ") + error.what());
  }
}

void require_finite(const Json& value) {
  if (!all_finite(value)) check_numbers(value, "");
}

std::string to_utf8(std::string_view text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

}  // namespace stackx::specs
