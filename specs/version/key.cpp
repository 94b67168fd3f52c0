#include "specs/version/key.hpp"

#include <cstdint>

namespace stackx::specs::key {

void append_number(std::string& key, std::string_view digits) {
  constexpr std::size_t short_lengths = 0xe0;
  constexpr char long_length = '\xf0';
  while (!digits.empty() && digits.front() == '0') digits.remove_prefix(1);  // zero has no digits
  if (digits.size() < short_lengths) {
    key.push_back(static_cast<char>(first_number + digits.size()));
  } else {
    key.push_back(long_length);
    for (int shift = 56; shift >= 0; shift -= 8)
      key.push_back(static_cast<char>(std::uint64_t{digits.size()} >> shift));
  }
  key.append(digits);
}

std::string_view without_leading_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits.empty() ? std::string_view("0") : digits;
}

std::string incremented(std::string_view digits) {
  std::string result(without_leading_zeros(digits));
  for (auto digit = result.rbegin(); digit != result.rend(); ++digit) {
    if (*digit != '9') {
      ++*digit;
      return result;
    }
    *digit = '0';
  }
  return "1" + result;
}

std::string successor(std::string_view key) { return std::string(key) + '\0'; }
std::string above_prefix(std::string_view prefix) { return std::string(prefix) + above_all; }

}  // namespace stackx::specs::key
