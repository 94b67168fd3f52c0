// A command as a person types it for a shell, as words.
//
// Quotes and backslashes mean what they mean to a POSIX shell; nothing is expanded: no variables, no patterns, no home.
// What would need a shell (pipes, redirections, several commands) is refused, not passed on as words. Rejected: to run
// /bin/sh with the command: then a shell's start would be part of what is timed, and its words nobody's to check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::workspace {

// Throws Error(bad_input), which begins with `option` ("--pi"), for a quote that nobody closes, a backslash at the end,
// and | & ; < > outside of quotes.
std::vector<std::string> shell_words(std::string_view command, const std::string& option);

// One word for sh and bash, bare where it may be: 'it'\''s'. shell_words() reads it back.
std::string shell_quoted(const std::string& text);

}  // namespace stackx::workspace
