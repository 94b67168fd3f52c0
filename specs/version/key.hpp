// Order keys: byte strings whose lexicographic order is the order of versions under one scheme.
//
// A version is encoded once, when it is parsed; from then on a comparison is a memcmp, equality and
// hashing use the same bytes and so cannot disagree, and a specifier is an interval of keys. Every
// key is made of
//   numbers  of any size: the length of the digits, then the digits, without leading zeros
//   marks    single bytes below `first_number`, one for each place where a scheme has a choice
//   text     characters of the scheme's alphabet, closed by a mark
// No element starts with `above_all` or with a zero byte. So PREFIX + above_all lies above every
// key that starts with PREFIX, and KEY + '\0' is the least string above KEY. Rejected: vectors of
// numbers compared field by field (overflow, allocation, one comparator for each scheme).
#pragma once

#include <string>
#include <string_view>

namespace stackx::specs::key {

inline constexpr char first_number = '\x08';  // marks are '\x01' to '\x07'
inline constexpr char above_all = '\xff';

// `digits` may be empty (zero) and may have leading zeros.
void append_number(std::string& key, std::string_view digits);

std::string_view without_leading_zeros(
    std::string_view digits);                      // "007" -> "7", "000" -> "0", "" -> "0"
std::string incremented(std::string_view digits);  // "099" -> "100"

std::string successor(std::string_view key);        // the least string above `key`
std::string above_prefix(std::string_view prefix);  // above every key that starts with `prefix`

}  // namespace stackx::specs::key
