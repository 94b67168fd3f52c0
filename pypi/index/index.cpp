#include "pypi/index/index.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pypi/transfer/local_file.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/python/distribution_file.hpp"

namespace stackx::pypi {
namespace {

std::string page_of(const std::string& index, const std::string& project) { return index + "/" + project + "/"; }

}  // namespace

Index::Index(IndexSettings settings, Cache cache, Transport& transport, Listener listener)
    : settings_(std::move(settings)),
      cache_(std::move(cache)),
      transport_(transport),
      listener_(std::move(listener)),
      links_(find_links(settings_.find_links)) {
  auto urls = settings_.extra_urls;
  if (!settings_.url.empty()) urls.insert(urls.begin(), settings_.url);
  for (auto& url : urls) {
    while (url.ends_with('/')) url.pop_back();
    if (std::ranges::find(indices_, url, &Place::url) == indices_.end()) indices_.push_back({url});
  }
  if (settings_.remark)
    for (const auto& remark : links_.remarks) settings_.remark(remark);
}

void Index::send(const std::vector<Request>& requests, const std::vector<std::string>& names,
                 const std::function<void(std::size_t, Response)>& done) {
  progress_.planned += requests.size();
  transport_.get(requests, [&](std::size_t i, Response response) {
    ++progress_.done;
    progress_.current = names[i];
    if (listener_) listener_(progress_);
    done(i, std::move(response));
  });
}

void Index::leave_out(Place& place, const ReadPage& page) {
  if (page.unreachable) place.fault = page.fault;
  if (place.said || !settings_.remark) return;
  place.said = true;
  settings_.remark(page.fault + "; left out, as by pip");
}

// What find-links' pages on the web link to, once.
void Index::read_linked_pages() {
  if (linked_pages_read_) return;
  linked_pages_read_ = true;
  std::vector<AskedPage> asked;
  for (const auto& url : links_.pages) asked.push_back({url, shown_url(url), true});
  const auto send_them = [&](const auto& requests, const auto& names, const auto& done) { send(requests, names, done); };
  auto pages = read_pages(asked, cache_, send_them, settings_.offline, settings_.fresh);
  for (const auto& url : links_.pages) {
    auto& page = pages.at(url);
    Place place{url};
    if (!page.listing && page.fault.empty()) page.fault = shown_url(url) + ": HTTP 404, there is no such page";
    if (page.listing)
      std::ranges::move(page.listing->files, std::back_inserter(links_.linked));
    else
      leave_out(place, page);
  }
}

std::map<std::string, ReadPage> Index::read_places(const std::vector<std::string>& names) {
  std::vector<AskedPage> asked;
  for (const auto& place : indices_)
    for (const auto& name : names)
      if (place.fault.empty()) asked.push_back({page_of(place.url, name), name});
  return read_pages(
      asked, cache_, [&](const auto& requests, const auto& titles, const auto& done) { send(requests, titles, done); },
      settings_.offline, settings_.fresh);
}

// From what counts least to what counts most, but for broken and yanked files, which count less than any other.
Listing Index::merged(const std::string& name, const std::vector<const Listing*>& pages) const {
  Listing result;
  std::map<std::string, std::size_t> at;
  const auto merit = [](const File& file) { return std::pair(file.fault.empty(), !file.yanked); };
  const auto add = [&](File file) {
    const auto [place, is_new] = at.try_emplace(file.name, result.files.size());
    if (is_new) return result.files.push_back(std::move(file));
    auto& known = result.files[place->second];
    if (merit(file) >= merit(known)) std::swap(known, file);
    if (file.sha256.empty() || file.sha256 != known.sha256) result.others.push_back(std::move(file));
  };
  const auto add_of_project = [&](const File& file) {
    if (specs::parse_file_name(file.name, name)) add(file);
  };
  std::for_each(links_.files.rbegin(), links_.files.rend(), add_of_project);
  std::ranges::for_each(links_.linked, add_of_project);
  for (const auto* page : pages) std::ranges::for_each(page->files, add);
  return result;
}

std::map<std::string, std::optional<Listing>> Index::listings(const std::vector<std::string>& names,
                                                              std::map<std::string, std::string>* faults) {
  std::map<std::string, std::optional<Listing>> result;
  read_linked_pages();
  const auto read = read_places(names);
  for (const auto& name : names) {
    std::vector<const Listing*> pages;
    std::vector<std::pair<Place*, ReadPage>> failed;
    for (auto& place : indices_) {
      const auto page = read.find(page_of(place.url, name));
      if (page == read.end())
        failed.emplace_back(&place, ReadPage{{}, place.fault, true});
      else if (page->second.listing)
        pages.push_back(&*page->second.listing);
      else if (!page->second.fault.empty())
        failed.emplace_back(&place, page->second);
    }
    auto listing = merged(name, pages);
    if (!pages.empty() || !listing.files.empty()) {
      for (auto& [place, page] : failed) leave_out(*place, page);
      hash_local(listing);
      result[name] = std::move(listing);
      continue;
    }
    result[name] = std::nullopt;
    if (failed.empty()) continue;
    const auto& fault = failed.front().second;
    const bool nobody = failed.size() == indices_.size() && fault.unreachable;
    if (!faults || nobody) throw broken_environment(fault.fault);
    for (auto& [place, page] : failed)
      if (page.unreachable) leave_out(*place, page);
    faults->emplace(name, fault.fault);
  }
  return result;
}

// No page states the hash of what lies on this disk.
void Index::hash_local(Listing& listing) const {
  for (auto* files : {&listing.files, &listing.others})
    for (auto& file : *files)
      if (is_file_url(file.url) && file.fault.empty()) {
        try {
          const auto hash = cache_.sha256_of(path_of_file_url(file.url));
          if (!file.sha256.empty() && file.sha256 != hash) file.fault = "is not the file that its page states (SHA-256)";
          file.sha256 = hash;
        } catch (const Error& error) {
          file.fault = "its file cannot be read";
        }
      }
}

}  // namespace stackx::pypi
