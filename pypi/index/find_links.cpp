#include "pypi/index/find_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "pypi/transfer/local_file.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t largest_page = 64 << 20;

bool is_page(const fs::path& path) {
  const auto extension = specs::lowered(path.extension().string());
  return extension == ".html" || extension == ".htm";
}

// What pip would install, by its name: a URL of it is no page.
bool is_distribution(const std::string& name) {
  return std::ranges::any_of(std::vector{".whl", ".tar.gz", ".zip", ".tar.bz2", ".tgz", ".tar.xz"},
                             [&](const char* ending) { return name.ends_with(ending); });
}

fs::path path_of(const std::string& place) {
  if (is_file_url(place)) return path_of_file_url(place);
  if (const char* home = std::getenv("HOME"); home != nullptr && (place == "~" || place.starts_with("~/")))
    return fs::path(home) / place.substr(std::min<std::size_t>(place.size(), 2));
  return place;
}

File file_at(const fs::path& path) {
  File file;
  file.name = path.filename().string();
  file.url = file_url(path);
  if (!specs::is_printable(file.name)) file.fault = "its name is none of a file";
  std::error_code ignored;
  if (const auto size = fs::file_size(path, ignored); !ignored) file.size = size;
  return file;
}

class Finding {
 public:
  FoundLinks run(const std::vector<std::string>& places) {
    for (const auto& place : places) is_web_url(place) ? add_web(place) : add_local(place);
    std::ranges::sort(found_.files, {}, &File::url);
    return std::move(found_);
  }

 private:
  void add_web(const std::string& url) {
    File file;
    file.name = file_name_in(url);
    if (!is_distribution(file.name)) return found_.pages.push_back(url);
    file.url = url.substr(0, url.find('#'));
    found_.files.push_back(file);
  }

  void add_local(const std::string& place) {
    std::error_code error;
    const auto path = fs::canonical(path_of(place), error);
    if (error) return leave_out(place, "is no URL, and nothing of that name is here");
    if (!fs::is_directory(path, error)) return add_one(path, place);
    fs::directory_iterator files(path, error);
    std::vector<fs::path> sorted;
    for (; !error && files != fs::directory_iterator(); files.increment(error)) sorted.push_back(files->path());
    if (error) leave_out(place, "cannot be read: " + error.message());
    std::ranges::sort(sorted);
    for (const auto& file : sorted)
      if (fs::is_regular_file(file, error)) add_one(file, place);
  }

  void add_one(const fs::path& path, const std::string& place) {
    if (!is_page(path)) return found_.files.push_back(file_at(path));
    const auto body = local_bytes(path, largest_page);
    if (!body) return leave_out(place, body.error());
    try {
      auto listing = parse_links(*body, "text/html", file_url(path));
      std::ranges::move(listing.files, std::back_inserter(found_.linked));
    } catch (const Error&) {
      // An empty page.
    }
  }

  void leave_out(const std::string& place, const std::string& why) {
    found_.remarks.push_back(fmt::format("--find-links {}: {}; left out", shown_url(specs::printable(place)), why));
  }

  FoundLinks found_;
};

}  // namespace

FoundLinks find_links(const std::vector<std::string>& places) { return Finding().run(places); }

}  // namespace stackx::pypi
