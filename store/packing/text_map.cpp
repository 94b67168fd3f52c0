#include "store/packing/text_map.hpp"

#include <algorithm>
#include <optional>

#include "specs/format/json.hpp"

namespace stackx::store {
namespace {

using TextMap = std::map<std::string, std::string>;

// What is left of an object without white space.
class PlainText {
 public:
  explicit PlainText(std::string_view text) : left_(text) {}

  bool skip(char wanted) {
    if (!left_.starts_with(wanted)) return false;
    left_.remove_prefix(1);
    return true;
  }
  // The word between quotes.
  std::optional<std::string_view> word() {
    if (!skip('"')) return {};
    const auto end = left_.find('"');
    if (end == left_.npos) return {};
    const auto word = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return word;
  }
  bool is_empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// Within quotes, whatever stands around them.
bool stands_for_itself(char c) { return c >= ' ' && c <= '~' && c != '\\'; }

std::optional<TextMap> plain_map(std::string_view json) {
  if (!std::ranges::all_of(json, stands_for_itself)) return {};
  PlainText text(json);
  TextMap map;
  if (!text.skip('{')) return {};
  do {
    const auto key = text.word();
    if (!key || !text.skip(':')) return {};
    const auto value = text.word();
    if (!value) return {};
    map.insert_or_assign(map.end(), std::string(*key), std::string(*value));
  } while (text.skip(','));
  if (!text.skip('}') || !text.is_empty()) return {};
  return map;
}

}  // namespace

TextMap read_text_map(std::string_view json) {
  if (auto map = plain_map(json)) return *std::move(map);
  return specs::Json::parse(json).get<TextMap>();
}

}  // namespace stackx::store
