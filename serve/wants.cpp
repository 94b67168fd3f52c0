#include "serve/wants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace stackx::serve {

Form form_of(const Request& request) {
  Form form;
  const auto wants = [&](std::string_view type) { return request.accept.find(type) != std::string::npos; };
  if (wants("text/markdown"))
    form.kind = Form::Kind::markdown;
  else if (wants("text/plain") && !wants("application/json"))
    form.kind = Form::Kind::text;
  std::size_t columns = 0;
  const auto& said = request.columns;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
  if (error == std::errc{} && end == said.data() + said.size()) form.columns = std::clamp<std::size_t>(columns, 60, 160);
  return form;
}

std::string key_of(const Request& request, const Form& form) {
  return fmt::format("{} {} {}", static_cast<int>(form.kind), form.kind == Form::Kind::text ? form.columns : 0, to_text(request.target));
}

bool has_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    auto one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

bool says_no_cache(const Request& request) { return request.cache_control.find("no-cache") != std::string::npos; }

std::string name_in(std::string_view host) {
  const auto colon = host.rfind(':');
  if (colon != host.npos && host.find(']', colon) == host.npos) host = host.substr(0, colon);
  std::string name(host);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool is_foreign(const Request& request) {
  if (request.origin.empty()) return false;
  const auto slashes = request.origin.find("://");
  return slashes == std::string::npos || request.origin.substr(slashes + 3) != request.host;
}

bool is_coding(std::string_view coding) {
  return coding.empty() || coding == "identity" || coding == "zstd" || coding == "gzip" || coding == "xz";
}

bool is_of_browser(const Request& request) {
  const auto& path = request.target.path;
  return request.accept.find("text/html") != std::string::npos && (path.empty() || path[0] != "v1");
}

}  // namespace stackx::serve
