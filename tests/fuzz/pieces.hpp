// The pieces of a document that have a meaning of their own, whatever its format.
#pragma once

#include <string_view>
#include <vector>

namespace stackx::fuzz {

struct Piece {
  std::size_t begin = 0, end = 0;
  enum class Kind {
    text,    // in quotes, which belong to it
    number,  // begins with a digit, or with a digit behind its sign
    word,    // any other run of letters
    group,   // in brackets, which belong to it
    item,    // between separators of a group or a line: a member, an element, a cell
    line,
  } kind = Kind::word;
};

// In the order of their ends; of a long document those of its first 64 KiB.
std::vector<Piece> pieces_of(std::string_view text);

}  // namespace stackx::fuzz
