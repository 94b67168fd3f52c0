// Texts of catalogs and users as the readers of recipes take them.
#pragma once

#include <string>
#include <string_view>

#include "workspace/asked/shell_words.hpp"

namespace stackx::advisor {

std::string one_line(std::string_view text);  // for comments: control characters become spaces; UTF-8
bool has_control(const std::string& text);
using workspace::shell_quoted;                      // one word for sh and bash, bare where it may be: 'it'\''s'
std::string shell_word(const std::string& text);    // "jax[cuda12]" where that says the same: reads better in '...'
std::string toml_text(const std::string& text);     // a basic string

}  // namespace stackx::advisor
