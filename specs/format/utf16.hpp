// Documents are UTF-8; what PowerShell's `>` writes is UTF-16, of which a parser would say that byte 1 is wrong.
#pragma once

#include <string>
#include <string_view>

#include "specs/error.hpp"

namespace stackx::specs {

inline void refuse_utf16(std::string_view text, const std::string& name) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw bad_input(name + ": is UTF-16; expected UTF-8: save it as that");
}

}  // namespace stackx::specs
