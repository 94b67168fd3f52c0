#include "pypi/transfer/url.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <string_view>

#include "specs/error.hpp"
#include "specs/format/masked.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace {

struct Url {
  CURLU* handle = curl_url();
  Url() = default;
  Url(const Url&) = delete;
  Url& operator=(const Url&) = delete;
  ~Url() { curl_url_cleanup(handle); }
  bool set(CURLUPart part, const char* text, unsigned flags = 0) {
    return curl_url_set(handle, part, text, flags) == CURLUE_OK;
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

}  // namespace

std::string resolve_url(const std::string& base, const std::string& reference) {
  const unsigned schemes = base.starts_with("file:") ? CURLU_NON_SUPPORT_SCHEME : 0;  // curl may be built without it
  Url url;
  if (!url.set(CURLUPART_URL, base.c_str(), schemes) || !url.set(CURLUPART_URL, reference.c_str(), schemes))
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

std::string percent_decoded(std::string_view text) {
  int size = 0;
  char* const decoded = curl_easy_unescape(nullptr, text.data(), static_cast<int>(text.size()), &size);
  if (decoded == nullptr || text.empty()) return std::string(text);
  std::string copy(decoded, static_cast<std::size_t>(size));
  curl_free(decoded);
  return copy;
}

std::string file_name_in(const std::string& url) {
  const auto path = std::string_view(url).substr(0, url.find_first_of("?#"));
  return percent_decoded(path.substr(path.rfind('/') + 1));
}

std::string origin_of(const std::string& text) {
  Url url;
  if (!url.set(CURLUPART_URL, text.c_str())) return "";
  return fmt::format("{}://{}:{}", url.part(CURLUPART_SCHEME), url.part(CURLUPART_HOST), url.part(CURLUPART_PORT));
}

std::string server_of(const std::string& text) {
  Url url;
  if (!url.set(CURLUPART_URL, text.c_str())) return "the server";
  const auto port = url.part(CURLUPART_PORT);
  return url.part(CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
}

}  // namespace stackx::pypi
