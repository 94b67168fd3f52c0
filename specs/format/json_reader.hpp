// JSON text -> value, losing nothing: duplicate keys are refused, the listed order of members and
// the written text of numbers are kept in maps beside the value, under their JSON pointers.
//
// One pass over nlohmann's SAX parser, which keeps its own stack: deep nesting cannot overflow
// ours.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stackx::specs {

struct ParsedJson {
  nlohmann::json root;
  // Only where they differ from what `root` says: members not in sorted order, numbers that are not
  // integers.
  std::unordered_map<std::string, std::vector<std::string>> order;
  std::unordered_map<std::string, std::string> numbers;
};

// Throws Error(bad_input): "NAME:LINE:COLUMN: ..." for syntax, "NAME: POINTER: ..." else.
ParsedJson read_json(std::string_view text, const std::string& name);

// "/a~1b" for a member "a/b" of the value at "".
std::string append_token(const std::string& pointer, std::string_view token);

}  // namespace stackx::specs
