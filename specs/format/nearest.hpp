// What a misspelt word probably meant, for messages: `; did you mean "requires"?`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
// (optimal string alignment). Words are compared up to their first 64 bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate with the smallest distance, the first of them; nothing without candidates.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

// `; did you mean "X"?` where X is close, else "": what is far off is no help, and reads as if it
// were meant.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
// Among many, what is not close is no help: then `otherwise`, which says where all stand.
std::string suggestion_or(std::string_view word, const std::vector<std::string>& candidates, const std::string& otherwise);

}  // namespace stackx::specs
