// Questions that were answered, kept while the store stays as it is.
//
// An answer that took long is worth keeping: asked again it costs a look at the store's change counter. It is made again once
// the store has grown; under a steady stream of documents the old one is given for as long as three times what making it took,
// five seconds at most, so that asking never takes more than a quarter of the machine for one question ("Cache-Control: no-cache"
// in the request: never). Who asks what is just being made waits for that. At most `workers` are made at once and `queue` wait;
// more are told to come again. What is kept is bounded by its bytes; the longest unused goes first.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/message.hpp"

namespace stackx::serve {

struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  int exit_code = 0;  // of the same question on the command line
  std::string policy = {};  // Content-Security-Policy of its own; "": as all of its content type have it
  std::string etag = {};  // of the body; made by Answers
  std::chrono::steady_clock::time_point made{};
};

struct AnswersState {
  std::uint64_t kept = 0, made = 0, turned_away = 0;  // ever: given from what was kept, made, refused
  std::size_t waiting = 0, entries = 0;
  std::uint64_t bytes = 0;
};

class Answers {
 public:
  struct Limits {
    unsigned workers = 2;
    std::size_t queue = 256;
    std::uint64_t bytes = 64ULL << 20;
    std::chrono::seconds patience{60};  // then who waits is told so; it is made nevertheless, and kept
  };
  // `version`: of the store; another value: it has changed. Called from any thread.
  Answers(const Limits& limits, std::function<std::uint64_t()> version);
  ~Answers();
  Answers(const Answers&) = delete;

  enum class Refusal { busy, late };
  using Given = std::function<void(std::shared_ptr<const Answer>)>;
  using Refused = std::function<void(Refusal)>;
  // `key`: the question; `make` is called on a worker, once for all who ask it at that time. One of the two is called, once.
  void ask(const std::string& key, bool newest, std::function<Answer()> make, Given given, Refused refused);
  void drop_late();  // to be called every second
  // Makes no more. False: some are still being made, and the destructor would wait for them, minutes perhaps.
  bool finish();
  AnswersState state(const std::string& besides = "") const;  // who waits for that key does not count

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stackx::serve
