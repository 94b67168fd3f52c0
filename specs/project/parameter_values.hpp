// What may stand behind `key=` of a --workload, and which words say the same: a part of
// stackx/workloads/1 (workload_family.hpp).
//
//   "values": { "matmul.m": "size",                            (a whole number from 1 on)
//               "seed": "integer",
//               "threads": { "integer_or": ["default"] },
//               "dtype": { "one_of": { "float16": ["fp16", "half"], "float32": [] } },
//               "precision": { "words": { "fp16": ["half"] } } }
//
// `one_of` is all there is; `words` are some of those that sources write. Case does not matter where
// a word is known. Rejected: types derived from the values that results have, which a new size or
// the first misspelt import would change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stackx::specs {

class Node;

struct ParameterValues {
  using Words = std::vector<std::pair<std::string, std::vector<std::string>>>;  // word -> synonyms

  bool integer = false, positive = false;  // positive: an integer from 1 on
  bool open = false;                       // words that are not listed are fine, too
  Words words;

  // The value as results have it; nothing: it is none of these.
  std::optional<std::string> canonical(std::string_view text) const;
  std::string expected() const;  // "a whole number", "one of N, T"
  std::vector<std::string> names() const;  // the words, without their synonyms
};

ParameterValues parameter_values(const Node& node);  // throws Error(bad_input)

}  // namespace stackx::specs
