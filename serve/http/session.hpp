// A connection: heads, bodies, answers, one after the other, each with its time. See server.hpp for what is promised.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <list>

#include "serve/http/head.hpp"
#include "serve/http/server.hpp"

namespace stackx::serve::network {

using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

inline constexpr std::chrono::seconds for_handshake{10}, for_body{20}, for_answer{30}, for_ending_well{2};

inline std::chrono::seconds time_for(std::uint64_t bytes, std::chrono::seconds least, std::uint64_t bytes_a_second) {
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

}  // namespace stackx::serve::network
