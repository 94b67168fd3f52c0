// The file of tokens while a server runs: what stands in it is what counts, within a second.
//
// A file that is emptied ends all tokens; a line that is none is told, and ends its own alone. A file that is gone may be about to
// be replaced, or its disk may be away for a moment: its tokens count for `grace` more, and then none does, since a deleted file is
// how somebody takes all of them back.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "serve/access/tokens.hpp"

namespace stackx::serve {

class TokensFile {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds grace{5};

  // Throws Error(bad_input) for a file that cannot be read, has a wrong line, or holds no token: at the start somebody looks on.
  explicit TokensFile(const std::filesystem::path& file);

  // Reads it again; what changed, in words, to `say`. Never throws.
  void refresh(Clock::time_point now, const std::function<void(const std::string&)>& say);
  std::optional<User> user_of(std::string_view token) const { return tokens_.user_of(token); }

 private:
  void take(std::string text, const std::function<void(const std::string&)>& say);
  void miss(const std::string& why, Clock::time_point now, const std::function<void(const std::string&)>& say);

  std::filesystem::path file_;
  Tokens tokens_;
  std::optional<std::string> text_;  // that tokens_ were read from; none: it has been gone for too long
  std::optional<Clock::time_point> gone_since_;
};

}  // namespace stackx::serve
