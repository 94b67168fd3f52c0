#include "serve/access/tokens_file.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/words.hpp"

namespace stackx::serve {
namespace {

constexpr std::size_t most_told = 10;  // wrong lines: it may be another file altogether

std::string text_of_tokens(const std::filesystem::path& file) { return specs::read_text_file(file, "a file of tokens", 1); }

}  // namespace

TokensFile::TokensFile(const std::filesystem::path& file) : file_(file), text_(text_of_tokens(file)) {
  tokens_ = Tokens::parse(*text_, file.string());
  if (tokens_.empty()) throw bad_input(fmt::format("{}: holds no token; `stackx serve token NAME --role read` makes one", file.string()));
}

void TokensFile::refresh(Clock::time_point now, const std::function<void(const std::string&)>& say) {
  try {
    take(text_of_tokens(file_), say);
  } catch (const Error& error) {
    miss(error.what(), now, say);
  }
}

void TokensFile::take(std::string text, const std::function<void(const std::string&)>& say) {
  gone_since_.reset();
  if (text == text_) return;
  std::size_t wrong = 0;
  tokens_ = Tokens::parse(text, file_.string(), [&](const std::string& why) {
    if (++wrong <= most_told) say(why + "; this line does not count");
  });
  if (wrong > most_told) say(fmt::format("{}: {} more lines do not count", file_.string(), wrong - most_told));
  text_ = std::move(text);
  say(tokens_.empty() ? fmt::format("{}: holds no token any more: nobody may ask or send", file_.string())
                      : fmt::format("{}: {} read", file_.string(), workspace::counted(tokens_.entries().size(), "token")));
}

void TokensFile::miss(const std::string& why, Clock::time_point now, const std::function<void(const std::string&)>& say) {
  if (!text_) return;
  if (!gone_since_) {
    gone_since_ = now;
    say(fmt::format("{}; the tokens that were read before count for {} s more", why, grace.count()));
  } else if (now - *gone_since_ >= grace) {
    tokens_ = {};
    text_.reset();
    say(fmt::format("{}: no token counts until it can be read again", file_.string()));
  }
}

}  // namespace stackx::serve
