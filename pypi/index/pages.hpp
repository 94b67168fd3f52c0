// Pages of an index, through the cache: asked for once in ten minutes at most, and then "only if it changed".
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pypi/index/cache.hpp"
#include "pypi/index/listing.hpp"
#include "pypi/transfer/http.hpp"

namespace stackx::pypi {

struct AskedPage {
  std::string url, what;  // "flask": for progress and messages
  bool of_links = false;  // of any projects (find-links)
};

// Either a listing, or a fault, or neither: there is no such page.
struct ReadPage {
  std::optional<Listing> listing = {};
  std::string fault = {};
  bool unreachable = false;  // the fault is the server's, or the network's
};

// Sends requests, and tells of each answer what it was about.
using Send = std::function<void(const std::vector<Request>& requests, const std::vector<std::string>& names,
                                const std::function<void(std::size_t, Response)>& done)>;

// By URL. Throws Error(environment) offline for a page that is not cached, and of a cached page that cannot be read.
std::map<std::string, ReadPage> read_pages(const std::vector<AskedPage>& asked, const Cache& cache, const Send& send,
                                           bool offline, std::chrono::minutes fresh);

void check_offline(bool offline, const std::string& what);  // throws Error(environment) if it is

}  // namespace stackx::pypi
