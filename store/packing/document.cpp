#include "store/packing/document.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "specs/format/digest.hpp"

namespace stackx::store {
namespace {

constexpr std::array<std::string_view, 7> of_context{"artifacts", "loaded",         "parameters", "program",
                                                     "runner",    "stackx_version", "work"};
// Held by rows and columns of their own.
constexpr std::array<std::string_view, 12> of_rows{
    "arm",    "campaign", "device", "host",  "id",       "outcome",
    "position", "reason", "samples_ns", "sentinel", "stack", "workload"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

std::vector<Member> members_of(std::string_view object) {
  std::vector<Member> members;
  int depth = 0;
  bool in_string = false;
  std::size_t start = 1;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const char c = object[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if ((c == ',' && depth == 1) || (c == '}' && depth == 0)) {
      const std::string_view text = object.substr(start, i - start);
      if (!text.empty()) members.push_back({text.substr(1, text.find("\":") - 1), text});
      start = i + 1;
    }
  }
  return members;
}

bool is_context(std::string_view key) { return contains(of_context, key); }

bool is_rest(std::string_view key, bool single) {
  return !is_context(key) && !contains(of_rows, key) && (key != "round" || single);
}

std::string object_of(std::vector<Member> members) {
  std::ranges::sort(members, {}, &Member::key);
  std::string text = "{";
  for (const Member& member : members) {
    if (text.size() > 1) text += ',';
    text += member.text;
  }
  return text + "}";
}

std::string members_text(std::string_view document,
                         const std::function<bool(std::string_view key)>& wanted) {
  std::vector<Member> members = members_of(document);
  std::erase_if(members, [&](const Member& member) { return !wanted(member.key); });
  return object_of(std::move(members));
}

Sealed seal_text(const std::vector<Member>& members_without_id) {
  Sealed sealed;
  sealed.id = specs::sha256(object_of(members_without_id));
  const std::string text = "\"id\":\"" + sealed.id + "\"";
  std::vector<Member> members = members_without_id;
  members.push_back({"id", text});
  sealed.document = object_of(std::move(members));
  return sealed;
}

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace stackx::store
