#include "pypi/registry_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::pypi {
namespace {

constexpr int most_pages = 100;

// As the distribution spec has them; a registry's other words are none.
bool is_tag(const std::string& text) {
  constexpr std::size_t longest = 128;
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !text.empty() && text.size() <= longest && text[0] != '.' && text[0] != '-' &&
         text.find_first_not_of(letters) == text.npos;
}

std::string parameter(const std::string& challenge, const std::string& name) {
  std::smatch found;
  return std::regex_search(challenge, found, std::regex(name + "=\"([^\"]*)\"")) ? found[1].str() : "";
}

// A token for what the challenge names; "" where none is given.
std::string token_for(const std::string& challenge, const std::string& repository, Transport& transport) {
  const auto realm = parameter(challenge, "realm");
  if (realm.empty()) return "";
  auto scope = parameter(challenge, "scope");
  if (scope.empty()) scope = fmt::format("repository:{}:pull", repository);
  const auto service = parameter(challenge, "service");
  const auto url = fmt::format("{}{}scope={}{}", realm, realm.find('?') == realm.npos ? "?" : "&", scope,
                               service.empty() ? "" : "&service=" + service);
  const auto response = transport.get_one({.url = url});
  if (response.status != 200) return "";
  const auto document = specs::Node::parse_text(response.body, shown_url(url));
  for (const char* key : {"token", "access_token"})
    if (const auto token = document.find(key)) return token->text();
  return "";
}

}  // namespace

std::vector<std::string> registry_tags(const std::string& base, const std::string& repository, Transport& transport) {
  std::string url = fmt::format("{}/v2/{}/tags/list?n=1000", base, repository), token;
  std::vector<std::string> tags;
  for (int page = 0; page < most_pages && !url.empty(); ++page) {
    auto response = transport.get_one({.url = url, .bearer = token});
    if (response.status == 401 && token.empty()) {
      token = token_for(response.authenticate, repository, transport);
      if (!token.empty()) response = transport.get_one({.url = url, .bearer = token});
    }
    if (response.status != 200)
      throw broken_environment(
          fmt::format("{}: the registry answered HTTP {}; try later", shown_url(url), response.status));
    const auto listed = specs::Node::parse_text(response.body, shown_url(url)).at("tags").texts();
    std::ranges::copy_if(listed, std::back_inserter(tags), is_tag);
    const bool full = listed.size() >= 1000 && is_tag(listed.back());
    url = full ? fmt::format("{}/v2/{}/tags/list?n=1000&last={}", base, repository, listed.back()) : "";
  }
  std::ranges::sort(tags);
  const auto same = std::ranges::unique(tags);
  tags.erase(same.begin(), same.end());
  return tags;
}

}  // namespace stackx::pypi
