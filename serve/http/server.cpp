#include "serve/http/server.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <charconv>
#include <csignal>
#include <list>

#include "specs/error.hpp"

namespace stackx::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using BeastError = beast::error_code;

constexpr std::uint32_t longest_head = 16 << 10;
constexpr std::size_t files_of_the_rest = 128;  // descriptors that stores, catalogs and this process's streams take
constexpr std::chrono::seconds for_handshake{10}, for_body{20}, for_answer{30}, for_ending_well{2};

std::chrono::seconds time_for(std::uint64_t bytes, std::chrono::seconds least, std::uint64_t bytes_a_second) {
  return least + std::chrono::seconds(bytes / bytes_a_second);
}

class Session;

// What sessions share; on the network's thread alone, but for what is atomic.
struct Shared {
  Shared(const Listening& listening, Site& site) : listening(listening), site(site) {}

  const Listening listening;
  Site& site;
  std::list<Session*> waiting;  // for a request, the longest first
  std::list<Session*> all;
  bool ending = false;
  std::atomic<std::size_t> open = 0;
  std::atomic<std::uint64_t> accepted = 0, turned_away = 0, body_bytes = 0;
};

// A connection, whatever carries it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Shared& shared) : shared_(shared), place_(shared.all.insert(shared.all.end(), this)) { ++shared_.open; }
  virtual ~Session() {
    stop_waiting();
    release_body();
    shared_.all.erase(place_);
    --shared_.open;
  }
  Session(const Session&) = delete;

  virtual void begin() = 0;
  virtual void cut() = 0;  // now
  // No further request; one that is under way is finished.
  void end_soon() {
    if (waiting_) cut();
  }

 protected:
  void wait() {
    waiting_ = shared_.waiting.insert(shared_.waiting.end(), this);
  }
  void stop_waiting() {
    if (waiting_) shared_.waiting.erase(*waiting_);
    waiting_.reset();
  }
  bool hold_body(std::uint64_t bytes) {
    if (shared_.body_bytes + bytes > shared_.listening.bodies) return false;
    shared_.body_bytes += bytes;
    held_ += bytes;
    return true;
  }
  void release_body() {
    shared_.body_bytes -= held_;
    held_ = 0;
  }
  std::uint64_t held() const { return held_; }

  Shared& shared_;

 private:
  std::list<Session*>::iterator place_;
  std::optional<std::list<Session*>::iterator> waiting_;
  std::uint64_t held_ = 0;
};

using Head = http::request_header<>;

std::size_t count_of(const Head& head, http::field name) {
  const auto [first, last] = head.equal_range(name);
  return static_cast<std::size_t>(std::distance(first, last));
}

// Why a head that the parser took is refused all the same; 0: it is not.
std::pair<int, std::string> wrong_head(const Head& head) {
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

std::string text_of(const Head& head, http::field name) {
  const auto value = head[name];
  return {value.data(), value.size()};
}

Request request_of(const Head& head, Target target, const std::string& client) {
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
std::pair<int, std::string> wrong_bytes(const BeastError& error) {
  if (error == http::error::header_limit) return {431, fmt::format("the head is longer than {} KiB", longest_head >> 10)};
  if (error == http::error::body_limit) return {413, "the body is too large"};
  if (error == http::error::end_of_stream || error == http::error::partial_message || error == beast::error::timeout) return {0, ""};
  if (error.category() == make_error_code(http::error::bad_method).category()) return {400, "not HTTP: " + error.message()};
  return {0, ""};
}

template <typename Stream>
class SessionOver : public Session {
 public:
  template <typename... Arguments>
  SessionOver(Shared& shared, std::string client, Arguments&&... arguments)
      : Session(shared), client_(std::move(client)), stream_(std::forward<Arguments>(arguments)...) {}

  void begin() override {
    if constexpr (secure) {
      wait();
      lowest().expires_after(for_handshake);
      stream_.async_handshake(asio::ssl::stream_base::server, bound([](SessionOver& self, const BeastError& error) {
        self.stop_waiting();
        if (!error) self.read_head();
      }));
    } else {
      read_head();
    }
  }

  void cut() override { lowest().close(); }

 private:
  static constexpr bool secure = !std::is_same_v<Stream, beast::tcp_stream>;
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }
  auto self() { return std::static_pointer_cast<SessionOver>(shared_from_this()); }

  // A handler that keeps this session alive.
  template <typename Then>
  auto bound(Then then) {
    return [self = self(), then](const BeastError& error, auto...) { then(*self, error); };
  }

  void read_head() {
    if (shared_.ending) return close();
    wait();
    parser_.emplace();
    parser_->header_limit(longest_head);
    parser_->body_limit(shared_.listening.body);
    request_ = {};
    lowest().expires_after(shared_.listening.head);
    http::async_read_header(stream_, buffer_, *parser_, bound([](SessionOver& self, const BeastError& error) {
      self.stop_waiting();
      error ? self.refuse(wrong_bytes(error)) : self.take_head();
    }));
  }

  void take_head() {
    const auto& head = parser_->get().base();
    if (const auto wrong = wrong_head(head); wrong.first != 0) return refuse(wrong);
    auto target = read_target({head.target().data(), head.target().size()});
    if (!target) return refuse({400, target.error()});
    request_ = request_of(head, std::move(*target), client_);
    request_.began = Clock::now();
    std::optional<std::uint64_t> length;
    if (const auto said = parser_->content_length()) length = *said;
    if (!length && !parser_->chunked()) length = 0;
    if (auto refused = shared_.site.admit(request_, length)) return write_last(std::move(*refused));
    if (length && !hold_body(*length)) return refuse({503, "too many large requests at once"});
    if (parser_->is_done()) return answer();
    body_began_ = Clock::now();
    beast::iequals(head[http::field::expect], "100-continue") ? go_on() : read_body();
  }

  void go_on() {
    const auto go = std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
    http::async_write(stream_, *go, bound([go](SessionOver& self, const BeastError& error) {
      if (!error) self.read_body();
    }));
  }

  // By what came, not by what was announced: who sends a byte a second is ended soon, however much there is to be.
  void read_body() {
    lowest().expires_at(body_began_ + time_for(parser_->get().body().size(), for_body, 16 << 10));
    http::async_read_some(stream_, buffer_, *parser_, bound([](SessionOver& self, const BeastError& error) {
      if (error) return self.refuse(wrong_bytes(error));
      const auto size = self.parser_->get().body().size();
      if (size > self.held() && !self.hold_body(size - self.held())) return self.refuse({503, "too many large requests at once"});
      self.parser_->is_done() ? self.answer() : self.read_body();
    }));
  }

  void answer() {
    Request whole = request_;  // without the body it stays here, for the log
    whole.body = std::move(parser_->get().body());
    const bool keep = parser_->get().keep_alive();
    lowest().expires_never();  // the site has limits of its own
    shared_.site.answer(std::move(whole), [self = self(), keep](Response response) {
      response.close = response.close || !keep;
      asio::post(self->stream_.get_executor(), [self, response = std::move(response)]() mutable { self->write(std::move(response)); });
    });
  }

  void refuse(const std::pair<int, std::string>& wrong) {
    if (wrong.first == 0) return;
    if (request_.client.empty()) {
      request_.client = client_;
      request_.began = Clock::now();
    }
    // What was wrong may have been where this request ends: nothing behind it is taken for another.
    auto response = shared_.site.refusal(wrong.first, wrong.second);
    response.close = true;
    write(std::move(response));
  }

  // Before all of the request was read: what follows would be taken for a request.
  void write_last(Response response) {
    response.close = response.close || !parser_->is_done() || !parser_->keep_alive();
    write(std::move(response));
  }

  void write(Response response) {
    response_ = std::move(response);
    const bool none = response_.status == 304 || response_.status == 204;
    const std::size_t size = response_.body && !none ? response_.body->size() : 0;
    reply_.emplace(static_cast<http::status>(response_.status), 11);
    for (const auto& [name, value] : response_.headers) reply_->insert(name, value);
    if (!none) {
      reply_->set(http::field::content_type, response_.content_type);
      reply_->content_length(size);
    }
    reply_->keep_alive(!response_.close && !shared_.ending);
    if (size > 0 && request_.method != "HEAD") reply_->body() = beast::span<const char>(response_.body->data(), size);
    serializer_.emplace(*reply_);
    serializer_->split(false);
    lowest().expires_after(time_for(size, for_answer, 64 << 10));
    http::async_write(stream_, *serializer_, bound([](SessionOver& self, const BeastError& error) { self.written(error); }));
  }

  void written(const BeastError& error) {
    shared_.site.answered(request_, response_);
    const bool go_on = !error && reply_->keep_alive() && !response_.close;
    serializer_.reset();
    reply_.reset();
    response_ = {};
    release_body();
    if (error) return;
    go_on ? read_head() : close();
  }

  // The other side is told first, and what it still sends is read for a moment: a connection that is closed with bytes
  // unread is reset, and the answer lost.
  void close() {
    lowest().expires_after(for_ending_well);
    if constexpr (secure)
      stream_.async_shutdown(bound([](SessionOver& self, const BeastError&) { self.end(); }));
    else
      end();
  }

  void end() {
    BeastError ignored;
    lowest().socket().shutdown(Tcp::socket::shutdown_send, ignored);
    lowest().expires_after(for_ending_well);
    drain();
  }

  void drain() {
    buffer_.clear();
    lowest().async_read_some(buffer_.prepare(64 << 10), [self = self()](const BeastError& error, std::size_t read) {
      self->drained_ += read;
      if (!error && self->drained_ < (16U << 20)) self->drain();
    });
  }

  std::string client_;
  Stream stream_;
  beast::flat_buffer buffer_{longest_head + (128 << 10)};
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  Clock::time_point body_began_;
  Response response_;
  std::optional<http::response<http::span_body<const char>>> reply_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
  std::uint64_t drained_ = 0;
};

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
