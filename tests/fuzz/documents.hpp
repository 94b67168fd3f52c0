// What the fuzz targets of documents share: a reader ends in a value or in an Error (bad_input)
// whose message can be printed; any other exception escapes and ends the target.
#pragma once

#include <optional>
#include <string>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "tests/fuzz/lines.hpp"

namespace stackx::fuzz {

inline void check_refusal(const Error& error) {
  const std::string message = error.what();
  require(error.code() == ErrorCode::bad_input, "a bad document is bad input");
  require(!message.empty() && message.size() < 100'000, "a message is there and can be read");
  require(specs::to_utf8(message) == message, "a message is UTF-8");
}

template <typename Read>
auto attempt(Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    check_refusal(error);
    return std::nullopt;
  }
}

inline std::optional<specs::Node> parse(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return attempt([&] { return specs::Node::parse_text(text, "fuzz.json"); });
}

}  // namespace stackx::fuzz
