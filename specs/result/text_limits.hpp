// How long the texts of a result document may be.
//
// Every one of them is shown somewhere, and reasons are shown for each stack and each failure: 100 MB in one document
// of somebody else would be gigabytes of report. What stackx writes itself is cut to these limits when it is sealed
// (inspection.hpp); a PI that says more has bad output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stackx::specs {

class Node;

inline constexpr std::size_t longest_text = 16 << 10;  // bytes; four paths of Linux: no document of earlier versions is refused
inline constexpr std::size_t longest_version = 8 << 10;  // in `stack`; catalogs have 128
inline constexpr std::size_t longest_reason = 64 << 10;  // of `reason` and the tails
inline constexpr std::size_t longest_together = 256 << 10;  // keys and texts of one member of the document

// `member` is what the document has under `key`. Throws Error(bad_input) at it.
void check_texts(std::string_view key, const Node& member);

// At most `most` bytes: what is longer is cut between two characters, and ends in "...".
std::string cut(std::string text, std::size_t most);

}  // namespace stackx::specs
