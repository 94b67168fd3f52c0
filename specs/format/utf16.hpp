// Documents are UTF-8; what PowerShell's `>` writes is UTF-16, of which a parser would say that byte 1 is wrong.
#pragma once

#include <string>
#include <string_view>

#include "specs/error.hpp"

namespace stackx::specs {

// The mark, and a first letter as every document of ours begins with one: ASCII. Else it is rubbish.
inline void refuse_utf16(std::string_view text, const std::string& name) {
  if (text.size() < 4) return;
  const bool little = text.starts_with("\xff\xfe") && text[2] != 0 && text[3] == 0;
  const bool big = text.starts_with("\xfe\xff") && text[2] == 0 && text[3] != 0;
  if (little || big)
    throw bad_input(name + ": is UTF-16; expected UTF-8: save it as that");
}

}  // namespace stackx::specs
