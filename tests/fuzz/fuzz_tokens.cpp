// Input: the header Authorization on the first line, then a file of tokens.
#include "serve/access/tokens.hpp"
#include "specs/format/digest.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto header = text.substr(0, text.find('\n'));
  const auto token = serve::token_in(header);
  require(token.size() <= header.size(), "a token is part of its header");
  const auto tokens = attempt([&] { return serve::Tokens::parse(std::string(text.substr(std::min(header.size() + 1, size))), "tokens"); });
  if (!tokens) return 0;
  const auto digest = specs::sha256(token);
  const serve::User* expected = nullptr;
  for (const auto& entry : tokens->entries()) {
    require(specs::is_sha256(entry.digest), "an entry has a hash");
    require(!entry.user.name.empty() && entry.user.name.size() <= 64, "an entry has a name");
    require(entry.user.may_read() || entry.user.may_write(), "an entry allows something");
    if (entry.digest == digest) expected = &entry.user;
  }
  const auto user = tokens->user_of(token);
  require(user.has_value() == (expected != nullptr && token.size() <= 512), "who has the token of an entry is its user, and nobody else is");
  require(!user || user->name == expected->name, "under its name");
  return 0;
}
