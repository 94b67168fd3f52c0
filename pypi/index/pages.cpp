#include "pypi/index/pages.hpp"

#include <fmt/format.h>

#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"

namespace stackx::pypi {
namespace {

constexpr const char* missing = "missing";  // the type of a page that is not there

bool refuses(long status) { return status == 401 || status == 403 || status == 407; }

// What to do about a status that is no page; passwords are in no URL that is shown.
std::string refusal(const std::string& url, long status) {
  const char* advice = "try later; what was read so far is cached";
  if (status == 401)
    advice = "it wants a login: put user name and password, or a token, into pip's configuration or ~/.netrc";
  if (status == 403)
    advice = "it refuses us, and will again: are login or token right (pip's configuration, ~/.netrc), and may this "
             "machine or its proxy ($https_proxy) ask there?";
  if (status == 407) advice = "the proxy wants a login: https_proxy=http://USER:PASSWORD@HOST:PORT";
  return fmt::format("{}: the index {} HTTP {}; {}", shown_url(url), refuses(status) ? "refuses:" : "answered", status, advice);
}

ReadPage parsed(const Page& page, const AskedPage& asked) {
  if (page.type == missing) return {};
  const auto url = with_login_of(page.url, asked.url);
  return {asked.of_links ? parse_links(page.body, page.type, url) : parse_listing(page.body, page.type, url)};
}

ReadPage answered(const AskedPage& asked, Response response, const Cache& cache) {
  if (response.status == 304)
    if (const auto page = cache.page(asked.url)) {
      cache.touch(asked.url);
      return parsed(*page, asked);
    }
  if (!response.failure.empty()) return {{}, response.message, response.unreachable};
  if (response.too_large)
    return {{}, fmt::format("{}: a listing of more than 64 MiB; is the index URL right?", shown_url(asked.url))};
  if (response.status != 200 && response.status != 404) return {{}, refusal(asked.url, response.status)};
  Page page{shown_url(response.url), response.content_type, response.etag, response.last_modified,
            std::move(response.body)};
  if (response.status == 404) page = {.url = page.url, .type = missing};
  try {
    auto result = parsed(page, asked);  // first: what cannot be read is not kept
    cache.keep(asked.url, page);
    return result;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

}  // namespace

void check_offline(bool offline, const std::string& what) {
  if (offline)
    throw broken_environment(
        fmt::format("--offline, but {} is not in the cache; run it once without --offline", what));
}

std::map<std::string, ReadPage> read_pages(const std::vector<AskedPage>& asked, const Cache& cache, const Send& send,
                                           bool offline, std::chrono::minutes fresh) {
  std::map<std::string, ReadPage> result;
  std::vector<Request> requests;
  std::vector<std::string> names;
  std::vector<const AskedPage*> sent;
  for (const auto& one : asked) {
    const auto page = cache.page(one.url);
    if (page && (offline || cache.age(one.url).value_or(fresh) < fresh)) {
      result[one.url] = parsed(*page, one);
      continue;
    }
    check_offline(offline, fmt::format("the listing of {}", one.what));
    requests.push_back({.url = one.url, .accept = kListingTypes});
    if (page && page->type != missing) {
      requests.back().etag = page->etag;
      requests.back().last_modified = page->last_modified;
    }
    names.push_back(one.what);
    sent.push_back(&one);
  }
  send(requests, names, [&](std::size_t i, Response response) {
    result[sent[i]->url] = answered(*sent[i], std::move(response), cache);
  });
  return result;
}

}  // namespace stackx::pypi
