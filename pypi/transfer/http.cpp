#include "pypi/transfer/http.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string_view>

#include "pypi/transfer/certificates.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/masked.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kConcurrent = 4;
constexpr std::chrono::milliseconds kFirstPause{500};
constexpr std::chrono::seconds kToConnect{10}, kOfOneRequest{60}, kUntilAskedAgain{60}, kUntilSaid{2};
constexpr curl_off_t kDecentRate = 8 << 10;  // bytes a second

// One request before its next attempt.
struct Attempt {
  std::size_t index = 0;
  int number = 1;
  Clock::time_point start{};  // not before this
  Clock::time_point begun{};  // the first one
  curl_off_t received = 0;    // bytes of those before
};

// One on its way.
struct Transfer {
  Attempt attempt;
  Response response;
  std::uint64_t limit = 0;
  curl_slist* headers = nullptr;
  char error[CURL_ERROR_SIZE] = "";
};

std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.response.body.size() + size > transfer.limit) {
    transfer.response.too_large = true;
    return 0;  // ends the transfer
  }
  transfer.response.body.append(data, size);
  return size;
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
  auto& response = static_cast<Transfer*>(user)->response;
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {  // a redirect's headers are not the answer's
    response.etag = response.last_modified = response.content_type = response.authenticate = response.exit = "";
    return size;
  }
  const auto colon = line.find(':');
  if (colon == line.npos) return size;
  const std::string name = specs::lowered(line.substr(0, colon));
  const std::string value(specs::trim(line.substr(colon + 1)).text);
  if (name == "etag") response.etag = value;
  if (name == "last-modified") response.last_modified = value;
  if (name == "content-type") response.content_type = value;
  if (name == "stackx-exit") response.exit = value;
  if (name == "www-authenticate") response.authenticate = value;
  if (const auto slash = value.find('/'); name == "content-range" && slash != value.npos)
    std::from_chars(value.data() + slash + 1, value.data() + value.size(), response.total);
  return size;
}

bool may_pass(long status) { return status == 429 || status >= 500; }

// Nobody is there, or nobody who answers in time.
bool is_down(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT;
}

// Head and body, as sent.
curl_off_t received_by(CURL* easy) {
  curl_off_t body = 0;
  long head = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &body);
  curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &head);
  return body + head;
}

bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

// The file of certificates to name to curl; "" where it knows one itself.
std::string certificates_to_name(const std::string& asked) {
  if (!asked.empty()) return asked;
  const auto* const curl = curl_version_info(CURLVERSION_NOW);
  return curl->age >= CURLVERSION_SEVENTH && (curl->cainfo || curl->capath) ? "" : system_certificates();
}

class Curl : public Transport {
 public:
  explicit Curl(const HttpSettings& settings)
      : settings_(settings),
        most_(std::max(kOfOneRequest, settings.timeout)),
        certificates_(certificates_to_name(settings.ca_file)),
        multi_(curl_multi_init()) {
    if (!multi_) throw broken_environment("libcurl cannot be started: out of memory?");
    curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(kConcurrent));
  }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;
  ~Curl() override {
    abandon();
    curl_multi_cleanup(multi_);
  }

  void get(const std::vector<Request>& requests,
           const std::function<void(std::size_t, Response)>& done) override {
    abandon();  // what an exception may have left
    std::erase_if(down_, [](const auto& one) { return one.second.until < Clock::now(); });
    for (std::size_t i = 0; i < requests.size(); ++i) waiting_.push_back({.index = i});
    while (!waiting_.empty() || !active_.empty()) {
      start_some(requests, done);
      int running = 0;
      curl_multi_perform(multi_, &running);
      int left = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_, &left))
        if (message->msg == CURLMSG_DONE)
          finish(message->easy_handle, message->data.result, requests, done);
      end_slow_ones(requests, done);
      say_what_is_waited_for(requests);
      curl_multi_poll(multi_, nullptr, 0, most_idle(), nullptr);
    }
  }

 private:
  struct Down {
    CURLcode code;
    Clock::time_point until;
  };

  void start_some(const std::vector<Request>& requests, const std::function<void(std::size_t, Response)>& done) {
    for (auto next = waiting_.begin(); next != waiting_.end() && active_.size() < kConcurrent;) {
      if (next->start > Clock::now()) {
        ++next;
        continue;
      }
      auto attempt = *next;
      next = waiting_.erase(next);
      const auto& url = requests[attempt.index].url;
      if (const auto down = down_.find(origin_of(url)); down != down_.end()) {
        done(attempt.index, unanswered(url, down->second.code, ""));
        continue;
      }
      if (attempt.number == 1) attempt.begun = Clock::now();
      start(attempt, requests[attempt.index]);
    }
  }

  // Milliseconds until something may have to be done though nothing comes.
  int most_idle() const {
    constexpr int most = 100;
    if (!active_.empty() || waiting_.empty()) return active_.empty() ? 0 : most;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting_.front().start - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, most));
  }

  // Does it come at a rate that is worth waiting for?
  static bool is_decent(curl_off_t received, Clock::duration elapsed) {
    return received > kDecentRate * std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  }

  void end_slow_ones(const std::vector<Request>& requests, const std::function<void(std::size_t, Response)>& done) {
    std::vector<CURL*> slow;
    for (const auto& [easy, transfer] : active_) {
      const auto elapsed = Clock::now() - transfer->attempt.begun;
      if (elapsed > most_ && !is_decent(transfer->attempt.received + received_by(easy), elapsed)) slow.push_back(easy);
    }
    for (auto* easy : slow) finish(easy, CURLE_OPERATION_TIMEDOUT, requests, done);
  }

  // Of the one that takes longest, each second.
  void say_what_is_waited_for(const std::vector<Request>& requests) {
    if (!settings_.waiting || Clock::now() < say_again_) return;
    const Attempt* longest = nullptr;
    const auto look = [&](const Attempt& attempt, curl_off_t received) {
      const auto elapsed = Clock::now() - attempt.begun;
      if (elapsed < kUntilSaid || is_decent(received, elapsed)) return;
      if (!longest || attempt.begun < longest->begun) longest = &attempt;
    };
    for (const auto& [easy, transfer] : active_) look(transfer->attempt, transfer->attempt.received + received_by(easy));
    for (const auto& attempt : waiting_)
      if (attempt.number > 1) look(attempt, attempt.received);
    if (!longest) return;
    say_again_ = Clock::now() + std::chrono::seconds(1);
    settings_.waiting(server_of(requests[longest->index].url),
                      std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - longest->begun));
  }

  void start(const Attempt& attempt, const Request& request) {
    CURL* easy = curl_easy_init();
    if (!easy) throw broken_environment("libcurl cannot begin a request: out of memory?");
    auto& transfer = *(active_[easy] = std::make_unique<Transfer>());
    transfer.attempt = attempt;
    transfer.limit = request.limit;
    const auto header = [&](const char* name, const std::string& value) {
      if (!value.empty())
        transfer.headers = curl_slist_append(transfer.headers, (name + value).c_str());
    };
    header("Accept: ", request.accept);
    header("If-None-Match: ", request.etag);
    if (request.etag.empty()) header("If-Modified-Since: ", request.last_modified);
    for (const auto& one : request.headers) header("", one);
    if (!request.post.empty()) {  // which outlives the transfer
      const auto is_type = [](const std::string& one) { return one.starts_with("Content-Type:"); };
      if (std::ranges::none_of(request.headers, is_type)) header("Content-Type: ", "application/json");
      header("Expect:", " ");  // no second round trip for permission to send
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.post.size()));
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.post.c_str());
    }
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    if (!request.bearer.empty()) {
      curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
      curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, request.bearer.c_str());
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "stackx");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, static_cast<long>(kToConnect.count()));
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 64L);  // bytes a second: dripping is no progress
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(settings_.timeout.count()));
    if (!certificates_.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, certificates_.c_str());
    if (settings_.most_milliseconds > 0) bound(easy);
    if (request.range.empty())  // a range is one of the bytes as stored, not as encoded
      curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    else
      curl_easy_setopt(easy, CURLOPT_RANGE, request.range.c_str());
    curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.limit));
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error);
    curl_multi_add_handle(multi_, easy);
  }

  void bound(CURL* easy) const {
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, settings_.most_milliseconds);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, settings_.most_milliseconds);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // else the look-up of a name that nobody answers is waited for
#endif
  }

  void finish(CURL* easy, CURLcode code, const std::vector<Request>& requests,
              const std::function<void(std::size_t, Response)>& done) {
    const auto transfer = std::move(active_.at(easy));
    auto& response = transfer->response;
    const char* url = nullptr;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &response.status);
    curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
    response.url = url ? url : requests[transfer->attempt.index].url;
    curl_off_t wait_seconds = 0;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait_seconds);
    auto& attempt = transfer->attempt;
    attempt.received += received_by(easy);
    active_.erase(easy);
    curl_multi_remove_handle(multi_, easy);
    release(easy, *transfer);
    if (code == CURLE_FILESIZE_EXCEEDED) response.too_large = true;
    if (response.too_large) code = CURLE_OK;

    if (const auto pause = pause_before_next(attempt, code, response.status, wait_seconds)) {
      attempt.start = Clock::now() + *pause;
      ++attempt.number;
      waiting_.push_front(attempt);
      return;
    }
    if (code == CURLE_OK) return done(attempt.index, std::move(response));
    if (is_down(code) && !settings_.asks_again) down_.insert_or_assign(origin_of(response.url), Down{code, Clock::now() + kUntilAskedAgain});
    done(attempt.index, unanswered(requests[attempt.index].url, code,
                                   code == CURLE_OPERATION_TIMEDOUT ? waited(attempt) : std::string(transfer->error)));
  }

  // None: this was the last attempt.
  std::optional<Clock::duration> pause_before_next(const Attempt& last, CURLcode code, long status,
                                                   curl_off_t asked_for) const {
    const bool again = code == CURLE_OK ? may_pass(status) : may_pass(code);
    if (!again || last.number > settings_.retries || settings_.most_milliseconds > 0) return std::nullopt;
    constexpr int most_doublings = 5;
    const Clock::duration pause =
        std::max<std::chrono::milliseconds>(kFirstPause * (1 << std::min(last.number - 1, most_doublings)),
                                            std::chrono::seconds(std::clamp<curl_off_t>(asked_for, 0, 30)));
    if (Clock::now() + pause > last.begun + most_) return std::nullopt;
    return pause;
  }

  static std::string waited(const Attempt& last) {
    const auto seconds = std::chrono::round<std::chrono::seconds>(Clock::now() - last.begun).count();
    const auto tries = last.number == 1 ? "" : fmt::format(", {} times asked", last.number);
    if (last.received == 0) return fmt::format("no answer in {} s{}", seconds, tries);
    return fmt::format("only {} bytes in {} s{}", last.received, seconds, tries);
  }

  Response unanswered(const std::string& url, CURLcode code, std::string_view detail) const {
    Response response;
    response.url = url;
    response.failure = curl_easy_strerror(code);
    response.message = fmt::format("{}: {}{}", shown_url(url),
                                   specs::without_passwords(detail.empty() ? response.failure : std::string(detail)),
                                   advice(code));
    response.unreachable = may_pass(code);
    response.nobody_there = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT;
    return response;
  }

  const char* advice(CURLcode code) const {
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
      return "; name the file of trusted certificates in PIP_CERT or SSL_CERT_FILE";
    if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
      return "; expected an http or https URL: see --index-url and `pip config list`";
    if (code == CURLE_OPERATION_TIMEDOUT)
      return "; is it the right server, and is a proxy needed ($https_proxy)? PIP_TIMEOUT=SECONDS has it waited for longer";
    if (!settings_.has_offline) return "; is the network there? What was read so far is cached: run it again";
    return "; is the network there? What was read so far is cached: run it again, or with --offline";
  }

  static void release(CURL* easy, Transfer& transfer) {
    curl_slist_free_all(transfer.headers);
    curl_easy_cleanup(easy);
  }

  void abandon() {
    waiting_.clear();
    for (auto& [easy, transfer] : active_) {
      curl_multi_remove_handle(multi_, easy);
      release(easy, *transfer);
    }
    active_.clear();
  }

  HttpSettings settings_;
  std::chrono::seconds most_;  // of one request, all its attempts together
  std::string certificates_;   // PEM
  CURLM* multi_;
  std::deque<Attempt> waiting_;
  Clock::time_point say_again_{};
  std::map<CURL*, std::unique_ptr<Transfer>> active_;
  std::map<std::string, Down> down_;  // by origin: a page of a thousand links to a dead server takes no hour
};

}  // namespace

Response Transport::try_one(const Request& request) {
  Response result;
  get({request}, [&](std::size_t, Response response) { result = std::move(response); });
  return result;
}

Response Transport::get_one(const Request& request) {
  auto result = try_one(request);
  if (!result.failure.empty()) throw broken_environment(result.message);
  return result;
}

std::unique_ptr<Transport> make_curl(const HttpSettings& settings) {
  return std::make_unique<Curl>(settings);
}

}  // namespace stackx::pypi
