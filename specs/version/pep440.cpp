#include "specs/version/pep440.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/version/key.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs::pep440 {
namespace {

// Longer spellings before those they start with.
constexpr std::pair<std::string_view, Pre> pre_spellings[] = {
    {"alpha", Pre::a},    {"a", Pre::a},    {"beta", Pre::b}, {"b", Pre::b},
    {"preview", Pre::rc}, {"pre", Pre::rc}, {"rc", Pre::rc},  {"c", Pre::rc},
};
constexpr std::string_view post_spellings[] = {"post", "rev", "r"};

constexpr char release_end = '\x01';
enum PreMark : char { dev_only = '\x01', first_pre, final_release = first_pre + 3 };
enum PostMark : char { no_post = '\x01', has_post };
enum DevMark : char { has_dev = '\x01', no_dev };
enum LocalMark : char { text_end = '\x01', local_text, local_number };

void skip_separator(TextScanner& in) {
  if (in.peek() == '.' || in.peek() == '_' || in.peek() == '-') in.skip(1);
}

// Separator, spelling, separator, number: "-RC.1". The scanner does not move if no spelling
// follows.
template <typename Spellings, typename Project>
std::optional<std::string_view> labelled_number(TextScanner& in, const Spellings& spellings,
                                                Project&& accept) {
  const TextScanner before = in;
  skip_separator(in);
  for (const auto& spelling : spellings) {
    if (!in.skip_word(accept(spelling))) continue;
    skip_separator(in);
    return in.digits();
  }
  in = before;
  return std::nullopt;
}

std::optional<PreRelease> pre_release(TextScanner& in) {
  Pre kind{};
  const auto number = labelled_number(in, pre_spellings, [&](const auto& spelling) {
    kind = spelling.second;
    return spelling.first;
  });
  if (!number) return std::nullopt;
  return PreRelease{kind, *number};
}

std::optional<std::string_view> post_release(TextScanner& in) {
  if (in.peek() == '-' && is_digit(in.peek(1))) {  // the implicit spelling: 1.0-1
    in.skip(1);
    return in.digits();
  }
  return labelled_number(in, post_spellings, [](std::string_view spelling) { return spelling; });
}

std::optional<std::string_view> dev_release(TextScanner& in) {
  constexpr std::string_view spellings[] = {"dev"};
  return labelled_number(in, spellings, [](std::string_view spelling) { return spelling; });
}

std::optional<ParseError> read_release(TextScanner& in, Parts& parts) {
  in.skip_word("v");
  if (!is_digit(in.peek())) return in.error("a version starts with a number");
  parts.release.push_back(in.digits());
  if (in.peek() == '!') {
    in.skip(1);
    if (!is_digit(in.peek())) return in.error("after the epoch a release number must follow");
    parts.epoch = parts.release.back();
    parts.release.back() = in.digits();
  }
  while (in.peek() == '.' && is_digit(in.peek(1))) {
    in.skip(1);
    parts.release.push_back(in.digits());
  }
  return std::nullopt;
}

std::optional<ParseError> read_local(TextScanner& in, Parts& parts) {
  if (in.peek() != '+') return std::nullopt;
  do {
    in.skip(1);
    if (!is_alphanumeric(in.peek()))
      return in.error("in a local version (after '+') letters or digits must follow here");
    parts.local.push_back(in.take_while(is_alphanumeric));
  } while (in.peek() == '.' || in.peek() == '_' || in.peek() == '-');
  return std::nullopt;
}

bool is_number(std::string_view segment) { return std::ranges::all_of(segment, is_digit); }

void append_lower(std::string& out, std::string_view text) {
  for (const char c : text) out.push_back(to_lower(c));
}

}  // namespace

std::expected<Parts, ParseError> parse(std::string_view text) {
  TextScanner in(text);
  Parts parts;
  if (auto error = read_release(in, parts)) return std::unexpected(*error);
  parts.pre = pre_release(in);
  parts.post = post_release(in);
  parts.dev = dev_release(in);
  if (auto error = read_local(in, parts)) return std::unexpected(*error);
  if (!in.at_end())
    return std::unexpected(
        in.error("the version should end here: after the release come a, b or rc, post, dev and "
                 "+local, in this order"));
  return parts;
}

std::string normal(const Parts& parts) {
  using key::without_leading_zeros;
  constexpr const char* pre_names[] = {"a", "b", "rc"};
  std::string out;
  if (without_leading_zeros(parts.epoch) != "0")
    out.append(without_leading_zeros(parts.epoch)).append("!");
  for (std::size_t i = 0; i < parts.release.size(); ++i)
    out.append(i == 0 ? "" : ".").append(without_leading_zeros(parts.release[i]));
  if (parts.pre)
    out.append(pre_names[int(parts.pre->kind)]).append(without_leading_zeros(parts.pre->number));
  if (parts.post) out.append(".post").append(without_leading_zeros(*parts.post));
  if (parts.dev) out.append(".dev").append(without_leading_zeros(*parts.dev));
  for (std::size_t i = 0; i < parts.local.size(); ++i) {
    out.push_back(i == 0 ? '+' : '.');
    append_lower(
        out, is_number(parts.local[i]) ? without_leading_zeros(parts.local[i]) : parts.local[i]);
  }
  return out;
}

std::string release_key(const Parts& parts) {
  std::size_t numbers = parts.release.size();
  while (numbers > 0 && key::without_leading_zeros(parts.release[numbers - 1]) == "0") --numbers;
  std::string out;
  key::append_number(out, parts.epoch);
  for (std::size_t i = 0; i < numbers; ++i) key::append_number(out, parts.release[i]);
  out.push_back(release_end);
  return out;
}

std::string pre_key(const Parts& parts) {
  std::string out = release_key(parts);
  if (parts.pre) {
    out.push_back(static_cast<char>(first_pre + static_cast<char>(parts.pre->kind)));
    key::append_number(out, parts.pre->number);
  } else {
    // 1.0.dev1 sorts before 1.0a1, but 1.0.post1.dev1 after 1.0.
    out.push_back(parts.dev && !parts.post ? dev_only : final_release);
  }
  return out;
}

std::string public_key(const Parts& parts) {
  std::string out = pre_key(parts);
  out.push_back(parts.post ? has_post : no_post);
  if (parts.post) key::append_number(out, *parts.post);
  out.push_back(parts.dev ? has_dev : no_dev);
  if (parts.dev) key::append_number(out, *parts.dev);
  return out;
}

std::string full_key(const Parts& parts) {
  std::string out = public_key(parts);
  for (const std::string_view segment : parts.local) {
    if (is_number(segment)) {
      out.push_back(local_number);
      key::append_number(out, segment);
    } else {
      out.push_back(local_text);
      append_lower(out, segment);
      out.push_back(text_end);
    }
  }
  return out;
}

}  // namespace stackx::specs::pep440
