#include "tests/fuzz/pieces.hpp"

#include <cctype>

namespace stackx::fuzz {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text.substr(0, 64 << 10)) {}

  std::vector<Piece> scan() {
    while (at_ < text_.size()) step();
    add(Piece::Kind::item, items_.back(), at_);
    add(Piece::Kind::line, line_, at_);
    return std::move(pieces_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      quoted(c);
    } else if (is_letter(c)) {
      letters();
    } else {
      ++at_;
      if (c == '[' || c == '{' || c == '(') open();
      if (c == ']' || c == '}' || c == ')') close();
      if (c == ',' || c == ';' || c == '\t') end_item();
      if (c == '\n') end_line();
    }
  }

  static bool is_letter(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 128 || std::isalnum(byte) || c == '_' || c == '.' || c == '+' || c == '-';
  }

  void quoted(char quote) {
    auto end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    const bool whole = end < text_.size() && text_[end] == quote;
    if (whole) add(Piece::Kind::text, at_, end + 1);
    at_ = whole ? end + 1 : at_ + 1;  // an apostrophe, or the end is missing
  }

  void letters() {
    const auto begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const auto first = text_[begin] == '-' && begin + 1 < at_ ? text_[begin + 1] : text_[begin];
    add(std::isdigit(static_cast<unsigned char>(first)) ? Piece::Kind::number : Piece::Kind::word,
        begin, at_);
  }

  void open() {
    opened_.push_back(at_ - 1);
    items_.push_back(at_);
  }

  void close() {
    add(Piece::Kind::item, items_.back(), at_ - 1);
    if (opened_.empty()) return;
    add(Piece::Kind::group, opened_.back(), at_);
    opened_.pop_back();
    items_.pop_back();
  }

  void end_item() {
    add(Piece::Kind::item, items_.back(), at_ - 1);
    items_.back() = at_;
  }

  void end_line() {
    if (opened_.empty()) end_item();
    add(Piece::Kind::line, line_, at_ - 1);
    line_ = at_;
  }

  void add(Piece::Kind kind, std::size_t begin, std::size_t end) {
    while (begin < end && kind == Piece::Kind::item && text_[begin] == ' ') ++begin;
    if (begin < end) pieces_.push_back({begin, end, kind});
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 0;
  std::vector<std::size_t> opened_, items_{0};  // where groups began; where the item of each began
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> pieces_of(std::string_view text) { return Scanner(text).scan(); }

}  // namespace stackx::fuzz
