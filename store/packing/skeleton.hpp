// A canonical document taken apart lexically: its numbers, and the text around them.
//
// Inspections of one stack and workload differ in numbers and in little else: what PIs print into
// their tails repeats the numbers again. So the text without its numbers, the skeleton, is stored
// once, and numbers are packed apart (program.hpp). It works on characters, not on JSON values:
// splitting is exact for every text whose control characters are escaped, as in all JSON, and a
// document whose skeleton was read and found valid before is valid if its numbers are of the same
// kinds.
//
//   {"load_1m":1.5,"samples_ns":[7,8,9,9],"usage":{"minor_faults":12}}
//   {"load_1m":^C,"samples_ns":[^H],"usage":{"minor_faults":^A}}      1.5   [7,8,9,9]   12
//
// Marks tell apart what readers may tell apart: whole and negative numbers, decimals, each inside of
// a string or not. Rejected: zstd with a dictionary, which needs four times the space because it
// codes digits, not numbers, and finds the repeated numbers of a tail one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::store {

struct Token {
  enum class Kind : std::uint8_t {
    integer,
    decimal,  // `value` are its digits without the point
    list,     // four whole numbers or more between brackets; `value` indexes Skeleton::lists
    time,     // `value` is in milliseconds since the epoch
    word,     // text that differs in every document; `value` indexes Skeleton::words
  };
  Kind kind = Kind::integer;
  std::uint32_t format = 0;  // of a decimal: digits after the point, exponent
  std::int64_t value = 0;
  std::size_t offset = 0;  // in the text
};

// Members of a document that are words, and their marks in its skeleton, in canonical order.
enum class Word : char { arm = 0x10, campaign, device, host, id };

struct WordAt {
  Word word;
  std::string_view text;  // as written: a string with its quotes, or an object
};

struct Skeleton {
  std::string text;
  std::vector<Token> tokens;
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<WordAt> words;  // of the text that was split
  std::size_t list_count = 0;           // lists are kept for their memory
  bool canonical = true;  // every decimal outside of strings is written as our writer does

  void clear();
};

// Which members of a document are words: only those of a whole inspection.
enum class Words { none, of_inspection };

// Throws Error(bad_input) for more numbers than a document may hold (specs/format/json_reader.hpp).
void split(std::string_view text, Words words, Skeleton& into);

// The text again. `tokens` and `lists` as split gave them; words must not be among them. Throws
// Error(environment) if they are not what the skeleton asks for.
std::string join(std::string_view skeleton, const std::vector<Token>& tokens,
                 const std::vector<std::vector<std::int64_t>>& lists);

// The value of a decimal token.
double decimal_value(const Token& token);

// How a skeleton writes its time: as no token at all, where we cannot read it.
enum class TimeForm { text, seconds, milliseconds };
TimeForm time_form(std::string_view skeleton);

}  // namespace stackx::store
