#include "specs/hardware/name.hpp"

#include <cctype>

namespace stackx::specs {

std::string hardware_words(std::string_view name) {
  std::string words = "-";
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) || c == '.')
      words += static_cast<char>(std::tolower(letter));
    else if (words.back() != '-')
      words += '-';
  }
  return words.back() == '-' ? words : words + '-';
}

// Whether words that stand in a row make `wanted` when they are run together: "v100sxm2" of "-tesla-v100-sxm2-".
static bool holds_run_together(const std::string& words, std::string wanted) {
  std::erase(wanted, '-');
  for (std::size_t start = 0; start + 1 < words.size(); start = words.find('-', start + 1)) {
    std::size_t at = start + 1, left = 0;
    for (; at < words.size() && left < wanted.size(); ++at) {
      if (words[at] == '-') continue;
      if (words[at] != wanted[left]) break;
      ++left;
    }
    if (left == wanted.size() && left > 0 && words[at] == '-') return true;
  }
  return false;
}

bool names_hardware(std::string_view wanted, std::string_view name) {
  const auto words = hardware_words(name), asked = hardware_words(wanted);
  const bool part = words.contains("-mig-"), of_part = asked.contains("-mig-");
  return (!part || of_part) && (words.contains(asked) || holds_run_together(words, asked));
}

}  // namespace stackx::specs
