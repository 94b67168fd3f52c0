// Text as roff's man macros take it: man(7) of groff, mandoc and the old ones.
//
// Each of - ' ` ^ ~ \ is written so that it comes out as the character that a shell knows (roff makes dashes and curly
// quotes of them otherwise), and no line of text begins with a control character. Rejected: mdoc(7), which says more about
// what words are but which fewer programs read right.
#pragma once

#include <string>
#include <string_view>

namespace stackx::cli::manual {

std::string roff(std::string_view text);    // one line; ends of lines become blanks
std::string bold(std::string_view text);    // as typed
std::string italic(std::string_view text);  // to be replaced
// `words` in backquotes are bold.
std::string roff_marked(std::string_view text);
// Lines that stay as they are.
std::string roff_lines(std::string_view text);

}  // namespace stackx::cli::manual
