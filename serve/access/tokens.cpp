#include "serve/access/tokens.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <sstream>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::serve {
namespace {

constexpr std::size_t longest_name = 64, longest_token = 512;

std::optional<Role> role_from(std::string_view text) {
  if (text == "read") return Role::read;
  if (text == "write") return Role::write;
  if (text == "read+write") return Role::both;
  return std::nullopt;
}

bool is_name(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@";
  return !text.empty() && text.size() <= longest_name && text.find_first_not_of(plain) == text.npos;
}

std::string from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > 2 * longest_token) return "";
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return "";
  bytes.resize(static_cast<std::size_t>(size) - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
  return bytes;
}

std::string to_base64url(const std::array<unsigned char, 32>& bytes) {
  std::array<unsigned char, 45> text{};
  const int size = EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
  std::string result(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(size));
  for (char& c : result) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return result.substr(0, result.find('='));
}

bool begins_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]) != lower[i]) return false;
  return true;
}

}  // namespace

Tokens Tokens::parse(const std::string& text, const std::string& file, const Wrong& wrong) {
  Tokens tokens;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, role_text, digest, more;
    if (!(words >> name)) continue;
    words >> role_text >> digest >> more;
    const auto role = role_from(role_text);
    if (is_name(name) && role && specs::is_sha256(digest) && more.empty())
      tokens.entries_.push_back({{name, *role}, digest});
    else
      wrong(fmt::format("{}:{}: expected a name, read, write or read+write, and the SHA-256 of a token, as `stackx serve token` writes it",
                        file, number));
  }
  return tokens;
}

Tokens Tokens::parse(const std::string& text, const std::string& file) {
  return parse(text, file, [](const std::string& why) { throw bad_input(why); });
}

std::optional<User> Tokens::user_of(std::string_view token) const {
  if (token.size() > longest_token) return std::nullopt;
  const std::string digest = specs::sha256(token);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_)
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
  if (found == nullptr) return std::nullopt;
  return found->user;
}

std::string token_in(std::string_view authorization) {
  if (begins_ignoring_case(authorization, "bearer ")) return std::string(authorization.substr(7));
  if (!begins_ignoring_case(authorization, "basic ")) return "";
  const auto pair = from_base64(authorization.substr(6));
  const auto colon = pair.find(':');
  return colon == pair.npos ? "" : pair.substr(colon + 1);
}

std::string new_token() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) throw broken_environment("the system has no random numbers");
  return "stackx_" + to_base64url(bytes);
}

std::string line_of(const std::string& name, const std::string& role, const std::string& token) {
  if (!is_name(name))
    throw bad_input(fmt::format("{}: expected a name of letters, digits, \".\", \"_\", \"-\" and \"@\", {} at most", specs::in_quotes(name), longest_name));
  if (!role_from(role)) throw bad_input(fmt::format("--role {}: expected read, write or read+write", specs::in_quotes(role)));
  return fmt::format("{} {} {}\n", name, role, specs::sha256(token));
}

}  // namespace stackx::serve
