// Who may ask and who may send: a file of names, roles and hashes.
//
//   # name  role  sha256 of the token
//   node-7  write  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//
// A token is 32 random bytes, shown once, when it is made; what has that much chance in it needs no slow hash. A name may stand
// on several lines, so that a token can be replaced while the old one is still in use. All hashes are compared, each in
// constant time: what is answered, and when, says nothing about how near a guess was. Rejected: passwords (guessed, reused),
// JWTs (cannot be taken back), mutual TLS (a proxy in front can do it).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::serve {

enum class Role { read, write, both };

struct User {
  std::string name;
  Role role = Role::read;
  bool may_read() const { return role != Role::write; }
  bool may_write() const { return role != Role::read; }
};

class Tokens {
 public:
  // A line that is none goes to `wrong`, in words that name `file` and the line; the others count.
  using Wrong = std::function<void(const std::string& why)>;
  static Tokens parse(const std::string& text, const std::string& file, const Wrong& wrong);
  // Throws Error(bad_input) for the first wrong line.
  static Tokens parse(const std::string& text, const std::string& file);

  bool empty() const { return entries_.empty(); }
  std::optional<User> user_of(std::string_view token) const;
  const auto& entries() const { return entries_; }

 private:
  struct Entry {
    User user;
    std::string digest;  // 64 hexadecimal digits
  };
  std::vector<Entry> entries_;
};

// "Bearer TOKEN", or "Basic ..." of any user with the token as password, as browsers send it; "": neither.
std::string token_in(std::string_view authorization);
std::string new_token();  // "stackx_" and 43 characters
// The line of a new one. Throws Error(bad_input) for names that are no names.
std::string line_of(const std::string& name, const std::string& role, const std::string& token);

}  // namespace stackx::serve
