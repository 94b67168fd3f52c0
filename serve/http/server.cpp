#include "serve/http/server.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>  // before Boost 1.74, which takes it for granted: libc++ brings it along with nothing else
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <csignal>

#include "serve/http/session.hpp"
#include "specs/error.hpp"

namespace stackx::serve {
namespace {

using namespace network;

constexpr std::size_t files_of_the_rest = 128;  // descriptors that stores, catalogs and this process's streams take

// As many connections as there may be files: `ulimit -n` is 1024 in many places, its hard limit a million.
std::size_t most_connections(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = wanted + files_of_the_rest;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(limit.rlim_max, needed);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  return std::min<std::size_t>(wanted, limit.rlim_cur > 2 * files_of_the_rest ? limit.rlim_cur - files_of_the_rest : limit.rlim_cur / 2);
}

}  // namespace

struct HttpServer::State {
  State(const Listening& listening, Site& site)
      : shared(listening, site), most(most_connections(listening.connections)), acceptor(io), timer(io), signals(io) {}

  void load_certificate() {
    if (shared.listening.certificate.empty()) return;
    BeastError error;
    tls.emplace(asio::ssl::context::tls_server);
    tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    tls->use_certificate_chain_file(shared.listening.certificate, error);
    if (error) throw bad_input(fmt::format("--certificate {}: {}; expected a PEM file with the certificate and its chain", shared.listening.certificate, error.message()));
    tls->use_private_key_file(shared.listening.key, asio::ssl::context::pem, error);
    if (error) throw bad_input(fmt::format("--key {}: {}; expected the PEM file of the certificate's key, without a passphrase", shared.listening.key, error.message()));
  }

  void listen() {
    BeastError error;
    const auto address = asio::ip::make_address(shared.listening.address, error);
    if (error) throw bad_input(fmt::format("--listen {}: expected an address of this machine, such as 127.0.0.1 or [::]", shared.listening.address));
    const Tcp::endpoint endpoint(address, shared.listening.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(4096, error);
    if (error)
      throw broken_environment(fmt::format("--listen {}:{}: {}{}", shared.listening.address, shared.listening.port, error.message(),
                                           error == asio::error::address_in_use ? "; another program listens there: end it or choose another port" : ""));
  }

  void accept() {
    acceptor.async_accept([this](const BeastError& error, Tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (!error) {
        take(std::move(socket));
        return accept();
      }
      timer.expires_after(std::chrono::milliseconds(50));  // no descriptor is free
      timer.async_wait([this](const BeastError& ended) {
        if (!ended && acceptor.is_open()) accept();
      });
    });
  }

  void take(Tcp::socket socket) {
    BeastError error;
    const auto peer = socket.remote_endpoint(error);
    if (error) return;
    ++shared.accepted;
    if (shared.open >= most) {
      ++shared.turned_away;
      if (shared.waiting.empty()) return;
      Session* oldest = shared.waiting.front();
      shared.waiting.splice(shared.waiting.end(), shared.waiting, shared.waiting.begin());  // cut once, gone a moment later
      oldest->cut();
      if (shared.open >= most + files_of_the_rest / 2) return;
    }
    socket.set_option(Tcp::no_delay(true), error);
    auto client = peer.address().to_string();
    if (tls)
      std::make_shared<SessionOver<beast::ssl_stream<beast::tcp_stream>>>(shared, std::move(client), std::move(socket), *tls)->begin();
    else
      std::make_shared<SessionOver<beast::tcp_stream>>(shared, std::move(client), std::move(socket))->begin();
  }

  void tick() {
    ticker.expires_after(std::chrono::seconds(1));
    ticker.async_wait([this](const BeastError& error) {
      if (error) return;
      if (every_second) every_second();
      if (shared.ending && (shared.open == 0 || Clock::now() > end_at)) return io.stop();
      tick();
    });
  }

  void end() {
    if (shared.ending) return;
    shared.ending = true;
    end_at = Clock::now() + shared.listening.ending;
    BeastError ignored;
    acceptor.close(ignored);
    for (auto at = shared.all.begin(); at != shared.all.end();) (*at++)->end_soon();
    wait_for_end();
  }

  void wait_for_end() {
    if (shared.open == 0 || Clock::now() > end_at) return io.stop();
    timer.expires_after(std::chrono::milliseconds(10));
    timer.async_wait([this](const BeastError& error) {
      if (!error) wait_for_end();
    });
  }

  Shared shared;
  const std::size_t most;
  std::optional<asio::ssl::context> tls;
  asio::io_context io{1};
  Tcp::acceptor acceptor;
  asio::steady_timer timer, ticker{io};
  asio::signal_set signals;
  Clock::time_point end_at;
  std::function<void()> every_second;
};

HttpServer::HttpServer(const Listening& listening, Site& site) : state_(std::make_unique<State>(listening, site)) {
  state_->load_certificate();
  state_->listen();
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return state_->acceptor.local_endpoint().port(); }

void HttpServer::run(const std::function<void()>& every_second) {
  state_->every_second = every_second;
  state_->signals.add(SIGTERM);
  state_->signals.add(SIGINT);
  state_->signals.async_wait([this](const BeastError& error, int) {
    if (!error) state_->end();
  });
  state_->accept();
  state_->tick();
  state_->io.run();
}

void HttpServer::stop() {
  asio::post(state_->io, [this] { state_->end(); });
}

Connections HttpServer::connections() const {
  const auto& shared = state_->shared;
  return {shared.open, shared.accepted, shared.turned_away, shared.body_bytes};
}

std::pair<std::string, std::uint16_t> read_listen(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto wrong = [&] { return bad_input(fmt::format("--listen {}: expected ADDRESS:PORT, such as 127.0.0.1:8421 or [::1]:8421", text)); };
  if (colon == text.npos) throw wrong();
  std::string address = text.substr(0, colon);
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') address = address.substr(1, address.size() - 2);
  if (address.empty()) address = "127.0.0.1";
  if (address == "localhost") address = "127.0.0.1";
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc{} || stopped != end) throw wrong();
  BeastError unreadable;
  asio::ip::make_address(address, unreadable);
  if (unreadable) throw wrong();
  return {address, port};
}

bool is_loopback(const std::string& address) {
  BeastError error;
  const auto read = asio::ip::make_address(address, error);
  return !error && read.is_loopback();
}

}  // namespace stackx::serve
