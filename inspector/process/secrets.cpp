#include "inspector/process/secrets.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace stackx::inspector {
namespace {

constexpr std::size_t shortest = 6, least_of_a_cut = 5;

bool names_a_secret(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const char* part : {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY",
                           "ACCESS_KEY", "PRIVATE_KEY", "AUTHORIZATION"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

// "p%40ss" and "p@ss": programs print a password either way.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : (c | 32) - 'a' + 10; };
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text[at] == '%' && at + 2 < text.size() && std::isxdigit(static_cast<unsigned char>(text[at + 1])) &&
                         std::isxdigit(static_cast<unsigned char>(text[at + 2]));
    result += escaped ? static_cast<char>(digit(text[at + 1]) * 16 + digit(text[at + 2])) : text[at];
    if (escaped) at += 2;
  }
  return result;
}

// Of every "scheme://user:password@host" in a value; a lone "token@host" counts whole.
void add_passwords(std::vector<std::string>& values, std::string_view text) {
  for (std::size_t at; (at = text.find("://")) != text.npos;) {
    text.remove_prefix(at + 3);
    const auto end = text.find_first_of("/ \t\n,");
    const auto authority = text.substr(0, end);
    const auto host = authority.rfind('@');
    if (host == authority.npos) continue;
    const auto user = authority.substr(0, host);
    const auto password = user.substr(user.find(':') + 1);  // all of it where there is no colon
    values.emplace_back(password);
    values.push_back(decoded(password));
  }
}

// What tells uv and pip of indices and proxies; a URL there need not be written as one: "user:password@host/simple".
bool names_a_place(const std::string& name) {
  const bool of_installers = name.starts_with("UV_") || name.starts_with("PIP_");
  return (of_installers && (name.find("INDEX") != name.npos || name.find("FIND_LINKS") != name.npos)) ||
         name.ends_with("_proxy") || name.ends_with("_PROXY");
}

// What stands before the '@' of each word, and what follows each of its colons.
void add_logins(std::vector<std::string>& values, std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" \t\n,"), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.rfind('@') == word.npos) continue;
    auto user = word.substr(0, word.rfind('@'));
    if (user.find("://") != user.npos) continue;  // add_passwords() has it
    values.emplace_back(user);
    for (std::size_t colon; (colon = user.find(':')) != user.npos;) {
      user.remove_prefix(colon + 1);
      values.emplace_back(user);
      values.push_back(decoded(user));
    }
  }
}

}  // namespace

Secrets::Secrets(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    if (names_a_secret(name)) values_.push_back(value);
    add_passwords(values_, value);
    if (names_a_place(name)) add_logins(values_, value);
  }
  std::erase_if(values_, [](const std::string& value) { return value.size() < shortest; });
  std::ranges::sort(values_, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
}

std::string Secrets::masked(std::string text) const {
  for (const auto& value : values_)
    for (auto left = value.size() - 1; left >= least_of_a_cut; --left)
      if (text.starts_with(std::string_view(value).substr(value.size() - left))) {
        text.replace(0, left, "***");
        break;
      }
  return without(std::move(text));
}

std::string Secrets::without(std::string text) const {
  for (const auto& value : values_)
    for (std::size_t at = 0; (at = text.find(value, at)) != std::string::npos; at += 3) text.replace(at, value.size(), "***");
  return text;
}

}  // namespace stackx::inspector
