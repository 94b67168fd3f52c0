#include "workspace/remote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "pypi/transfer/http.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"

namespace stackx::workspace {
namespace {

constexpr std::uint64_t largest_answer = 256ULL << 20;
constexpr std::chrono::seconds first_pause{1}, longest_pause{15}, until_there{3};

// What a server of stackx says is wrong, and what the command line would end with; nothing from others.
std::optional<std::pair<std::string, int>> error_in(const pypi::Response& response) {
  const auto document = nlohmann::json::parse(response.body, nullptr, false);
  if (!document.is_object() || !document.contains("error") || !document["error"].is_string()) return std::nullopt;
  const auto code = document.value("exit_code", nlohmann::json());
  return std::pair(document["error"].get<std::string>(), code.is_number_integer() ? code.get<int>() : 3);
}

std::string why_not(const std::string& url, const pypi::Response& response) {
  if (response.unreachable) return fmt::format("{}: {}; does a server run there, and can it be reached from here?", url, response.failure);
  if (response.status == 0) return response.message;
  const auto error = error_in(response);
  return fmt::format("{}: {}", url, error ? error->first : fmt::format("HTTP {}", response.status));
}

[[noreturn]] void throw_error(const std::string& url, const pypi::Response& response) {
  if (response.status == 0) throw broken_environment(why_not(url, response));
  const auto error = error_in(response);
  if (!error) throw broken_environment(fmt::format("{}: HTTP {}, which is no answer of `stackx serve`", url, response.status));
  const auto words = fmt::format("{}: {}", url, error->first);
  throw error->second == 2 ? bad_input(words) : broken_environment(words);
}

bool may_pass(const pypi::Response& response) { return response.unreachable || response.status == 429 || response.status >= 500; }

std::uint64_t number_in(const nlohmann::json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// "http://host:8421" -> "http://host:8421/v1/documents"; a URL with a path stays.
std::string documents_url(const std::string& url) {
  const auto host = url.find("://");
  const auto slash = host == url.npos ? url.npos : url.find('/', host + 3);
  const bool bare = slash == url.npos || url.find_first_not_of('/', slash) == url.npos;
  return bare ? url.substr(0, slash) + "/v1/documents" : url;
}

Remote::Taken taken_in(const std::string& url, const pypi::Response& response) {
  const auto document = nlohmann::json::parse(response.body, nullptr, false);
  if (!document.is_object() || document.value("$schema", "") != "stackx/intake/1") throw_error(url, response);
  Remote::Taken taken{number_in(document, "inserted"), number_in(document, "already_there"), number_in(document, "refused"), {}};
  for (const auto& one : document.value("reasons", nlohmann::json::array()))
    if (one.is_object()) taken.reasons.push_back(one.value("why", ""));
  return taken;
}

}  // namespace

Remote::Remote(const std::string& url, const std::string& option, std::chrono::seconds silence) : base_(url), url_(pypi::shown_url(url)) {
  pypi::check_web_url(url, option);
  while (base_.ends_with('/')) base_.pop_back();
  if (const char* token = std::getenv("STACKX_TOKEN")) token_ = token;
  pypi::HttpSettings settings;
  settings.has_offline = false;
  settings.timeout = silence;
  settings.retries = 1;
  settings.asks_again = true;  // send() has a patience of its own
  if (const char* file = std::getenv("SSL_CERT_FILE")) settings.ca_file = file;
  transport_ = pypi::make_curl(settings);
}

Remote::~Remote() = default;

Remote::Answered Remote::ask(const std::string& target, const std::string& accept, std::size_t columns) {
  pypi::Request request;
  request.url = base_ + target;
  request.accept = accept;
  request.bearer = token_;
  request.limit = largest_answer;
  request.headers = {fmt::format("Stackx-Columns: {}", columns)};
  auto response = transport_->try_one(request);
  if (response.status != 200) throw_error(url_, response);
  if (response.exit.empty()) throw broken_environment(fmt::format("{}: what came is no answer of `stackx serve`; check the URL", url_));
  return {std::move(response.body), response.exit == "0" ? 0 : 1};
}

Remote::Taken Remote::send(const std::string& documents, const std::string& encoding, std::chrono::seconds patience,
                           const std::function<void(const std::string& why)>& waiting) {
  pypi::Request request;
  request.url = documents_url(base_);
  request.bearer = token_;
  request.post = documents;
  request.headers = {"Content-Type: application/jsonl"};
  if (!encoding.empty()) request.headers.push_back("Content-Encoding: " + encoding);
  const auto begun = std::chrono::steady_clock::now();
  bool said = false;
  for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    const auto response = transport_->try_one(request);
    was_there_ = was_there_ || !response.nobody_there;
    const auto until = begun + (was_there_ ? patience : std::min(patience, until_there));
    const bool again = may_pass(response) && std::chrono::steady_clock::now() + pause < until;
    if (response.status == 200 || response.status == 201 || response.status == 422) return taken_in(url_, response);
    if (!again) throw_error(url_, response);
    if (was_there_ && waiting && !std::exchange(said, true)) waiting(why_not(url_, response));
    std::this_thread::sleep_for(pause);
  }
}

std::optional<std::string> Remote::deliver(const std::string& document) {
  pypi::Request request;
  request.url = documents_url(base_);
  request.bearer = token_;
  request.post = document;
  const auto response = transport_->try_one(request);
  if (response.status >= 200 && response.status < 300) return std::nullopt;
  return why_not(url_, response);
}

}  // namespace stackx::workspace
