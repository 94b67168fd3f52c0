// What Beast's parser took for a request's head: whether we do, too, and what it says. Included by server.cpp alone, as
// session.hpp is: Beast's templates are compiled once.
#pragma once

#include <fmt/core.h>

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <iterator>
#include <string>
#include <utility>

#include "serve/http/message.hpp"

namespace stackx::serve::network {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using BeastError = beast::error_code;

inline constexpr std::uint32_t longest_head = 48 << 10;

using Head = http::request_header<>;

inline std::size_t count_of(const Head& head, http::field name) {
  const auto [first, last] = head.equal_range(name);
  return static_cast<std::size_t>(std::distance(first, last));
}

// Why a head that the parser took is refused all the same; 0: it is not.
inline std::pair<int, std::string> wrong_head(const Head& head) {
  if (head.version() != 11 && head.version() != 10) return {505, "HTTP/1.1 or HTTP/1.0 is spoken here"};
  const auto hosts = count_of(head, http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() == 11)) return {400, "expected one Host"};
  const auto codings = count_of(head, http::field::transfer_encoding), lengths = count_of(head, http::field::content_length);
  if (codings > 1 || lengths > 1 || (codings > 0 && lengths > 0))
    return {400, "the length of the body is said twice (Content-Length, Transfer-Encoding)"};
  const auto length = head[http::field::content_length];
  if (length.find_first_not_of("0123456789") != length.npos) return {400, "expected digits for Content-Length"};  // "4, 4" is read as 4
  if (codings > 0 && head.version() == 10) return {400, "HTTP/1.0 has no Transfer-Encoding"};
  if (codings > 0 && !beast::iequals(head[http::field::transfer_encoding], "chunked"))
    return {501, "no Transfer-Encoding but \"chunked\" is understood"};
  if (count_of(head, http::field::authorization) > 1) return {400, "expected one Authorization"};
  return {0, ""};
}

inline std::string text_of(const Head& head, http::field name) {
  const auto value = head[name];
  return {value.data(), value.size()};
}

inline Request request_of(const Head& head, Target target, const std::string& client) {
  Request request;
  request.method = std::string(head.method_string());
  request.target = std::move(target);
  request.host = text_of(head, http::field::host);
  request.origin = text_of(head, http::field::origin);
  request.authorization = text_of(head, http::field::authorization);
  request.accept = text_of(head, http::field::accept);
  request.content_type = text_of(head, http::field::content_type);
  request.content_encoding = text_of(head, http::field::content_encoding);
  request.if_none_match = text_of(head, http::field::if_none_match);
  request.cache_control = text_of(head, http::field::cache_control);
  const auto columns = head["Stackx-Columns"];
  request.columns = std::string(columns.data(), columns.size());
  request.client = client;
  return request;
}

// What the parser did not take, as a status and in words; 0: nobody is there to be told.
inline std::pair<int, std::string> wrong_bytes(const BeastError& error) {
  if (error == http::error::header_limit) return {431, fmt::format("the head is longer than {} KiB", longest_head >> 10)};
  if (error == http::error::body_limit) return {413, "the body is too large"};
  if (error == http::error::end_of_stream || error == http::error::partial_message || error == beast::error::timeout) return {0, ""};
  if (error.category() == make_error_code(http::error::bad_method).category()) return {400, "not HTTP: " + error.message()};
  return {0, ""};
}

}  // namespace stackx::serve::network
