#include "analysis/text/markdown.hpp"

#include <fmt/format.h>

#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

// All but RFC 3986's characters, and of these the ones that would end the link: %28. '&' would begin an entity.
std::string link_destination(std::string_view url) {
  constexpr std::string_view kept = "-._~:/?#[]@!$'*+,;=%";
  std::string result;
  for (const char c : url) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '&')
      result += "&amp;";
    else if (alphanumeric || kept.find(c) != kept.npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace

std::string escape_markdown(std::string_view text) {
  std::string result;
  for (const char c : specs::printable(text)) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (std::string_view("\\`*_[]|#~>").find(c) != std::string_view::npos)
      (result += '\\') += c;
    else
      result += c;
  }
  return result;
}

std::string markdown_sentence(std::string_view text) {
  std::string result;
  for (;;) {
    const auto begin = text.find('`');
    const auto end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) return result + escape_markdown(text);
    result += escape_markdown(text.substr(0, begin));
    if (end == begin + 1)
      result += "\\`\\`";
    else
      result += specs::printable(text.substr(begin, end + 1 - begin));
    text.remove_prefix(end + 1);
  }
}

std::string markdown_link(std::string_view title, std::string_view url) {
  if (!url.starts_with("https://") && !url.starts_with("http://"))
    return escape_markdown(title.empty() ? url : title);
  return fmt::format("[{}](<{}>)", escape_markdown(title.empty() ? "source" : title), link_destination(url));
}

}  // namespace stackx::analysis
