// The page of `stackx report`, as it is. It brings its scripts along: they are allowed by their digests, and no others.
#include <fmt/format.h>
#include <openssl/evp.h>

#include "serve/pages/cells.hpp"
#include "serve/pages/subjects.hpp"

namespace stackx::serve::pages {
namespace {

constexpr std::string_view opening = "<script>", closing = "</script>";

std::string base64_sha256(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
  std::string coded(4 * ((size + 2) / 3) + 1, '\0');
  coded.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()), digest, static_cast<int>(size))));
  return coded;
}

// Of the scripts behind the data alone: what documents say ends there, so that a script that came with them would not run.
std::string digests(std::string_view html) {
  std::string list;
  const auto data = html.rfind("id=\"report-data\">");
  for (auto at = html.find(opening, std::min(data, html.size())); at != html.npos; at = html.find(opening, at)) {
    at += opening.size();
    const auto end = html.find(closing, at);
    if (end == html.npos) break;
    list += fmt::format(" 'sha256-{}'", base64_sha256(html.substr(at, end - at)));
    at = end;
  }
  return list;
}

}  // namespace

Answer report(const Asked& asked, const Target& target) {
  Target question{{"v1", "report"}, handed_on(target)};
  question.parameters.emplace_back("format", "html");
  auto answer = asked.raw(question, Form::Kind::text);
  if (answer.status != 200) {
    const auto document = nlohmann::json::parse(answer.body, nullptr, false);
    throw Refusal{answer.status, text_of(document, "error")};
  }
  if (!answer.body.starts_with("<!DOCTYPE html>")) throw Refusal{404, answer.body};  // nothing was measured
  answer.content_type = "text/html; charset=utf-8";
  const auto scripts = digests(answer.body);
  answer.policy = fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src{}; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
                              scripts.empty() ? " 'none'" : scripts);
  return answer;
}

}  // namespace stackx::serve::pages
