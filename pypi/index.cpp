#include "pypi/index.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pypi/archive.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"

namespace stackx::pypi {
namespace {

constexpr std::uint64_t kTail = 64 << 10;
constexpr std::uint64_t kLargestMetadata = 16 << 20;
constexpr std::uint64_t kLargestSource = 8 << 20;
constexpr std::uint64_t kLargestWheel = 256 << 20;  // where it must be read whole

// Kept in place of metadata: why there is none, so that nobody asks again.
constexpr std::string_view kReason = "X-Stackx-Reason: ";

bool is_missing(long status) { return status == 403 || status == 404 || status == 410; }

// Why a file's bytes did not come, where that is the file's own fault; "" where it is not.
std::string fault_of(const Response& response, const char* too_large) {
  if (response.too_large) return too_large;
  if (is_missing(response.status)) return fmt::format("its file is gone (HTTP {})", response.status);
  if (response.status == 416) return "its file is cut short (HTTP 416)";
  return "";
}

[[noreturn]] void refused(const std::string& url, long status) {
  const char* advice = status == 401 || status == 407
                           ? "put the user name and password into pip's configuration or ~/.netrc"
                           : "try later; what was read so far is cached";
  throw broken_environment(
      fmt::format("{}: the index answered HTTP {}; {}", shown_url(url), status, advice));
}

void check_offline(bool offline, const std::string& what) {
  if (offline)
    throw broken_environment(
        fmt::format("--offline, but {} is not in the cache; run it once without --offline", what));
}

}  // namespace

struct Index::Reading {
  const File* file;
  std::optional<std::string> text;  // of metadata
  std::string reason;               // why there is none
  std::optional<ByteRange> range;   // of the wheel, to be read next
  std::optional<Member> member;     // that lies there; else its directory does

  bool open() const { return !text && reason.empty(); }
  bool is_wheel() const { return file->name.ends_with(".whl"); }
};

Index::Index(IndexSettings settings, Cache cache, Transport& transport, Listener listener)
    : settings_(std::move(settings)),
      cache_(std::move(cache)),
      transport_(transport),
      listener_(std::move(listener)) {
  while (settings_.url.ends_with('/')) settings_.url.pop_back();
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

std::map<std::string, std::optional<Listing>> Index::listings(
    const std::vector<std::string>& names) {
  std::map<std::string, std::optional<Listing>> result;
  std::vector<Request> requests;
  std::vector<std::string> asked;
  const auto url_of = [&](const std::string& name) { return settings_.url + "/" + name + "/"; };
  const auto parse = [&](const Page& page) -> std::optional<Listing> {
    if (page.type == "missing") return std::nullopt;
    return parse_listing(page.body, page.type, with_login_of(page.url, settings_.url));
  };
  for (const auto& name : names) {
    const auto url = url_of(name);
    const auto page = cache_.page(url);
    if (page && (settings_.offline || cache_.age(url).value_or(settings_.fresh) < settings_.fresh)) {
      result[name] = parse(*page);
      continue;
    }
    check_offline(settings_.offline, fmt::format("the listing of {}", name));
    requests.push_back({.url = url, .accept = kListingTypes});
    if (page && page->type != "missing") {
      requests.back().etag = page->etag;
      requests.back().last_modified = page->last_modified;
    }
    asked.push_back(name);
  }
  send(requests, asked, [&](std::size_t i, Response response) {
    const auto& name = asked[i];
    const auto url = url_of(name);
    if (response.status == 304) {
      if (const auto page = cache_.page(url)) {
        cache_.touch(url);
        result[name] = parse(*page);
        return;
      }
    }
    if (response.too_large)
      throw broken_environment(fmt::format(
          "{}: a listing of more than 64 MiB; is the index URL right?", shown_url(url)));
    if (response.status != 200 && response.status != 404) refused(url, response.status);
    Page page{shown_url(response.url), response.content_type, response.etag, response.last_modified,
              std::move(response.body)};
    if (response.status == 404) page = {.url = page.url, .type = "missing"};
    result[name] = parse(page);  // first: what cannot be read is not kept
    cache_.keep(url, page);
  });
  return result;
}

std::vector<std::expected<Metadata, std::string>> Index::metadata(const std::vector<File>& files) {
  std::vector<Reading> readings;
  for (const auto& file : files) {
    readings.push_back({&file, cache_.metadata(file.url), "", {}, {}});
    auto& reading = readings.back();
    if (reading.text && reading.text->starts_with(kReason)) {
      reading.reason = reading.text->substr(kReason.size());
      reading.text.reset();
    }
  }
  for (const auto& reading : readings)
    if (reading.open())
      check_offline(settings_.offline, fmt::format("the metadata of {}", reading.file->name));
  read_offered(readings);
  read_tails(readings);
  read_ranges(readings);
  read_ranges(readings);  // after a directory, the member
  read_sources(readings);
  std::vector<std::expected<Metadata, std::string>> result;
  for (const auto& reading : readings) {
    if (reading.text)
      result.push_back(parse_metadata(*reading.text));
    else
      result.push_back(std::unexpected(reading.reason));
  }
  return result;
}

void Index::keep(Reading& reading, const std::string& text) {
  reading.text = text;
  cache_.keep_metadata(reading.file->url, text);
}

void Index::give_up(Reading& reading, const std::string& reason) {
  reading.reason = reason;
  cache_.keep_metadata(reading.file->url, std::string(kReason) + reason);
}

void Index::read_offered(std::vector<Reading>& readings) {
  std::vector<Reading*> offered, guessed;
  for (auto& reading : readings)
    if (reading.open() && (reading.file->has_metadata || reading.is_wheel()))
      (reading.file->has_metadata ? offered : guessed).push_back(&reading);
  ask_offered(offered);
  if (guessed.empty() || keeps_metadata_ == false) return;
  if (!keeps_metadata_) {
    ask_offered({guessed[0]});
    keeps_metadata_ = !guessed[0]->open();
    guessed.erase(guessed.begin());
  }
  if (*keeps_metadata_) ask_offered(guessed);
}

void Index::ask_offered(std::vector<Reading*> some) {
  std::vector<Request> requests;
  std::vector<std::string> names;
  for (const auto* reading : some) {
    requests.push_back({.url = reading->file->url + ".metadata", .limit = kLargestMetadata});
    names.push_back(reading->file->name);
  }
  send(requests, names, [&](std::size_t i, Response response) {
    if (is_missing(response.status)) return;  // the file itself will tell
    if (response.too_large) return give_up(*some[i], "metadata is larger than 16 MiB");
    if (response.status != 200) refused(requests[i].url, response.status);
    const auto& stated = some[i]->file->metadata_sha256;
    if (!stated.empty() && specs::sha256(response.body) != stated) {
      some[i]->reason = "metadata is not what the index states (SHA-256)";  // not kept: ask again next time
      return;
    }
    if (response.body.find("Metadata-Version") == std::string::npos) return;  // a page, not a file
    keep(*some[i], response.body);
  });
}

void Index::read_tails(std::vector<Reading>& readings) {
  std::vector<Reading*> some;
  std::vector<Request> requests;
  std::vector<std::string> names;
  for (auto& reading : readings) {
    if (!reading.open() || !reading.is_wheel()) continue;
    some.push_back(&reading);
    requests.push_back(
        {.url = reading.file->url, .range = fmt::format("-{}", kTail), .limit = kLargestWheel});
    names.push_back(reading.file->name);
  }
  send(requests, names, [&](std::size_t i, Response response) {
    auto& reading = *some[i];
    if (const auto fault = fault_of(response, "its server takes no ranges, and the wheel is larger than 256 MiB");
        !fault.empty())
      return give_up(reading, fault);
    if (response.status != 200 && response.status != 206) refused(requests[i].url, response.status);
    const auto size = response.status == 206 ? response.total : response.body.size();
    const auto found = find_metadata(response.body, size);
    if (!found) {
      give_up(reading, found.error());
    } else if (const auto* member = std::get_if<Member>(&*found)) {
      const auto start = size - response.body.size();
      if (member->offset < start) {
        reading.member = *member;
        reading.range = bytes_of(*member);
        reading.range->last = std::min(reading.range->last, size - 1);
      } else if (auto text = read_member(
                     std::string_view(response.body).substr(member->offset - start), *member)) {
        keep(reading, *text);
      } else {
        give_up(reading, text.error());
      }
    } else {
      reading.range = std::get<ByteRange>(*found);
    }
  });
}

void Index::read_ranges(std::vector<Reading>& readings) {
  std::vector<Reading*> some;
  std::vector<Request> requests;
  std::vector<std::string> names;
  for (auto& reading : readings) {
    if (!reading.open() || !reading.range) continue;
    some.push_back(&reading);
    requests.push_back({.url = reading.file->url,
                        .range = fmt::format("{}-{}", reading.range->first, reading.range->last)});
    names.push_back(reading.file->name);
  }
  send(requests, names, [&](std::size_t i, Response response) {
    auto& reading = *some[i];
    if (const auto fault = fault_of(response, "wheel cannot be read: its directory is too large"); !fault.empty())
      return give_up(reading, fault);
    if (response.status != 206) refused(requests[i].url, response.status);
    if (!reading.member) {  // this was the directory
      const auto found = find_metadata(response.body, response.total);
      const auto* member = found ? std::get_if<Member>(&*found) : nullptr;
      if (!member)
        return give_up(reading, found ? "wheel cannot be read: no zip file" : found.error());
      reading.member = *member;
      const auto start = response.total - response.body.size();
      reading.range = bytes_of(*member);
      reading.range->last = std::min<std::uint64_t>(reading.range->last, response.total - 1);
      if (member->offset < start) return;
      response.body.erase(0, member->offset - start);
    }
    auto text = read_member(response.body, *reading.member);
    if (text)
      keep(reading, *text);
    else
      give_up(reading, text.error());
  });
}

void Index::read_sources(std::vector<Reading>& readings) {
  std::vector<Reading*> some;
  std::vector<Request> requests;
  std::vector<std::string> names;
  for (auto& reading : readings) {
    if (!reading.open()) continue;
    some.push_back(&reading);
    requests.push_back({.url = reading.file->url, .limit = kLargestSource});
    names.push_back(reading.file->name);
  }
  send(requests, names, [&](std::size_t i, Response response) {
    auto& reading = *some[i];
    if (const auto fault = fault_of(response, "source archive larger than 8 MiB"); !fault.empty()) {
      give_up(reading, fault);
    } else if (response.status != 200) {
      refused(requests[i].url, response.status);
    } else if (const auto& stated = reading.file->sha256;
               !stated.empty() && specs::sha256(response.body) != stated) {
      give_up(reading, "source archive is not the one that the index states (SHA-256)");
    } else if (const auto facts = read_source_archive(response.body)) {
      keep(reading, source_metadata(*facts));
    } else {
      give_up(reading, facts.error());
    }
  });
}

}  // namespace stackx::pypi
