#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tests/fuzz/interesting.hpp"
#include "tests/fuzz/pieces.hpp"

namespace stackx::fuzz {
namespace {

using specs::Random;
using Kind = Piece::Kind;

constexpr std::size_t kLargest = 128 << 10;  // more takes time and finds nothing new

template <typename List>
std::string one_of(Random& random, const List& list) {
  return std::string(list[random.below(std::size(list))]);
}

std::string interesting_text(Random& random, std::string_view now) {
  const bool is_date = now.size() >= 8 && now.size() <= 40 &&
                       now.substr(0, 3).find_first_not_of("0123456789") == now.npos;
  if (is_date && random.below(2) == 0) return one_of(random, dates);
  if (now.size() <= 8 && random.below(3) == 0) return one_of(random, units);
  switch (random.below(8)) {
    case 0:
      return std::string(std::size_t{1} << random.below(13), 'x');
    case 1:
      return std::string(now) + one_of(random, texts);
    case 2:
      return one_of(random, texts) + std::string(now);
    case 3:
      return std::string(now) + std::string(now);
    case 4:
      return std::string(now.substr(0, random.below(now.size() + 1)));
    case 5:
      return one_of(random, dates);
    default:
      return one_of(random, texts);
  }
}

std::string changed_number(Random& random, std::string number) {
  switch (random.below(7)) {
    case 0:
      return number.starts_with('-') ? number.substr(1) : "-" + number;
    case 1:
      return number + "e" + std::to_string(static_cast<int>(random.below(700)) - 350);
    case 2:
      return number + "." + std::to_string(random.below(1000));
    case 3:
      return number + "0";
    case 4:
      return number.substr(0, number.size() - 1);
    case 5:
      number[random.below(number.size())] = static_cast<char>('0' + random.below(10));
      return number;
    default:
      return one_of(random, numbers);
  }
}

std::string wrapped(Random& random, const std::string& inner) {
  static constexpr std::size_t depths[] = {1, 1, 1, 2, 3, 10, 100, 1500};
  const std::size_t depth = depths[random.below(std::size(depths))];
  const bool list = random.below(2) == 0;
  const std::string open = list ? "[" : "{\"a\": ", close = list ? "]" : "}";
  std::string result;
  for (std::size_t i = 0; i < depth; ++i) result += open;
  result += inner;
  for (std::size_t i = 0; i < depth; ++i) result += close;
  return result;
}

// One change to a document: its pieces, and what is done to one of them.
class Change {
 public:
  Change(Random& random, const std::string& text, const std::vector<std::string>& others)
      : random_(random), text_(text), others_(others), pieces_(pieces_of(text)) {}

  std::string make() {
    if (pieces_.empty()) return one_of(random_, numbers) + text_;
    switch (random_.below(14)) {
      case 0:
      case 1:
        return value();
      case 2:
        return number();
      case 3:
        return remove();
      case 4:
      case 5:
        return repeat();
      case 6:
        return swap();
      case 7: {
        const auto& piece = any();
        return with(piece, wrapped(random_, of(piece)));
      }
      case 8:
      case 9:
        return splice();
      case 10:
        return with(any(), one_of(random_, numbers));
      case 11:
        return embedded();
      case 12:
        return another_text();
      default:
        return random_.below(4) == 0 ? text_.substr(0, any().end) : value();
    }
  }

 private:
  const Piece& any() { return pieces_[random_.below(pieces_.size())]; }

  // Of a kind that is chosen first: else there would be hardly any groups among the words.
  const Piece& any_of(std::initializer_list<Kind> kinds) {
    const auto wanted = kinds.begin()[random_.below(kinds.size())];
    std::vector<const Piece*> found;
    for (const auto& piece : pieces_)
      if (piece.kind == wanted) found.push_back(&piece);
    return found.empty() ? any() : *found[random_.below(found.size())];
  }

  std::string of(const Piece& piece) const {
    return text_.substr(piece.begin, piece.end - piece.begin);
  }
  std::string with(const Piece& piece, const std::string& instead) const {
    return text_.substr(0, piece.begin) + instead + text_.substr(piece.end);
  }

  std::string value() {
    const auto& piece = any_of({Kind::text, Kind::number, Kind::word, Kind::item});
    const auto now = of(piece);
    if (piece.kind == Kind::number) return with(piece, one_of(random_, numbers));
    if (piece.kind != Kind::text) return with(piece, interesting_text(random_, now));
    const auto inner = interesting_text(random_, std::string_view(now).substr(1, now.size() - 2));
    return with(piece, now.front() + inner + now.back());
  }

  std::string number() {
    const auto& piece = any_of({Kind::number});
    return with(piece, changed_number(random_, of(piece)));
  }

  static bool is_separator(char c) { return c == ',' || c == ';' || c == '\n' || c == '\t'; }

  std::string remove() {
    auto piece = any_of({Kind::item, Kind::line, Kind::group});
    if (piece.end < text_.size() && is_separator(text_[piece.end]))
      ++piece.end;
    else if (piece.begin > 0 && is_separator(text_[piece.begin - 1]))
      --piece.begin;
    return with(piece, "");
  }

  // Keys, members, rows and lines twice, or very often.
  std::string repeat() {
    const auto& piece = any_of({Kind::item, Kind::item, Kind::line, Kind::group});
    const char next =
        piece.end < text_.size() && is_separator(text_[piece.end]) ? text_[piece.end] : ',';
    const char separator = piece.kind == Kind::line ? '\n' : next;
    const auto times = random_.below(12) == 0 ? 200 : 1 + random_.below(2);
    const auto one = separator + of(piece);
    std::string more;
    for (std::uint64_t i = 0; i < times && more.size() < kLargest; ++i) more += one;
    return text_.substr(0, piece.end) + more + text_.substr(piece.end);
  }

  std::string swap() {
    const auto* a = &any_of({Kind::text, Kind::number, Kind::item, Kind::line, Kind::group});
    const auto* b = &any_of({a->kind});
    if (a->begin > b->begin) std::swap(a, b);
    if (a->end > b->begin) return with(*a, of(*b));
    return text_.substr(0, a->begin) + of(*b) + text_.substr(a->end, b->begin - a->end) + of(*a) +
           text_.substr(b->end);
  }

  std::string splice() {
    const auto& piece =
        any_of({Kind::text, Kind::number, Kind::word, Kind::group, Kind::item, Kind::line});
    if (others_.empty()) return with(piece, of(any()));
    const auto& other = others_[random_.below(others_.size())];
    const auto found = pieces_of(other);
    std::vector<std::string> same;
    for (const auto& one : found)
      if (one.kind == piece.kind || random_.below(20) == 0)
        same.push_back(other.substr(one.begin, one.end - one.begin));
    return with(piece, same.empty() ? other : same[random_.below(same.size())]);
  }

  // A document that stands in a document's text.
  std::string embedded() {
    const auto& piece = any_of({Kind::text});
    const auto now = of(piece);
    const auto inner = nlohmann::json::parse(now, nullptr, false);
    if (!inner.is_string() || now.find_first_of("{[\n") == now.npos) return value();
    const auto changed = Change(random_, inner.get<std::string>(), {}).make();
    return with(piece, nlohmann::json(changed).dump(-1, ' ', false,
                                                    nlohmann::json::error_handler_t::replace));
  }

  // Keys take each other's place, and values those of keys.
  std::string another_text() {
    const auto& piece = any_of({Kind::text, Kind::word});
    const auto& other = any_of({piece.kind});
    return with(piece, of(other));
  }

  Random& random_;
  const std::string& text_;
  const std::vector<std::string>& others_;
  std::vector<Piece> pieces_;
};

std::string slice(Random& random, const std::string& text) {
  if (text.empty()) return "";
  const std::size_t begin = random.below(text.size());
  return text.substr(begin, 1 + random.below(std::min<std::size_t>(8, text.size() - begin)));
}

// Sizes and places in binary formats are numbers of 2, 4 or 8 bytes.
void put_number(Random& random, std::string& text, std::size_t at) {
  static constexpr std::uint64_t values[] = {
      0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0}};
  const std::uint64_t value = random.below(2) == 0 ? values[random.below(std::size(values))]
                                                   : random.below(2 * text.size() + 1);
  const std::size_t bytes = std::size_t{2} << random.below(3);
  for (std::size_t i = 0; i < bytes && at + i < text.size(); ++i)
    text[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

bool is_binary(const std::string& text) { return text.find('\0') != text.npos; }

}  // namespace

std::string mutated_document(Random& random, const std::string& text,
                             const std::vector<std::string>& others) {
  std::string result = text;
  for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
    result = Change(random, result, others).make();
    if (result.size() > kLargest) result.resize(kLargest);
  }
  return result;
}

std::string mutated_bytes(Random& random, const std::string& document,
                          const std::vector<std::string>& others) {
  std::string text = document;
  for (std::uint64_t edits = 1 + random.below(6); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(is_binary(document) ? 7 : 5)) {
      case 0:
        text.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 2:
        text.erase(at, 1 + random.below(4));
        break;
      case 3:
        text.insert(at, others.empty() ? "" : slice(random, others[random.below(others.size())]));
        break;
      case 4:
        text.insert(at, slice(random, text));
        break;
      default:
        put_number(random, text, at);
    }
  }
  return text;
}

std::string mutated(Random& random, const std::string& text,
                    const std::vector<std::string>& others) {
  if (is_binary(text) || random.below(3) == 0) return mutated_bytes(random, text, others);
  return mutated_document(random, text, others);
}

}  // namespace stackx::fuzz
