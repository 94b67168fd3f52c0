#include "pypi/index/download.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pypi/distribution/archive.hpp"
#include "pypi/transfer/local_file.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::pypi {
namespace {

constexpr std::uint64_t largest_download = std::uint64_t{1} << 30;

std::vector<std::string> required_by(const specs::TomlNode& project) {
  const auto* system = project.find("build-system");
  const auto* listed = system == nullptr ? nullptr : system->find("requires");
  if (listed == nullptr) return {"setuptools"};
  std::vector<std::string> result;
  for (const auto& item : listed->items()) result.push_back(item.text());
  return result;
}

// Those of that name, first the ones that are said to have the hash.
std::vector<File> candidates(const Listing& listing, const WantedFile& wanted) {
  std::vector<File> result;
  for (const auto* files : {&listing.files, &listing.others})
    std::ranges::copy_if(*files, std::back_inserter(result), [&](const File& file) { return file.name == wanted.name; });
  std::ranges::stable_partition(result, [&](const File& file) { return file.sha256 == wanted.sha256; });
  return result;
}

std::expected<std::string, NotFetched> fetched(const File& file, const WantedFile& wanted, Transport& transport) {
  const auto most = wanted.size != 0 ? wanted.size + 1 : largest_download;
  const auto mismatch = [&](const std::string& hash) {
    return std::unexpected(NotFetched{
        fmt::format("hash mismatch: the catalog wants sha256 {}, what was fetched has {}", wanted.sha256, hash), hash});
  };
  std::string bytes;
  if (is_file_url(file.url)) {
    auto read = local_bytes(path_of_file_url(file.url), most);
    if (!read) return std::unexpected(NotFetched{fmt::format("{}: {}", file.name, read.error())});
    bytes = std::move(*read);
  } else {
    auto answer = transport.try_one({.url = file.url, .limit = most});
    if (!answer.failure.empty()) return std::unexpected(NotFetched{answer.message});
    if (answer.status != 200)
      return std::unexpected(NotFetched{fmt::format("{}: HTTP {}", shown_url(file.url), answer.status)});
    if (answer.too_large) return mismatch("of a larger file");
    bytes = std::move(answer.body);
  }
  auto hash = specs::sha256(bytes);
  if (hash != wanted.sha256) return mismatch(hash);
  return bytes;
}

}  // namespace

std::expected<std::string, NotFetched> download(const WantedFile& wanted, Index& index, Transport& transport) {
  const auto name = specs::normalized_name(wanted.project);
  const auto listing = index.listings({name}).at(name);
  NotFetched why{fmt::format("{} is on none of the indices", wanted.name)};
  for (const auto& file : listing ? candidates(*listing, wanted) : std::vector<File>()) {
    if (!file.fault.empty()) {
      why.reason = fmt::format("{}: {}", wanted.name, file.fault);
      continue;
    }
    auto bytes = fetched(file, wanted, transport);
    if (bytes) return bytes;
    why = bytes.error();
  }
  return std::unexpected(why);
}

std::expected<std::vector<std::string>, std::string> build_requires(const std::string& archive) {
  const auto facts = read_source_archive(archive);
  if (!facts) return std::unexpected(facts.error());
  std::vector<std::string> result;
  try {
    for (const auto& text : required_by(specs::TomlNode::parse_text(facts->pyproject, "pyproject.toml"))) {
      const auto dependency = specs::parse_dependency(text);
      auto line = dependency ? dependency->text() : "";
      if (!dependency || !dependency->url.empty() || !specs::is_printable(line))  // a marker may quote the end of a line
        return std::unexpected(
            fmt::format("its build requires \"{}\", which is no name with versions", specs::printable(text)));
      result.push_back(std::move(line));
    }
  } catch (const Error& error) {
    return std::unexpected(error.what());
  }
  return result;
}

}  // namespace stackx::pypi
