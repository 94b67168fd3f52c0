// The package index as pip sees it: the files of projects, from all places where pip looks, and the metadata of files.
// Cached, and modest.
//
// Places: pip's index, extra ones, find-links. Their files of a project are one listing. The same file name twice: pip
// (23.2, asked in tests/cli/catalog/test_places.py) takes the page that was named last, extra indices after the index, those
// after find-links' pages, and a file on this disk only where no page links to one. A place that does not answer is left
// out with a remark, as by pip, and is not asked again; that nobody else has what is asked for is then its fault.
//
// Metadata is read once for ever, in one small request where the index offers it (PEP 658), its hash checked where
// stated. Some mirrors drop the offer from their pages but keep the files: if the first such file of a server is there,
// so are the others taken to be. Else a wheel's last 64 KiB are read, and one range more where METADATA lies before them
// (the whole wheel where a server takes no ranges); of a source archive up to 8 MiB. Files on this disk are read there,
// each time, and hashed.
//
// What one file has wrong is its reason alone: a server that is none, a login, a body that breaks off. Such reasons are
// asked about again the next time, whoever lists that file: only what bytes of the stated hash say of themselves holds
// for ever. Offline the last reasons count, so that the same is left out as the last time.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pypi/distribution/metadata.hpp"
#include "pypi/index/cache.hpp"
#include "pypi/index/find_links.hpp"
#include "pypi/index/listing.hpp"
#include "pypi/index/pages.hpp"
#include "pypi/transfer/http.hpp"

namespace stackx::pypi {

struct Progress {
  std::size_t done = 0, planned = 0;  // requests, as far as known
  std::string current;
};
using Listener = std::function<void(const Progress&)>;

struct IndexSettings {
  std::string url;  // .../simple; "" for none
  bool offline = false;
  std::chrono::minutes fresh{10};  // listings younger than that are not asked for again
  std::vector<std::string> extra_urls = {}, find_links = {};
  std::function<void(const std::string&)> remark = {};  // of what is left out
};

class Index {
 public:
  Index(IndexSettings settings, Cache cache, Transport& transport, Listener listener);

  // By normalised name; none where no place knows such a project. Throws Error(environment) if no index can be
  // reached, or offline what is not cached; and of pages that cannot be read, unless `faults` takes the reasons.
  std::map<std::string, std::optional<Listing>> listings(const std::vector<std::string>& names,
                                                         std::map<std::string, std::string>* faults = nullptr);

  // One for each file; a reason where its metadata cannot be had.
  std::vector<std::expected<Metadata, std::string>> metadata(const std::vector<File>& files);

  bool asks_an_index() const { return !settings_.url.empty() || !settings_.extra_urls.empty(); }  // else find-links alone
  std::size_t requests() const { return progress_.done; }  // sent so far

  // Files that no server gave, though another time it may, and whether any other was given (or cached).
  struct Missed {
    std::size_t files = 0;
    std::string last = {};  // "URL: reason"
    bool all = true;
  };
  const Missed& missed() const { return missed_; }

 private:
  struct Reading;  // one file whose metadata is being read
  struct Place {
    std::string url;       // of an index, or a page of links
    std::string fault = {};  // why it is not asked any more
    bool said = false;       // a remark on it
  };

  std::map<std::string, ReadPage> read_places(const std::vector<std::string>& names);
  void read_linked_pages();
  void leave_out(Place& place, const ReadPage& page);
  void hash_local(Listing& listing) const;
  Listing merged(const std::string& name, const std::vector<const Listing*>& pages) const;

  void send(const std::vector<Request>& requests, const std::vector<std::string>& names,
            const std::function<void(std::size_t, Response)>& done);
  void read_local(Reading& reading);
  void read_offered(std::vector<Reading>& readings);
  void ask_offered(std::vector<Reading*> some);
  void read_tails(std::vector<Reading>& readings);
  void read_ranges(std::vector<Reading>& readings);
  void read_sources(std::vector<Reading>& readings);
  void keep(Reading& reading, const std::string& text);
  void give_up(Reading& reading, const std::string& reason, bool for_ever = false);
  void miss(Reading& reading, const std::string& reason);
  bool came(Reading& reading, const Response& response, const char* too_large);

  IndexSettings settings_;
  Cache cache_;
  Transport& transport_;
  Listener listener_;
  Progress progress_;
  Missed missed_;
  std::vector<Place> indices_;  // pip's first
  FoundLinks links_;
  bool linked_pages_read_ = false;
  std::map<std::string, bool> keeps_metadata_;  // by server: does it hold metadata that its pages do not offer?
};

}  // namespace stackx::pypi
