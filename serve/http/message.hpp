// A request as it was understood and what it is answered: no socket, no library.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/http/target.hpp"

namespace stackx::serve {

struct Request {
  std::string method;  // "GET", upper case
  Target target;
  std::string host, origin, authorization, accept, content_type, content_encoding, if_none_match, cache_control;
  std::string columns;  // Stackx-Columns: how wide a plain text may be
  std::string body;
  std::string client;  // address
  std::string user;    // the name of its token, once it was looked at; "": none was asked for
  std::chrono::steady_clock::time_point began{};
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::shared_ptr<const std::string> body = {};  // none: empty
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool close = false;  // the connection is not used again
};

using Respond = std::function<void(Response)>;

// What stands behind a server. All of it is called on the network's thread and must not wait; `respond` may be called
// from any thread, once.
class Site {
 public:
  virtual ~Site() = default;
  // Before the body is read (`length`: what it says it has; none: chunked). A response refuses the request.
  virtual std::optional<Response> admit(Request& head, std::optional<std::uint64_t> length) = 0;
  virtual void answer(Request request, Respond respond) = 0;
  // What could not be understood, or not be taken: the words are the site's.
  virtual Response refusal(int status, const std::string& why) = 0;
  // After it was answered.
  virtual void answered(const Request& request, const Response& response) = 0;
};

}  // namespace stackx::serve
