// URLs, as an index and its pages write them; libcurl takes them apart, which will ask for them.
#pragma once

#include <string>
#include <string_view>

namespace stackx::pypi {

// `reference` as a link on the page at `base`; "" if that is no URL.
std::string resolve_url(const std::string& base, const std::string& reference);

bool is_web_url(const std::string& url);  // begins with http:// or https://

// Throws Error(bad_input) for what is none, and does not repeat it: it may hold a password. `what`: "--index-url".
void check_web_url(const std::string& url, const std::string& what);

// Without user name, password and tokens: for messages, and for what is kept.
std::string shown_url(const std::string& url);

// `url` with the user name and password of `other`, if it has none and is on the same host: a page that was kept.
std::string with_login_of(const std::string& url, const std::string& other);

std::string percent_decoded(std::string_view text);
std::string file_name_in(const std::string& url);  // "a+b.whl" of ".../a%2Bb.whl#sha256=..."

std::string origin_of(const std::string& url);  // "https://h:8080": whom a request is sent to; "" of no URL
std::string server_of(const std::string& url);  // "h:8080": the same for people

}  // namespace stackx::pypi
