// HTTP for an index: several requests at a time over few connections, each one answered once.
//
// A Transport is an interface so that tests need no network. Curl is the real one: at most four transfers at
// once, kept-alive connections, redirects followed, and what is likely to pass (429, 5xx, broken connections)
// tried again up to three times, later each time; where nothing answered so often, nothing more is asked in that call.
// A status is a value, whatever it is, and so is a failure: one of a thousand files may lie on a server that is none.
// Rejected: a thread a request (curl's multi interface needs none).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stackx::pypi {

struct Request {
  std::string url;
  std::string accept = {};  // media types, "" for any
  std::string range = {};   // "0-99", "-65536"; "" for everything
  std::string etag = {};    // of what is at hand: 304 if it is still that
  std::string last_modified = {};
  std::string bearer = {};  // a token, sent to this host alone
  std::string post = {};    // a JSON document to be sent there; "" to get what is there
  std::uint64_t limit = 64ULL << 20;  // bytes of body; more is `too_large`
};

struct Response {
  long status = 0;
  std::string body;
  std::string url;  // after redirects
  std::string content_type, etag, last_modified;
  std::string authenticate;  // of a 401: what the server asks for
  std::uint64_t total = 0;  // of an answered range: bytes of the whole; 0 if not stated
  bool too_large = false;
  // Where there is no answer: why, in curl's words, which name no host ("Couldn't connect to server"); and for people,
  // with the URL and what to do.
  std::string failure, message;
  bool unreachable = false;  // a failure of the network, not of what was sent
};

class Transport {
 public:
  virtual ~Transport() = default;
  // `done(i, response)` once for each request, in the order of completion.
  virtual void get(const std::vector<Request>& requests,
                   const std::function<void(std::size_t, Response)>& done) = 0;
  Response get_one(const Request& request);      // throws Error(environment) where there is no answer
  Response try_one(const Request& request);
};

struct HttpSettings {
  std::string ca_file;        // PEM; "" for the system's
  long timeout_seconds = 60;  // without any progress
  bool has_offline = true;    // the command has --offline, which a message may name
  // Where somebody only wants to know whether anybody answers: each request is made once and takes no longer than this,
  // looking up the name included. 0: see above.
  long most_milliseconds = 0;
};

std::unique_ptr<Transport> make_curl(const HttpSettings& settings);

// `reference` as a link on the page at `base`; "" if that is no URL.
std::string resolve_url(const std::string& base, const std::string& reference);

bool is_web_url(const std::string& url);  // begins with http:// or https://

// Throws Error(bad_input) for what is none, and does not repeat it: it may hold a password. `what`: "--index-url".
void check_web_url(const std::string& url, const std::string& what);

// Without user name, password and tokens: for messages, and for what is kept.
std::string shown_url(const std::string& url);

// `url` with the user name and password of `other`, if it has none and is on the same host: a page that was kept.
std::string with_login_of(const std::string& url, const std::string& other);

}  // namespace stackx::pypi
