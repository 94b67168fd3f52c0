#include "pypi/index/cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/masked.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::pypi {
namespace fs = std::filesystem;
namespace {

std::optional<std::string> read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (stream.bad() || text.empty()) return std::nullopt;  // empty: the power failed before it was on the disk
  return text;
}

void write(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (specs::replace_text_file(file, text)) return;
  throw broken_environment(fmt::format(
      "{}: cannot be written; free some space, or set XDG_CACHE_HOME to a directory that can be written", file.string()));
}

}  // namespace

fs::path Cache::listing_file(const std::string& url) const {
  return directory_ / "listings" / (specs::sha256(specs::without_logins(url)) + ".json");
}

fs::path Cache::metadata_file(const std::string& url) const {
  return directory_ / "metadata" / specs::sha256(specs::without_logins(url));
}

std::optional<Page> Cache::page(const std::string& url) const {
  const auto text = read(listing_file(url));
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Page page;
  for (const auto& [key, value] : {std::pair<const char*, std::string*>{"url", &page.url},
                                   {"type", &page.type},
                                   {"etag", &page.etag},
                                   {"last_modified", &page.last_modified},
                                   {"body", &page.body}}) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) return std::nullopt;
    *value = found->get<std::string>();
  }
  return page;
}

std::optional<std::chrono::seconds> Cache::age(const std::string& url) const {
  std::error_code error;
  const auto time = fs::last_write_time(listing_file(url), error);
  if (error) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - time);
}

void Cache::keep(const std::string& url, const Page& page) const {
  write(listing_file(url), specs::Json{{"url", page.url},
                                       {"type", page.type},
                                       {"etag", page.etag},
                                       {"last_modified", page.last_modified},
                                       {"body", specs::to_utf8(page.body)}}
                               .dump());
}

void Cache::touch(const std::string& url) const {
  std::error_code ignored;
  fs::last_write_time(listing_file(url), fs::file_time_type::clock::now(), ignored);
}

std::optional<std::string> Cache::metadata(const std::string& url) const {
  return read(metadata_file(url));
}

std::string Cache::sha256_of(const fs::path& file) const {
  std::error_code unknown;  // then the file cannot be read either, which is said below
  const auto size = fs::file_size(file, unknown);
  const auto state = fmt::format("{} {} ", size, fs::last_write_time(file, unknown).time_since_epoch().count());
  const auto place = directory_ / "hashes" / specs::sha256(file.string());
  if (const auto known = read(place); known && known->starts_with(state)) return known->substr(state.size());
  const auto hash = specs::sha256_file(file);
  write(place, state + hash);
  return hash;
}

void Cache::keep_metadata(const std::string& url, const std::string& text) const {
  write(metadata_file(url), text);
}

}  // namespace stackx::pypi
