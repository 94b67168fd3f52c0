#include "pypi/http.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <map>
#include <string_view>
#include <thread>

#include "pypi/certificates.hpp"
#include "specs/error.hpp"
#include "specs/format/masked.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kConcurrent = 4;
constexpr int kAttempts = 4;
constexpr std::chrono::milliseconds kFirstPause{500};

// One request on its way.
struct Transfer {
  std::size_t index = 0;
  int attempt = 1;
  Clock::time_point start{};  // not before this
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
    response.etag = response.last_modified = response.content_type = response.authenticate = "";
    return size;
  }
  const auto colon = line.find(':');
  if (colon == line.npos) return size;
  const std::string name = specs::lowered(line.substr(0, colon));
  const std::string value(specs::trim(line.substr(colon + 1)).text);
  if (name == "etag") response.etag = value;
  if (name == "last-modified") response.last_modified = value;
  if (name == "content-type") response.content_type = value;
  if (name == "www-authenticate") response.authenticate = value;
  if (const auto slash = value.find('/'); name == "content-range" && slash != value.npos)
    std::from_chars(value.data() + slash + 1, value.data() + value.size(), response.total);
  return size;
}

bool may_pass(long status) { return status == 429 || status >= 500; }

// Nobody is there; one that answers slowly is.
bool is_down(CURL* easy, CURLcode code) {
  curl_off_t until_sent = 0;
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &until_sent);
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
         (code == CURLE_OPERATION_TIMEDOUT && until_sent == 0);
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

struct Url {
  CURLU* handle = curl_url();
  Url() = default;
  Url(const Url&) = delete;
  Url& operator=(const Url&) = delete;
  ~Url() { curl_url_cleanup(handle); }
  bool set(CURLUPart part, const char* text) {
    return curl_url_set(handle, part, text, 0) == CURLUE_OK;
  }
  std::string part(CURLUPart part) const {  // as it is written; "" if it has none
    char* result = nullptr;
    if (curl_url_get(handle, part, &result, 0) != CURLUE_OK) return "";
    const std::string copy(result);
    curl_free(result);
    return copy;
  }
  std::string text() const { return part(CURLUPART_URL); }
};

// "https://h:8080": whom a request is sent to.
std::string origin_of(const std::string& text) {
  Url url;
  if (!url.set(CURLUPART_URL, text.c_str())) return "";
  return fmt::format("{}://{}:{}", url.part(CURLUPART_SCHEME), url.part(CURLUPART_HOST), url.part(CURLUPART_PORT));
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
      : settings_(settings), certificates_(certificates_to_name(settings.ca_file)), multi_(curl_multi_init()) {
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
    for (std::size_t i = 0; i < requests.size(); ++i) waiting_.push_back({i, 1, {}});
    while (!waiting_.empty() || !active_.empty()) {
      start_some(requests, done);
      int running = 0;
      curl_multi_perform(multi_, &running);
      int left = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_, &left))
        if (message->msg == CURLMSG_DONE)
          finish(message->easy_handle, message->data.result, requests, done);
      if (active_.empty() && !waiting_.empty())
        std::this_thread::sleep_until(waiting_.front().start);
      else if (!active_.empty())
        curl_multi_poll(multi_, nullptr, 0, 100, nullptr);
    }
  }

 private:
  struct Waiting {
    std::size_t index;
    int attempt;
    Clock::time_point start;
  };

  void start_some(const std::vector<Request>& requests, const std::function<void(std::size_t, Response)>& done) {
    for (auto next = waiting_.begin(); next != waiting_.end() && active_.size() < kConcurrent;) {
      if (next->start > Clock::now()) {
        ++next;
        continue;
      }
      const auto waiting = *next;
      next = waiting_.erase(next);
      const auto& url = requests[waiting.index].url;
      if (const auto down = down_.find(origin_of(url)); down != down_.end())
        done(waiting.index, unanswered(url, down->second, ""));
      else
        start(waiting, requests[waiting.index]);
    }
  }

  void start(const Waiting& waiting, const Request& request) {
    CURL* easy = curl_easy_init();
    if (!easy) throw broken_environment("libcurl cannot begin a request: out of memory?");
    auto& transfer = *(active_[easy] = std::make_unique<Transfer>());
    transfer.index = waiting.index;
    transfer.attempt = waiting.attempt;
    transfer.limit = request.limit;
    const auto header = [&](const char* name, const std::string& value) {
      if (!value.empty())
        transfer.headers = curl_slist_append(transfer.headers, (name + value).c_str());
    };
    header("Accept: ", request.accept);
    header("If-None-Match: ", request.etag);
    if (request.etag.empty()) header("If-Modified-Since: ", request.last_modified);
    if (!request.post.empty()) {  // which outlives the transfer
      header("Content-Type: ", "application/json");
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
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, 30L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 64L);  // bytes a second: dripping is no progress
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, settings_.timeout_seconds);
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
    response.url = url ? url : requests[transfer->index].url;
    curl_off_t wait_seconds = 0;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait_seconds);
    const bool down = is_down(easy, code);
    active_.erase(easy);
    curl_multi_remove_handle(multi_, easy);
    release(easy, *transfer);
    if (code == CURLE_FILESIZE_EXCEEDED) response.too_large = true;
    if (response.too_large) code = CURLE_OK;

    const bool again = code == CURLE_OK ? may_pass(response.status) : may_pass(code);
    if (again && transfer->attempt < kAttempts && settings_.most_milliseconds == 0) {
      const auto pause = std::max<std::chrono::milliseconds>(
          kFirstPause * (1 << (transfer->attempt - 1)),
          std::chrono::seconds(std::clamp<curl_off_t>(wait_seconds, 0, 30)));
      waiting_.push_front({transfer->index, transfer->attempt + 1, Clock::now() + pause});
      return;
    }
    if (code == CURLE_OK) return done(transfer->index, std::move(response));
    if (down) down_.emplace(origin_of(response.url), code);
    done(transfer->index, unanswered(requests[transfer->index].url, code, transfer->error));
  }

  Response unanswered(const std::string& url, CURLcode code, std::string_view detail) const {
    Response response;
    response.url = url;
    response.failure = curl_easy_strerror(code);
    response.message = fmt::format("{}: {}{}", shown_url(url),
                                   specs::without_passwords(detail.empty() ? response.failure : std::string(detail)),
                                   advice(code));
    response.unreachable = may_pass(code);
    return response;
  }

  const char* advice(CURLcode code) const {
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
      return "; name the file of trusted certificates in PIP_CERT or SSL_CERT_FILE";
    if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
      return "; expected an http or https URL: see --index-url and `pip config list`";
    if (!settings_.has_offline) return "; is the network there? What was read so far is cached: run it again";
    return "; is the network there? What was read so far is cached: run it again, or with --offline";
  }

  static void release(CURL* easy, Transfer& transfer) {
    curl_slist_free_all(transfer.headers);
    curl_easy_cleanup(easy);
  }

  void abandon() {
    waiting_.clear();
    down_.clear();
    for (auto& [easy, transfer] : active_) {
      curl_multi_remove_handle(multi_, easy);
      release(easy, *transfer);
    }
    active_.clear();
  }

  HttpSettings settings_;
  std::string certificates_;  // PEM
  CURLM* multi_;
  std::deque<Waiting> waiting_;
  std::map<CURL*, std::unique_ptr<Transfer>> active_;
  std::map<std::string, CURLcode> down_;  // by origin: a page of a thousand links to a dead server takes no hour
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

std::string resolve_url(const std::string& base, const std::string& reference) {
  Url url;
  if (!url.set(CURLUPART_URL, base.c_str()) || !url.set(CURLUPART_URL, reference.c_str()))
    return "";
  return url.text();
}

bool is_web_url(const std::string& url) {
  const auto beginning = specs::lowered(std::string_view(url).substr(0, 8));
  return beginning.starts_with("http://") || beginning.starts_with("https://");
}

void check_web_url(const std::string& url, const std::string& what) {
  if (!is_web_url(url))
    throw bad_input(fmt::format("{}: expected a URL that begins with http:// or https://; what stands there is not "
                                "repeated here, since it may hold a password", what));
}

std::string shown_url(const std::string& text) {
  Url url;
  if (!url.set(CURLUPART_URL, text.c_str())) return specs::without_passwords(text);
  url.set(CURLUPART_USER, nullptr);
  url.set(CURLUPART_PASSWORD, nullptr);
  return specs::without_passwords(url.text());
}

std::string with_login_of(const std::string& text, const std::string& other) {
  Url url, login;
  if (!url.set(CURLUPART_URL, text.c_str()) || !login.set(CURLUPART_URL, other.c_str())) return text;
  if (!url.part(CURLUPART_USER).empty()) return text;
  for (const auto part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT})
    if (url.part(part) != login.part(part)) return text;
  for (const auto part : {CURLUPART_USER, CURLUPART_PASSWORD})
    if (const auto value = login.part(part); !value.empty()) url.set(part, value.c_str());
  return url.text();
}

}  // namespace stackx::pypi
