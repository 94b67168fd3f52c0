// Text that came from outside (documents, catalogs, packages, programs, file names), made fit to be shown to people.
//
// What drives a terminal or hides what stands there is written as JSON writes it, \u001b: control characters (C0, DEL,
// C1), those that turn the direction of text or make other lines of it (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066
// to U+206F). What is not UTF-8 becomes U+FFFD; tabs and ends of lines become spaces, where they may not stay. So JSON
// that went through here is the same JSON: these characters stand in its strings alone. Everything that is printed goes
// through here once more as a whole (workspace/output.hpp), but there ends of lines are ours: a cell, a name or a
// sentence goes through here where it becomes part of a text.
#pragma once

#include <string>
#include <string_view>

namespace stackx::specs {

enum class Keep {
  nothing,  // one line, or part of one
  lines,    // ends of lines, "\n" and "\r\n"
  colours,  // those, and the few escapes that stackx colours its own tables with (analysis/text/table.hpp)
};

std::string printable(std::string_view text, Keep keep = Keep::nothing);

// Whether printable() leaves all of it as it is.
bool is_printable(std::string_view text, Keep keep = Keep::nothing);

}  // namespace stackx::specs
