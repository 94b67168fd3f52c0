// JSON text -> value, losing nothing: duplicate keys are refused, the listed order of members and
// the written text of numbers are kept in maps beside the value.
//
// One pass over nlohmann's SAX parser, which keeps its own stack: deep nesting cannot overflow ours. Documents come
// from strangers: whatever one holds, reading it ends within seconds and takes some hundred bytes a value, because
// depth, values and keys are counted while it is read. Rejected: to bound the bytes alone (256 MiB of "{}," are 9 GB of
// values), and JSON pointers as the maps' keys, which under one long key grow with the square of the text.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stackx::specs {

inline constexpr std::size_t most_bytes = std::size_t(256) << 20;
inline constexpr std::size_t most_values = 2'000'000;  // our largest document has 112,000
inline constexpr std::size_t longest_key = 16 << 10;
inline constexpr std::size_t deepest = 128;  // our formats need about 12

struct ParsedJson {
  ParsedJson() = default;
  ~ParsedJson();  // needs no memory, as nlohmann's own destructor does
  ParsedJson(const ParsedJson&) = delete;

  nlohmann::json root;
  // Only where they differ from what `root` says: members not in sorted order, by the address of the object_t; numbers
  // that are written in another way than dump() writes them, by that of the value.
  std::unordered_map<const void*, std::vector<std::string>> order;
  std::unordered_map<const void*, std::string> numbers;
};

// Into `result`, which must not move afterwards. Throws Error(bad_input): "NAME:LINE:COLUMN: ..." for syntax,
// "NAME: POINTER: ..." else; Error(environment) where the memory does not suffice.
void read_json(std::string_view text, const std::string& name, ParsedJson& result);

// "/a~1b" for a member "a/b" of the value at "".
std::string append_token(const std::string& pointer, std::string_view token);

}  // namespace stackx::specs
