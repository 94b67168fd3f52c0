// What stands behind the server's addresses: who may, what is asked, what is sent, in which words it is refused.
//
//   PUT /v1/documents/ID, POST /v1/documents   one document, JSON Lines (zstd, gzip, xz): into the store
//   GET /v1/documents/ID                       a document as it is kept
//   GET /v1/...                                questions: what the Asker knows
//   GET /, /...                                pages
//   GET /metrics, /openapi.json, /healthz      of the server itself; the last for everybody
//
// Without tokens only this machine's own names are served (Host), so that no page of another site can reach it by a name of its
// own; what changes the store is never taken from a page of another site (Origin). Answers are the command line's; an error is
// {"error": its words, "exit_code": what the command line would end with}.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "serve/asker.hpp"
#include "serve/answers/answers.hpp"
#include "serve/http/message.hpp"
#include "serve/http/server.hpp"

namespace stackx::serve {

enum class Logged { nothing, changes, all };

struct Serving {
  std::filesystem::path store, tokens;  // tokens: the file; "": everybody on this machine may everything
  std::set<std::string> hosts;          // that Host may name; empty: any
  bool tls = false;
  double requests_a_second = 0;  // of one user, or address; 0: any number
  std::uint64_t waiting_bytes = 256ULL << 20;
  Answers::Limits answers = {};
  Logged log = Logged::changes;
};

class Service : public Site {
 public:
  // Throws as Store::open and TokensFile do.
  Service(const Serving& serving, const Asker& asker);
  ~Service() override;

  std::optional<Response> admit(Request& head, std::optional<std::uint64_t> length) override;
  void answer(Request request, Respond respond) override;
  Response refusal(int status, const std::string& why) override;
  void answered(const Request& request, const Response& response) override;

  void every_second();  // reads tokens that changed, tells who waited too long
  // Before the end: the documents that were taken are written, no more is asked. False: an answer that nobody waits for any more is
  // still being made; destroying the service would wait for it.
  bool finish();
  // What metrics say of the network's side. Before anything is served.
  void observe(std::function<Connections()> connections);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stackx::serve
