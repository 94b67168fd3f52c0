#include "specs/result/text_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

struct Lengths {
  std::size_t longest = 0, together = 0;

  void add(std::size_t length) {
    longest = std::max(longest, length);
    together += length;
  }
  void add(const Json& value) {
    if (value.is_string()) add(value.get_ref<const std::string&>().size());
    if (value.is_object())
      for (const auto& [key, item] : value.items()) {
        add(key.size());
        add(item);
      }
    if (value.is_array())
      for (const Json& item : value) add(item);
  }
};

std::size_t longest_of(std::string_view key) {
  if (key == "reason" || key == "stdout_tail" || key == "stderr_tail") return longest_reason;
  return key == "stack" ? longest_version : longest_text;
}

}  // namespace

void check_texts(std::string_view key, const Node& member) {
  Lengths lengths;
  lengths.add(member.json());
  if (const std::size_t most = longest_of(key); lengths.longest > most)
    member.fail(fmt::format("a text of {} bytes; expected at most {}", lengths.longest, most));
  if (lengths.together > longest_together)
    member.fail(fmt::format("texts of {} bytes together; expected at most {}", lengths.together, longest_together));
}

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most - 3;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace stackx::specs
