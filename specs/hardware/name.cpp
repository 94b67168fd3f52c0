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

bool names_hardware(std::string_view wanted, std::string_view name) {
  const auto words = hardware_words(name), asked = hardware_words(wanted);
  const bool part = words.contains("-mig-"), of_part = asked.contains("-mig-");
  return words.contains(asked) && (!part || of_part);
}

}  // namespace stackx::specs
