#include "workspace/asked/shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::workspace {
namespace {

class WordReader {
 public:
  WordReader(std::string_view command, const std::string& option) : text_(command), option_(option) {}

  std::vector<std::string> words() {
    while (at_ < text_.size()) read(text_[at_++]);
    end_word();
    return std::move(words_);
  }

 private:
  static constexpr std::string_view spaces = " \t\n", operators = "|&;<>";

  void read(char c) {
    if (spaces.find(c) != spaces.npos) return end_word();
    if (operators.find(c) != operators.npos)
      fail(fmt::format("{} outside of quotes: no shell runs the command; quote it, or put the command into a script", c));
    begun_ = true;
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c != '\\') {
      word_ += c;
    } else if (const char next = after_backslash(); next != '\n') {
      word_ += next;
    }
  }

  void single_quoted() {
    const auto end = text_.find('\'', at_);
    if (end == text_.npos) unclosed('\'');
    word_ += text_.substr(at_, end - at_);
    at_ = end + 1;
  }

  void double_quoted() {
    constexpr std::string_view escaped = "$`\"\\\n";  // before other characters a backslash stands for itself
    while (true) {
      if (at_ == text_.size()) unclosed('"');
      const char c = text_[at_++];
      if (c == '"') return;
      if (c != '\\' || at_ == text_.size() || escaped.find(text_[at_]) == escaped.npos) {
        word_ += c;
      } else if (const char next = text_[at_++]; next != '\n') {
        word_ += next;
      }
    }
  }

  char after_backslash() {
    if (at_ == text_.size()) fail("ends in a backslash; write \\\\ for one");
    return text_[at_++];
  }

  void end_word() {
    if (begun_) words_.push_back(std::move(word_));
    word_.clear();
    begun_ = false;
  }

  [[noreturn]] void unclosed(char quote) const {
    fail(fmt::format("a quote ({}) is not closed; close it, or write \\{} for the character", quote, quote));
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw bad_input(fmt::format("{} {}: {}", option_, specs::in_quotes(text_), why));
  }

  std::string_view text_;
  const std::string& option_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool begun_ = false;  // "" is a word, too
};

bool bare_in_a_shell(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c)) ||
           (c != 0 && std::string_view("_./:=@%+,-").find(static_cast<char>(c)) != std::string_view::npos);
  });
}

}  // namespace

std::vector<std::string> shell_words(std::string_view command, const std::string& option) {
  return WordReader(command, option).words();
}

std::string shell_quoted(const std::string& text) {
  if (bare_in_a_shell(text)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace stackx::workspace
