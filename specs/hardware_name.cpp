#include "specs/hardware_name.hpp"

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

bool names_hardware(std::string_view wanted, std::string_view name) {
  return hardware_words(name).contains(hardware_words(wanted));
}

}  // namespace stackx::specs
