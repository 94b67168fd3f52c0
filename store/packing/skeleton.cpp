#include "store/packing/skeleton.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json_reader.hpp"

namespace stackx::store {
namespace {

enum Mark : char {
  integer = 1,
  negative,
  decimal,
  negative_decimal,
  quoted_integer,
  quoted_negative,
  quoted_decimal,
  list,
  quoted_list = 0x0b,
  time_ms = 0x0e,
  time_s = 0x0f,
};

constexpr std::size_t long_string = 64;  // shorter ones hold names, not what programs print
constexpr std::size_t least_list = 4;
constexpr int most_digits = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The format of a decimal: digits after the point in the low 6 bits, then whether there is an
// exponent, then the exponent plus 512.
std::uint32_t format_of(int fraction, bool has_exponent, int exponent) {
  return static_cast<std::uint32_t>(fraction) | (has_exponent ? 64U : 0U) |
         (has_exponent ? static_cast<std::uint32_t>(exponent + 512) << 7 : 0U);
}

void append_decimal(std::string& out, const Token& token) {
  const auto fraction = static_cast<int>(token.format & 63);
  const bool minus = token.value < 0;
  std::string digits = std::to_string(minus ? -token.value : token.value);
  if (static_cast<int>(digits.size()) <= fraction)
    digits.insert(0, static_cast<std::size_t>(fraction) + 1 - digits.size(), '0');
  if (minus) out += '-';
  const std::size_t whole = digits.size() - static_cast<std::size_t>(fraction);
  out.append(digits, 0, whole);
  if (fraction > 0) out.append(".").append(digits, whole);
  if (token.format & 64) {
    const int exponent = static_cast<int>(token.format >> 7) - 512;
    fmt::format_to(std::back_inserter(out), "e{}{:02}", exponent < 0 ? '-' : '+',
                   std::abs(exponent));
  }
}

// As nlohmann::json writes a double.
bool is_canonical(std::string_view literal) {
  double value = 0;
  std::from_chars(literal.data(), literal.data() + literal.size(), value);
  std::array<char, 64> buffer{};
  const char* end =
      nlohmann::detail::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return literal == std::string_view(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

class Splitter {
 public:
  Splitter(std::string_view text, Words words, Skeleton& out)
      : begin_(text.data()), end_(begin_ + text.size()), kept_(begin_), words_(words), out_(out) {}

  void run() {
    const char* p = begin_;
    int depth = 0;
    while (p < end_) {
      switch (*p) {
        case '"':
          p = string(p, depth);
          break;
        case '[':
          if (const char* after = integers(p, Mark::list)) {
            p = after;
          } else {
            ++depth;
            ++p;
          }
          break;
        case '{':
          ++depth;
          ++p;
          break;
        case ']':
        case '}':
          --depth;
          ++p;
          break;
        default:
          p = is_digit(*p) || *p == '-' ? number(p) : p + 1;
      }
    }
    keep(end_);
  }

 private:
  void keep(const char* until) {
    out_.text.append(kept_, static_cast<std::size_t>(until - kept_));
    kept_ = until;
  }

  void put(char mark, Token token, const char* from, const char* to) {
    keep(from);
    out_.text += mark;
    kept_ = to;
    token.offset = static_cast<std::size_t>(from - begin_);
    if (out_.tokens.size() == specs::most_values)
      throw bad_input(fmt::format("more than {} numbers; no document of ours has so many", specs::most_values));
    out_.tokens.push_back(token);
  }

  // The end of a literal that fits a token, or null.
  const char* literal(const char* p, Token& token) const {
    const bool minus = p < end_ && *p == '-';
    if (minus) ++p;
    const char* const first = p;
    std::uint64_t value = 0;
    int digits = 0;
    for (; p < end_ && is_digit(*p) && digits <= most_digits; ++p, ++digits)
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    if (digits == 0 || (*first == '0' && digits > 1)) return nullptr;
    if (p == end_ || (*p != '.' && *p != 'e')) {
      if (p < end_ && (is_digit(*p) || *p == 'E')) return nullptr;
      if (value > static_cast<std::uint64_t>(INT64_MAX) + minus || (minus && value == 0))
        return nullptr;
      token.kind = Token::Kind::integer;
      token.value = static_cast<std::int64_t>(minus ? 0 - value : value);
      return p;
    }
    int fraction = 0, exponent = 0;
    bool has_exponent = false;
    if (*p == '.') {
      for (++p; p < end_ && is_digit(*p) && digits <= most_digits; ++p, ++digits, ++fraction)
        value = value * 10 + static_cast<std::uint64_t>(*p - '0');
      if (fraction == 0) return nullptr;
    }
    if (digits > most_digits || (minus && value == 0)) return nullptr;
    if (p < end_ && *p == 'e') {
      const bool down = ++p < end_ && *p == '-';
      if (!down && !(p < end_ && *p == '+')) return nullptr;
      const char* const from = ++p;
      for (; p < end_ && is_digit(*p) && p - from < 3; ++p) exponent = exponent * 10 + (*p - '0');
      if (p - from < 2 || (p - from == 3 && *from == '0')) return nullptr;
      if (down && exponent == 0) return nullptr;
      if (down) exponent = -exponent;
      if (exponent > 400 || exponent < -400) return nullptr;
      has_exponent = true;
    }
    if (p < end_ && (is_digit(*p) || *p == '.' || *p == 'e')) return nullptr;
    token.kind = Token::Kind::decimal;
    token.format = format_of(fraction, has_exponent, exponent);
    token.value = minus ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
    return p;
  }

  const char* number(const char* p) {
    Token token;
    const char* const after = literal(p, token);
    if (!after) {  // kept in the skeleton as it stands
      ++p;
      while (p < end_ && (is_digit(*p) || std::strchr("+-.eE", *p))) ++p;
      return p;
    }
    if (token.kind == Token::Kind::integer) {
      put(token.value < 0 ? Mark::negative : Mark::integer, token, p, after);
    } else {
      out_.canonical = out_.canonical && is_canonical({p, static_cast<std::size_t>(after - p)});
      put(token.value < 0 ? Mark::negative_decimal : Mark::decimal, token, p, after);
    }
    return after;
  }

  // "[1,2,3,4]" as one token; null if it is no list of at least four whole numbers.
  const char* integers(const char* p, Mark mark) {
    const char* const first = p + 1;
    if (out_.lists.size() == out_.list_count) out_.lists.emplace_back();
    std::vector<std::int64_t>& values = out_.lists[out_.list_count];
    values.clear();
    Token token;
    for (p = first;; ++p) {
      if (p >= end_ || !(p = literal(p, token)) || token.kind != Token::Kind::integer)
        return nullptr;
      if (values.size() == specs::most_values) return nullptr;  // the tokens are counted
      values.push_back(token.value);
      if (p < end_ && *p == ']') break;
      if (p >= end_ || *p != ',') return nullptr;
    }
    if (values.size() < least_list) return nullptr;
    token = {Token::Kind::list, 0, static_cast<std::int64_t>(out_.list_count++), 0};
    put(mark, token, first, p);
    return p + 1;
  }

  const char* end_of_string(const char* p) const {
    for (++p; p < end_; ++p) {
      p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end_ - p)));
      if (!p) return end_;
      const char* back = p;
      while (back > begin_ && back[-1] == '\\') --back;
      if ((p - back) % 2 == 0) return p + 1;
    }
    return end_;
  }

  const char* string(const char* p, int depth) {
    const char* const after = end_of_string(p);
    const bool key = after < end_ && *after == ':';
    if (key && depth == 1) return top_level({p + 1, static_cast<std::size_t>(after - p - 2)}, after + 1);
    if (static_cast<std::size_t>(after - p) > long_string) numbers_within(p + 1, after - 1);
    return after;
  }

  void numbers_within(const char* p, const char* end) {
    for (; p < end; ++p) {
      const char c = *p;
      if (c != ':' && c != ',' && c != '[') continue;
      if (c == '[') {
        if (const char* const after = integers(p, Mark::quoted_list)) {
          p = after - 1;
          continue;
        }
      }
      const char* const from = p + 1;
      if (from >= end || (!is_digit(*from) && *from != '-')) continue;
      Token token;
      const char* const after = literal(from, token);
      if (!after || after >= end || !(*after == ',' || *after == '}' || *after == ']')) continue;
      if (token.kind == Token::Kind::decimal) {
        if (token.value < 0) continue;
        put(Mark::quoted_decimal, token, from, after);
      } else {
        put(token.value < 0 ? Mark::quoted_negative : Mark::quoted_integer, token, from, after);
      }
      p = after - 1;
    }
  }

  const char* top_level(std::string_view key, const char* p) {
    if (key == "finished") return time(p);
    if (words_ == Words::none) return p;
    if (key == "host") return p < end_ && *p == '{' ? word(Word::host, p, end_of_object(p)) : p;
    const auto mark = key == "arm"        ? Word::arm
                      : key == "campaign" ? Word::campaign
                      : key == "device"   ? Word::device
                      : key == "id"       ? Word::id
                                          : Word{};
    if (mark == Word{} || p >= end_ || *p != '"') return p;
    return word(mark, p, end_of_string(p));
  }

  const char* word(Word mark, const char* from, const char* to) {
    Token token{Token::Kind::word, 0, static_cast<std::int64_t>(out_.words.size()), 0};
    out_.words.push_back({mark, {from, static_cast<std::size_t>(to - from)}});
    put(static_cast<char>(mark), token, from, to);
    return to;
  }

  const char* end_of_object(const char* p) const {
    int depth = 0;
    while (p < end_) {
      if (*p == '"') {
        p = end_of_string(p);
        continue;
      }
      if (*p == '{') ++depth;
      if (*p == '}' && --depth == 0) return p + 1;
      ++p;
    }
    return end_;
  }

  const char* time(const char* p) {
    if (p >= end_ || *p != '"') return p;
    const char* const after = end_of_string(p);
    const std::string_view text(p + 1, static_cast<std::size_t>(after - p - 2));
    Token token{Token::Kind::time, 0, 0, 0};
    if (!specs::parse_utc(text, token.value)) return p;  // an unusual one stays in the skeleton
    put(text.size() == 24 ? Mark::time_ms : Mark::time_s, token, p + 1, after - 1);
    return after;
  }

  const char* begin_;
  const char* end_;
  const char* kept_;
  Words words_;
  Skeleton& out_;
};

[[noreturn]] void mismatch() {
  throw broken_environment("a packed document is damaged: its numbers do not fit its skeleton");
}

}  // namespace

void Skeleton::clear() {
  text.clear();
  tokens.clear();
  words.clear();
  list_count = 0;
  canonical = true;
}

void split(std::string_view text, Words words, Skeleton& into) {
  into.clear();
  Splitter(text, words, into).run();
}

std::string join(std::string_view skeleton, const std::vector<Token>& tokens,
                 const std::vector<std::vector<std::int64_t>>& lists) {
  std::string out;
  out.reserve(skeleton.size() + tokens.size() * 10);
  std::size_t next = 0;
  std::array<char, 24> buffer{};
  const auto append = [&](std::int64_t value) {
    out.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
  };
  for (const char c : skeleton) {
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    if (next == tokens.size()) mismatch();
    const Token& token = tokens[next++];
    switch (token.kind) {
      case Token::Kind::integer:
        append(token.value);
        break;
      case Token::Kind::decimal:
        append_decimal(out, token);
        break;
      case Token::Kind::time:
        out += specs::utc_text(token.value, c == Mark::time_ms);
        break;
      case Token::Kind::list: {
        if (static_cast<std::size_t>(token.value) >= lists.size()) mismatch();
        bool first = true;
        for (const std::int64_t value : lists[static_cast<std::size_t>(token.value)]) {
          if (!first) out += ',';
          first = false;
          append(value);
        }
        break;
      }
      case Token::Kind::word:
        mismatch();
    }
  }
  if (next != tokens.size()) mismatch();
  return out;
}

double decimal_value(const Token& token) {
  std::string text;
  append_decimal(text, token);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

TimeForm time_form(std::string_view skeleton) {
  if (skeleton.contains(Mark::time_ms)) return TimeForm::milliseconds;
  return skeleton.contains(Mark::time_s) ? TimeForm::seconds : TimeForm::text;
}

}  // namespace stackx::store
