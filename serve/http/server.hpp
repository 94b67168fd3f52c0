// The network's side of `stackx serve`: sockets, TLS, limits; what it understood goes to a Site.
//
// One thread moves bytes; a connection that waits, sends slowly or reads slowly costs its buffers and no thread. Every wait
// has an end: a head within `head`, a body within 20 s and one more for each 16 KiB that came, a handshake within 10 s, an answer
// within 30 s and one more for each 64 KiB. Where all places are taken, the connection that has waited longest without a request gives
// way. What is ambiguous is refused and its connection closed: two lengths, a length beside chunks, a coding that is not
// "chunked", no host or two, another version. Rejected: see CMakeLists.txt.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/message.hpp"

namespace stackx::serve {

struct Listening {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8421;  // 0: any that is free
  std::string certificate, key;  // PEM files; "": no TLS
  std::size_t connections = 4096;
  std::uint64_t body = 64ULL << 20;    // bytes, of one
  std::uint64_t bodies = 256ULL << 20;  // of all at once
  std::chrono::seconds head{30};  // to send a head, also the next one of a connection
  std::chrono::seconds ending{20};  // for what is under way, at the end
};

struct Connections {
  std::size_t open = 0;
  std::uint64_t accepted = 0, turned_away = 0;  // ever
  std::uint64_t body_bytes = 0;                 // held now
};

class HttpServer {
 public:
  // Listens when it returns. Throws Error(bad_input) for an address, certificate or key, Error(environment) where the port is
  // taken.
  HttpServer(const Listening& listening, Site& site);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  std::uint16_t port() const;
  // Until SIGTERM, SIGINT or stop(): accepts no more, finishes what is under way, then returns. `every_second` is called on
  // its thread.
  void run(const std::function<void()>& every_second = {});
  void stop();
  Connections connections() const;  // from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "127.0.0.1:8421", "[::1]:0", ":8421" -> address, port. Throws Error(bad_input).
std::pair<std::string, std::uint16_t> read_listen(const std::string& text);
bool is_loopback(const std::string& address);

}  // namespace stackx::serve
