#include "pypi/download.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pypi/archive.hpp"
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

}  // namespace

std::expected<std::string, NotFetched> download(const WantedFile& wanted, const std::vector<Index*>& indices,
                                                Transport& transport) {
  const auto name = specs::normalized_name(wanted.project);
  NotFetched why{fmt::format("{} is on none of the indices", wanted.name)};
  for (auto* index : indices) {
    const auto listing = index->listings({name}).at(name);
    if (!listing) continue;
    const auto file = std::ranges::find(listing->files, wanted.name, &File::name);
    if (file == listing->files.end()) continue;
    if (!file->fault.empty()) {
      why.reason = fmt::format("{}: {}", wanted.name, file->fault);
      continue;
    }
    const auto answer =
        transport.try_one({.url = file->url, .limit = wanted.size != 0 ? wanted.size + 1 : largest_download});
    if (!answer.failure.empty()) {
      why.reason = answer.message;
      continue;
    }
    if (answer.status != 200) {
      why.reason = fmt::format("{}: HTTP {}", shown_url(file->url), answer.status);
      continue;
    }
    const auto hash = answer.too_large ? std::string("of a larger file") : specs::sha256(answer.body);
    if (hash == wanted.sha256) return answer.body;
    why = {fmt::format("hash mismatch: the catalog wants sha256 {}, what was fetched has {}", wanted.sha256, hash), hash};
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
