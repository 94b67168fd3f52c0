// HTTP for an index: several requests at a time over few connections, each one answered once.
//
// A Transport is an interface so that tests need no network. Curl is the real one: at most four transfers at
// once, kept-alive connections, redirects followed, and what is likely to pass (429, 5xx, broken connections)
// tried again up to three times, later each time; a server that did not answer is not asked again for a minute.
// A status is a value, whatever it is, and so is a failure: one of a thousand files may lie on a server that is none.
//
// No request waits for ever. To connect, ten seconds; a silence ends after `timeout`, as pip's; and all tries of one
// request together end after a minute (or `timeout`, if that is longer), unless bytes come at a decent rate: who sends
// 8 KiB a second on the average may send for hours. `waiting` hears, each second, of a request that nothing came for.
// Rejected: a thread a request (curl's multi interface needs none); curl's limit on the whole transfer, which cuts big
// files; a limit on the speed of the last seconds alone, which begins anew with each try.
#pragma once

#include <chrono>
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
  std::string post = {};    // to be sent there, JSON where `headers` has no other Content-Type; "" to get what is there
  std::vector<std::string> headers = {};  // further ones, "Name: value"
  std::uint64_t limit = 64ULL << 20;  // bytes of body; more is `too_large`
};

struct Response {
  long status = 0;
  std::string body;
  std::string url;  // after redirects
  std::string content_type, etag, last_modified;
  std::string authenticate;  // of a 401: what the server asks for
  std::string exit;          // of a server of stackx: what the command line would end with, "0", "1"
  std::uint64_t total = 0;  // of an answered range: bytes of the whole; 0 if not stated
  bool too_large = false;
  // Where there is no answer: why, in curl's words, which name no host ("Couldn't connect to server"); and for people,
  // with the URL and what to do.
  std::string failure, message;
  bool unreachable = false;  // a failure of the network, not of what was sent
  bool nobody_there = false;  // of those: no such host, or nothing takes connections on that port
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
  std::chrono::seconds timeout{15};  // of silence, as pip's --timeout
  int retries = 3;
  bool has_offline = true;    // the command has --offline, which a message may name
  bool asks_again = false;    // a server that is down, too, each time: else not for a minute
  // Where somebody only wants to know whether anybody answers: each request is made once and takes no longer than this,
  // looking up the name included. 0: see above.
  long most_milliseconds = 0;
  // Nothing came from this server ("HOST:PORT") for so long.
  std::function<void(const std::string& server, std::chrono::seconds)> waiting = {};
};

std::unique_ptr<Transport> make_curl(const HttpSettings& settings);

}  // namespace stackx::pypi
