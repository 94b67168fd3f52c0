// What stackx says: data on stdout, everything else on stderr. Nothing is printed but through here (tests/layers looks).
//
// - No text from outside drives the terminal: each text goes through specs::printable() as a whole, JSON as well. Only
//   documents (`stackx export`) are written byte for byte, as their ids are made of, unless a terminal shows them.
// - Nor does it make a line: texts that print() and say() put into a line are parts of that line. What is laid out in
//   lines (tables, recipes, CSV) goes through write_out() whole, or is marked as a Block.
// - stderr that cannot be written (a full device, a closed descriptor, a terminal that is gone) is no error: what is
//   said there helps a person, and no campaign ends because nobody is there to read.
// - stdout that cannot be written is Error(environment), said once: an answer was lost. A reader that has read enough
//   (`stackx ... | head`) ends the program as SIGPIPE does, without a word.
// Rejected: fmt::print, which throws for stderr, too, and for stdout only what overflows its buffer.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "specs/format/printable.hpp"

namespace stackx::workspace {

// First thing in main(): a descriptor that was closed becomes one that cannot be written, so that no file that is opened
// later gets its number.
void open_streams();
// Last thing in main(): what is still buffered. Throws Error(environment) where stdout is lost.
void close_stdout();

void write_out(std::string_view text);         // to stdout; throws Error(environment)
void write_documents(std::string_view lines);  // to stdout; throws as write_out()
void write_err(std::string_view text);         // to stderr; never throws
void write_remark(std::string_view text);      // to stderr: lines for people, folded at words; never throws
void flush_out();                              // for those who read line by line; throws as write_out()

std::optional<std::size_t> terminal_width(int descriptor);  // nothing: it is none, or does not say
// Columns that a text for people may have there: the terminal's, else $COLUMNS, 60 to 160 of them. Nothing where neither says:
// then a line stays a line.
std::optional<std::size_t> page_columns(int descriptor);

// A text with ends of lines and colours of our own: in its lines, words of others went through printable().
struct Block {
  std::string_view text;
};

// A value as it becomes part of a line.
template <typename T>
decltype(auto) in_a_line(const T& value) {
  if constexpr (std::is_same_v<T, Block>)
    return std::string_view(value.text);
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return specs::printable(value);
  else
    return (value);
}

template <typename... T>
void print(fmt::format_string<T...> format, T&&... values) {
  write_out(fmt::format(fmt::runtime(format), in_a_line(values)...));
}
template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  write_err(fmt::format(fmt::runtime(format), in_a_line(values)...));
}
// What a person reads and no program: its lines fold at the width of the page, but for what stands `between backquotes`.
template <typename... T>
void remark(fmt::format_string<T...> format, T&&... values) {
  write_remark(fmt::format(fmt::runtime(format), in_a_line(values)...));
}

// The progress line of a terminal: what stands on the cursor's line is wiped, `text` stands there, without a line end.
void redraw(std::string_view text);

}  // namespace stackx::workspace

template <>
struct fmt::formatter<stackx::workspace::Block> : fmt::formatter<std::string_view> {
  auto format(const stackx::workspace::Block& block, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(block.text, context);
  }
};
