// An index as the import asks it: the files of projects, and the metadata of files. Cached, and modest.
//
// A listing is asked for once in ten minutes at most, and then "only if it changed". Metadata is read
// once for ever, in one small request where the index offers it (PEP 658), its hash checked where stated. Some
// mirrors drop the offer from their pages but keep the files: if the first such file is there, so are the others
// taken to be. Else a wheel's last 64 KiB are read, and one range more where METADATA lies before them (the whole
// wheel where a server takes no ranges); of a source archive up to 8 MiB.
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

#include "pypi/cache.hpp"
#include "pypi/http.hpp"
#include "pypi/listing.hpp"
#include "pypi/metadata.hpp"

namespace stackx::pypi {

struct Progress {
  std::size_t done = 0, planned = 0;  // requests, as far as known
  std::string current;
};
using Listener = std::function<void(const Progress&)>;

struct IndexSettings {
  std::string url;  // .../simple
  bool offline = false;
  std::chrono::minutes fresh{10};  // listings younger than that are not asked for again
};

class Index {
 public:
  Index(IndexSettings settings, Cache cache, Transport& transport, Listener listener);

  // By normalised name; none where the index knows no such project. Throws Error(environment) if the index cannot be
  // reached, or offline what is not cached; and of pages that cannot be read, unless `faults` takes the reasons.
  std::map<std::string, std::optional<Listing>> listings(const std::vector<std::string>& names,
                                                         std::map<std::string, std::string>* faults = nullptr);

  // One for each file; a reason where its metadata cannot be had.
  std::vector<std::expected<Metadata, std::string>> metadata(const std::vector<File>& files);

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

  void send(const std::vector<Request>& requests, const std::vector<std::string>& names,
            const std::function<void(std::size_t, Response)>& done);
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
  std::optional<bool>
      keeps_metadata_;  // does the server hold metadata that its pages do not offer?
};

}  // namespace stackx::pypi
