// What stackx says: data on stdout, everything else on stderr. Nothing is printed but through here (tests/layers looks).
//
// - No text from outside drives the terminal: each text goes through specs::printable() as a whole, JSON as well. Only
//   documents (`stackx export`) are written byte for byte, as their ids are made of, unless a terminal shows them.
// - stderr that cannot be written (a full device, a closed descriptor, a terminal that is gone) is no error: what is
//   said there helps a person, and no campaign ends because nobody is there to read.
// - stdout that cannot be written is Error(environment), said once: an answer was lost. A reader that has read enough
//   (`stackx ... | head`) ends the program as SIGPIPE does, without a word.
// Rejected: fmt::print, which throws for stderr, too, and for stdout only what overflows its buffer.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace stackx::workspace {

// First thing in main(): a descriptor that was closed becomes one that cannot be written, so that no file that is opened
// later gets its number.
void open_streams();
// Last thing in main(): what is still buffered. Throws Error(environment) where stdout is lost.
void close_stdout();

void write_out(std::string_view text);         // to stdout; throws Error(environment)
void write_documents(std::string_view lines);  // to stdout; throws as write_out()
void write_err(std::string_view text);         // to stderr; never throws
void flush_out();                              // for those who read line by line; throws as write_out()

template <typename... T>
void print(fmt::format_string<T...> format, T&&... values) {
  write_out(fmt::format(format, std::forward<T>(values)...));
}
template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  write_err(fmt::format(format, std::forward<T>(values)...));
}

// The progress line of a terminal: what stands on the cursor's line is wiped, `text` stands there, without a line end.
void redraw(std::string_view text);

}  // namespace stackx::workspace
