#include "specs/hardware/name.hpp"

#include <cctype>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {

// How much of it is the mark of a trademark that it begins with: "(R)", "(TM)".
static std::size_t mark_size(std::string_view text) {
  for (const std::string_view mark : {"(r)", "(tm)"})
    if (lowered(text.substr(0, mark.size())) == mark) return mark.size();
  return 0;
}

std::string hardware_words(std::string_view name) {
  std::string words = "-";
  words.reserve(name.size() + 2);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (const auto mark = c == '(' ? mark_size(name.substr(i)) : 0) i += mark - 1;
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) || c == '.')
      words += static_cast<char>(std::tolower(letter));
    else if (words.back() != '-')
      words += '-';
  }
  return words.back() == '-' ? words : words + '-';
}

// Whether words that stand in a row make `wanted` when they are run together: "v100sxm2" of "-tesla-v100-sxm2-".
static bool holds_run_together(const std::string& words, const std::string& wanted) {
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

WantedHardware::WantedHardware(std::string_view wanted) : words_(hardware_words(wanted)), run_together_(words_) {
  std::erase(run_together_, '-');
}

bool WantedHardware::is_named_by(std::string_view name) const {
  const auto words = hardware_words(name);
  const bool part = words.contains("-mig-"), of_part = words_.contains("-mig-");
  return (!part || of_part) && (words.contains(words_) || holds_run_together(words, run_together_));
}

bool names_hardware(std::string_view wanted, std::string_view name) { return WantedHardware(wanted).is_named_by(name); }

}  // namespace stackx::specs
