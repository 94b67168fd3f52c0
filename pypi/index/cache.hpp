// What was read from an index, kept: listings with what HTTP needs to ask "still the same?", metadata for ever.
//
//   DIRECTORY/listings/<sha256 of the URL>.json   {url, type, etag, last_modified, body}, renewed
//   DIRECTORY/metadata/<sha256 of the URL>        core metadata; files of an index never change
//   DIRECTORY/hashes/<sha256 of the path>         of a file on this disk: its size, its time, its SHA-256
// Written to a temporary name and renamed: whoever is killed leaves whole files only. A file that
// cannot be read counts as absent. Rejected: names from the files' own hashes, which not every index states.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace stackx::pypi {

struct Page {
  std::string url;  // after redirects: relative links are of this
  std::string type, etag = {}, last_modified = {}, body = {};
};

class Cache {
 public:
  explicit Cache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::optional<Page> page(const std::string& url) const;
  std::optional<std::chrono::seconds> age(const std::string& url) const;  // since asked for last
  void keep(const std::string& url, const Page& page) const;
  void touch(const std::string& url) const;  // still the same, as of now

  std::optional<std::string> metadata(const std::string& url) const;
  void keep_metadata(const std::string& url, const std::string& text) const;

  // Of a file on this disk, computed once for each state of it. Throws Error(environment) if it cannot be read.
  std::string sha256_of(const std::filesystem::path& file) const;

 private:
  std::filesystem::path listing_file(const std::string& url) const;
  std::filesystem::path metadata_file(const std::string& url) const;
  std::filesystem::path directory_;
};

}  // namespace stackx::pypi
