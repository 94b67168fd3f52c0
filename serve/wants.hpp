// What a request wants beside its target, and what it says of where it comes from: its headers, understood.
#pragma once

#include <string>
#include <string_view>

#include "serve/asker.hpp"
#include "serve/http/message.hpp"

namespace stackx::serve {

Form form_of(const Request& request);  // Accept, Stackx-Columns
// What an answer is kept by. The same question in other words is another: parameters are not reordered, since some come several times.
std::string key_of(const Request& request, const Form& form);
bool says_no_cache(const Request& request);
// If-None-Match holds a list of tags, or "*"; weak ones compare as strong ones do (RFC 9110, 13.1.2).
bool has_tag(std::string_view list, std::string_view tag);
bool is_coding(std::string_view coding);  // a Content-Encoding that documents may have

// Of Host: "127.0.0.1:8421" -> "127.0.0.1", "[::1]:8421" -> "[::1]"; in lower case.
std::string name_in(std::string_view host);
bool is_foreign(const Request& request);  // a page of another site sent it
// Who reads HTML and asks no question of the API is refused in HTML.
bool is_of_browser(const Request& request);

}  // namespace stackx::serve
