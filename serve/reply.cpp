#include "serve/reply.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/pages/pages.hpp"
#include "specs/format/masked.hpp"

namespace stackx::serve {
namespace {

constexpr std::string_view no_scripts = "default-src 'none'; frame-ancestors 'none'";
constexpr std::string_view page_policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

bool is_html(const Response& response) { return response.content_type.starts_with("text/html"); }

nlohmann::json to_json(const Brought& brought) {
  auto reasons = nlohmann::json::array();
  for (const auto& one : brought.reasons)
    reasons.push_back({{"line", one.line == 0 ? nlohmann::json() : nlohmann::json(one.line)}, {"why", one.why}});
  return {{"$schema", "stackx/intake/1"}, {"inserted", brought.inserted}, {"already_there", brought.already_there},
          {"refused", brought.refused}, {"reasons", std::move(reasons)}};
}

}  // namespace

std::shared_ptr<const std::string> shared_text(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

Response failure(int status, const std::string& why, int exit_code) {
  Response response{status};
  response.body = shared_text(nlohmann::json{{"error", specs::without_passwords(why)}, {"exit_code", exit_code}}.dump(
                           -1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return response;
}

Response come_again(int status, const std::string& why, int seconds) {
  auto response = failure(status, why, 3);
  response.headers.emplace_back("Retry-After", std::to_string(seconds));
  return response;
}

Response response_to(const Brought& brought) {
  if (brought.unreadable) return failure(400, brought.failed);
  if (!brought.failed.empty()) return come_again(503, brought.failed, 5);
  Response response{brought.refused > 0 ? 422 : brought.inserted > 0 ? 201 : 200};
  auto document = to_json(brought);
  if (brought.refused > 0) {
    document["error"] = brought.reasons.empty() ? "refused" : brought.reasons.front().why;
    document["exit_code"] = 2;
  }
  response.body = shared_text(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return response;
}

void refuse_in_html(Response& response) {
  if (response.status < 400 || is_html(response) || !response.body) return;
  const auto document = nlohmann::json::parse(*response.body, nullptr, false);
  if (!document.is_object() || !document.contains("error")) return;
  response.body = shared_text(Pages::refusal(response.status, document["error"].get<std::string>()));
  response.content_type = "text/html; charset=utf-8";
}

void add_security_headers(Response& response, bool tls) {
  auto& headers = response.headers;
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("X-Frame-Options", "DENY");
  headers.emplace_back("Referrer-Policy", "no-referrer");
  headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  if (std::ranges::find(headers, "Content-Security-Policy", &std::pair<std::string, std::string>::first) == headers.end())
    headers.emplace_back("Content-Security-Policy", is_html(response) ? page_policy : no_scripts);
  if (tls) headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
}

}  // namespace stackx::serve
