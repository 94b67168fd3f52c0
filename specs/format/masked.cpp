#include "specs/format/masked.hpp"

#include <algorithm>
#include <string_view>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr std::string_view kMark = "://";

std::string_view authority_of(std::string_view rest) {
  return rest.substr(0, rest.find_first_of("/?#\\ \t\r\n\"'<>"));
}

// "host:x": what cannot be a port is the beginning of a password.
bool begins_password(std::string_view authority) {
  const auto bracket = authority.rfind(']');  // of an IPv6 address
  const auto colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  return colon != authority.npos &&
         authority.find_first_not_of("0123456789", colon + 1) != authority.npos;
}

// Bytes of the user-info at the begin of `rest`, which follows "://", up to its '@'; 0 where there is none.
std::size_t user_info(std::string_view rest) {
  rest = rest.substr(
      0, std::min(rest.find_first_of("\r\n"), rest.find(kMark)));  // no URL goes on behind these
  std::size_t begin = 0;
  if (begins_password(authority_of(rest)) && authority_of(rest).find('@') == rest.npos)
    begin = std::min(rest.find('@'), rest.size());
  const auto at = authority_of(rest.substr(begin)).rfind('@');
  return at == rest.npos ? 0 : begin + at;
}

bool is_web(std::string_view before) {
  const auto end = lowered(before.substr(before.size() - std::min<std::size_t>(before.size(), 5)));
  return end.ends_with("http") || end == "https";
}

// Where it begins in "me:secret", of which the host was forgotten; 0 where there is none. Behind a port a sentence may
// go on.
std::size_t lone_password(std::string_view rest) {
  const auto authority = authority_of(rest);
  if (authority.starts_with('[') || !begins_password(authority)) return 0;
  const auto begin = authority.find(':') + 1;
  const auto end = authority.find_last_not_of(":,.;)]}");
  return end == authority.npos || end < begin ||
                 authority.substr(begin, end + 1 - begin).find_first_not_of("0123456789") == authority.npos
             ? 0
             : begin;
}

bool names_a_secret(std::string_view name) {
  const auto word = lowered(name);
  for (const char* part : {"token", "secret", "passw", "credential", "key", "auth", "sig"})
    if (word.find(part) != word.npos) return true;
  return false;
}

// Moves what is left of a URL to `result`, without the values of its query that are secrets.
void append_query(std::string& result, std::string_view& rest) {
  const auto end = std::min({rest.find_first_of(" \t\r\n\"'<>"), rest.find(kMark), rest.size()});
  auto url = rest.substr(0, end);
  rest.remove_prefix(end);
  const auto take = [&](std::size_t bytes) {
    result += url.substr(0, bytes);
    url.remove_prefix(std::min(bytes, url.size()));
  };
  take(std::min(url.find('?'), url.size()));
  while (!url.empty()) {
    const auto next = std::min(url.find_first_of("&;#", 1), url.size());
    const auto equals = std::min(url.find('='), next);
    const bool secret = equals + 1 < next && names_a_secret(url.substr(0, equals));
    take(secret ? equals + 1 : next);
    if (!secret) continue;
    result += "***";
    url.remove_prefix(next - equals - 1);
  }
}

std::string masked(const std::string& text, bool all) {
  std::string result;
  std::string_view rest = text;
  for (std::size_t mark; (mark = rest.find(kMark)) != rest.npos;) {
    const bool web = is_web(rest.substr(0, mark));
    result += rest.substr(0, mark + kMark.size());
    rest.remove_prefix(mark + kMark.size());
    const auto size = user_info(rest);
    if (size > 0) {
      result += "***";
      rest.remove_prefix(size);
    } else if (const auto begin = all && web ? lone_password(rest) : 0; begin > 0) {
      result.append(rest.substr(0, begin)).append("***");
      rest.remove_prefix(authority_of(rest).size());
    }
    if (all) append_query(result, rest);
  }
  if (result.empty()) return text;
  return result.append(rest);
}

}  // namespace

std::string without_passwords(std::string text) { return masked(text, true); }

std::string without_logins(std::string text) { return masked(text, false); }

}  // namespace stackx::specs
