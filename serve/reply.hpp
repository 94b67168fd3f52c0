// What the server answers by itself: errors, what became of documents, and the headers that every answer has.
//
// An error is {"error": words, "exit_code": what the command line would end with}; to a browser a page with the same words.
#pragma once

#include <memory>
#include <string>

#include "serve/documents/intake.hpp"
#include "serve/http/message.hpp"

namespace stackx::serve {

std::shared_ptr<const std::string> shared_text(std::string text);
Response failure(int status, const std::string& why, int exit_code = 2);
Response come_again(int status, const std::string& why, int seconds);  // Retry-After
Response response_to(const Brought& brought);

void refuse_in_html(Response& response);  // where it is an error that is no page yet
void add_security_headers(Response& response, bool tls);

}  // namespace stackx::serve
