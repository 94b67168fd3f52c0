#include "specs/format/masked.hpp"

#include <algorithm>
#include <string_view>

namespace stackx::specs {
namespace {

constexpr std::string_view kMark = "://";

std::string_view authority_of(std::string_view rest) {
  return rest.substr(0, rest.find_first_of("/?#\\ \t\"'<>"));
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

}  // namespace

std::string without_passwords(std::string text) {
  std::string result;
  std::string_view rest = text;
  for (std::size_t mark; (mark = rest.find(kMark)) != rest.npos;) {
    result += rest.substr(0, mark + kMark.size());
    rest.remove_prefix(mark + kMark.size());
    const auto size = user_info(rest);
    if (size == 0) continue;
    result += "***";
    rest.remove_prefix(size);
  }
  if (result.empty()) return text;
  return result.append(rest);
}

}  // namespace stackx::specs
