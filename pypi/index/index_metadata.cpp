// Index: the metadata of files.
#include <fmt/format.h>

#include <algorithm>

#include "pypi/distribution/archive.hpp"
#include "pypi/index/index.hpp"
#include "pypi/transfer/local_file.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"

namespace stackx::pypi {
namespace {

constexpr std::uint64_t kTail = 64 << 10;
constexpr std::uint64_t kLargestMetadata = 16 << 20;
constexpr std::uint64_t kLargestWheel = 256 << 20;  // where it must be read whole

// Kept in place of metadata: why there was none, and of which bytes (their SHA-256) that holds for ever; else "-".
//   X-Stackx-Reason-Of: HASH
//   reason
constexpr std::string_view kReason = "X-Stackx-Reason", kReasonOf = "X-Stackx-Reason-Of: ", kThisTime = "-";

// What was kept, if it holds for the file as it is listed now.
std::string kept_reason(std::string_view text, const File& file, bool offline) {
  if (!text.starts_with(kReasonOf)) return "";
  text.remove_prefix(kReasonOf.size());
  const auto end = text.find('\n');
  if (end == text.npos) return "";
  const auto hash = text.substr(0, end);
  return offline || (hash != kThisTime && hash == file.sha256) ? std::string(text.substr(end + 1)) : "";
}

bool is_missing(long status) { return status == 403 || status == 404 || status == 410; }

bool wants_login(long status) { return status == 401 || status == 407; }

// Why nothing came of a file, though another time it may; "" where something did. No host: reasons stand in catalogs.
std::string missed_by(const Response& response) {
  const auto status = response.status;
  if (!response.failure.empty()) return "its file cannot be fetched: " + response.failure;
  if (wants_login(status))
    return fmt::format("its file needs a login (HTTP {}); ~/.netrc can hold one for its server", status);
  if (status != 200 && status != 206) return fmt::format("its file cannot be fetched: HTTP {}; try later", status);
  return "";
}

bool is_of_hash(const std::string& bytes, const std::string& hash) {
  return !hash.empty() && specs::sha256(bytes) == hash;
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

std::vector<std::expected<Metadata, std::string>> Index::metadata(const std::vector<File>& files) {
  std::vector<Reading> readings;
  for (const auto& file : files) {
    const bool local = is_file_url(file.url);
    readings.push_back({&file, local ? std::nullopt : cache_.metadata(file.url), "", {}, {}});
    auto& reading = readings.back();
    if (local) read_local(reading);
    if (reading.text && reading.text->starts_with(kReason)) {
      reading.reason = kept_reason(*reading.text, file, settings_.offline);
      reading.text.reset();
    }
    if (!reading.open()) missed_.all = false;
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

void Index::read_local(Reading& reading) {
  auto text = local_metadata(path_of_file_url(reading.file->url));
  if (text)
    reading.text = std::move(*text);
  else
    reading.reason = text.error();
}

void Index::keep(Reading& reading, const std::string& text) {
  missed_.all = false;
  reading.text = text;
  cache_.keep_metadata(reading.file->url, text);
}

void Index::give_up(Reading& reading, const std::string& reason, bool for_ever) {
  missed_.all = false;
  reading.reason = reason;
  const auto hash = for_ever ? std::string_view(reading.file->sha256) : kThisTime;
  cache_.keep_metadata(reading.file->url, fmt::format("{}{}\n{}", kReasonOf, hash, reason));
}

void Index::miss(Reading& reading, const std::string& reason) {
  const bool all = missed_.all;
  give_up(reading, reason);
  missed_.all = all;
  ++missed_.files;
  missed_.last = fmt::format("{}: {}", shown_url(reading.file->url), reason);
}

bool Index::came(Reading& reading, const Response& response, const char* too_large) {
  const auto status = response.status;
  if (response.too_large)
    give_up(reading, too_large);
  else if (is_missing(status))
    give_up(reading, fmt::format("its file is gone (HTTP {})", status));
  else if (status == 416)
    give_up(reading, "its file is cut short (HTTP 416)");
  else if (const auto why = missed_by(response); !why.empty())
    miss(reading, why);
  return reading.open();
}

void Index::read_offered(std::vector<Reading>& readings) {
  std::vector<Reading*> offered, guessed;
  for (auto& reading : readings)
    if (reading.open() && (reading.file->has_metadata || reading.is_wheel()))
      (reading.file->has_metadata ? offered : guessed).push_back(&reading);
  ask_offered(offered);
  std::map<std::string, std::vector<Reading*>> by_server;
  for (auto* reading : guessed) by_server[origin_of(reading->file->url)].push_back(reading);
  for (auto& [server, some] : by_server) {
    if (!keeps_metadata_.contains(server)) {
      ask_offered({some[0]});
      keeps_metadata_[server] = !some[0]->open();
      some.erase(some.begin());
    }
    if (keeps_metadata_[server]) ask_offered(some);
  }
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
    if (response.unreachable || response.status >= 500) return miss(*some[i], missed_by(response));
    if (response.status != 200) return;
    const auto& stated = some[i]->file->metadata_sha256;
    if (!stated.empty() && !is_of_hash(response.body, stated))
      return give_up(*some[i], "metadata is not what the index states (SHA-256)");
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
    if (!came(reading, response, "its server takes no ranges, and the wheel is larger than 256 MiB")) return;
    const auto size = response.status == 206 ? response.total : response.body.size();
    const auto found = find_metadata(response.body, size);
    const auto broken = [&](const std::string& why) {
      give_up(reading, why, response.status == 200 && is_of_hash(response.body, reading.file->sha256));
    };
    if (!found) {
      broken(found.error());
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
        broken(text.error());
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
    if (!came(reading, response, "wheel cannot be read: its directory is too large")) return;
    if (response.status != 206) return miss(reading, "its server gave one range of it and then no other; try later");
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
    if (reading.file->size > largest_source) {  // as its index says; nobody need send it
      give_up(reading, source_too_large);
      continue;
    }
    some.push_back(&reading);
    requests.push_back({.url = reading.file->url, .limit = largest_source});
    names.push_back(reading.file->name);
  }
  send(requests, names, [&](std::size_t i, Response response) {
    auto& reading = *some[i];
    const auto& stated = reading.file->sha256;
    if (!came(reading, response, source_too_large)) return;
    if (!stated.empty() && !is_of_hash(response.body, stated)) {
      give_up(reading, "source archive is not the one that the index states (SHA-256)");
    } else if (const auto facts = read_source_archive(response.body)) {
      keep(reading, source_metadata(*facts));
    } else {
      give_up(reading, facts.error(), !stated.empty());
    }
  });
}

}  // namespace stackx::pypi
