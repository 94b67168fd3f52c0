#include "advisor/facts/refresh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "pypi/redistributables.hpp"
#include "pypi/registry_tags.hpp"

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::advisor {
namespace {

namespace fs = std::filesystem;

constexpr int failures_to_give_up = 2;

std::optional<specs::Package> known_package(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  return specs::load_package(file);
}

// Of this machine, not of a source: the run ends.
class CannotWrite : public Error {
 public:
  explicit CannotWrite(const std::string& message) : Error(ErrorCode::environment, message) {}
};

void replace(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (specs::replace_text_file(file, text)) return;
  throw CannotWrite(fmt::format("{}: cannot be written; is there space, and is the directory yours? "
                                       "--output DIR takes another",
                                       file.string()));
}

void refresh_one(const PackageSource& source, const std::string& name, const std::string& today,
                 const std::function<void(const std::string&)>& listener, RefreshReport& report) {
  const auto file = source.directory / (name + ".json");
  const auto before = known_package(file);
  auto after = pypi::refresh(name, before, today, *source.index, {}, source.name);
  if (!after) {
    report.not_reached.push_back({fmt::format("{}: {}", source.title, name), ""});
    return;
  }
  replace(file, specs::to_text(after->package));  // without news, too: the day on which it was read
  if (!after->changed) {
    ++report.unchanged;
    return;
  }
  const auto& releases = after->package.releases;
  report.news.push_back({name, releases.empty() ? "" : releases.back().version.text(), after->added,
                         after->withdrawn, after->unread});
  listener(fmt::format("{}: {} new, newest {}", name, after->added.size(), report.news.back().newest));
}

void refresh_source(const PackageSource& source, const std::string& today,
                    const std::function<void(const std::string&)>& listener, RefreshReport& report) {
  int failures = 0;
  std::vector<std::string> missed;
  std::string reason;
  for (const auto& name : source.names) {
    if (failures >= failures_to_give_up) {
      missed.push_back(name);
      continue;
    }
    try {
      refresh_one(source, name, today, listener, report);
      failures = 0;
    } catch (const CannotWrite&) {
      throw;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::environment) throw;
      ++failures;
      missed.push_back(name);
      reason = error.what();
    }
  }
  if (!missed.empty())
    report.not_reached.push_back({fmt::format("{}: {}", source.title, fmt::join(missed, ", ")), reason});
}

}  // namespace

RefreshReport refresh_packages(const std::vector<PackageSource>& sources, const std::string& today,
                               const std::function<void(const std::string&)>& listener) {
  RefreshReport report;
  for (const auto& source : sources) refresh_source(source, today, listener, report);
  return report;
}

namespace {

void refresh_cuda(const NvidiaSources& sources, const fs::path& directory, const std::string& today,
                  pypi::Transport& transport, RefreshReport& report) {
  const auto file = directory / "nvidia/cuda.json";
  const auto known = pypi::load_cuda_releases(file);
  const auto now = pypi::cuda_releases(sources.redistributables, known, transport);
  replace(file, pypi::to_text(now, today));
  if (now.size() == known.size()) {
    ++report.unchanged;
    return;
  }
  PackageNews news{"CUDA releases", "", {}, {}, {}};
  for (const auto& [label, release] : now)
    if (!known.contains(label)) news.added.push_back(label), news.newest = label;
  report.news.push_back(std::move(news));
}

std::vector<std::string> known_tags(const fs::path& file) {
  if (!fs::exists(file)) return {};
  const auto document = specs::Node::parse_file(file);
  document.schema("stackx/tags/1");
  return document.at("tags").texts();
}

void refresh_tags(const NvidiaSources& sources, const std::string& repository, const fs::path& directory,
                  const std::string& today, pypi::Transport& transport, RefreshReport& report) {
  auto name = repository;
  std::ranges::replace(name, '/', '-');
  const auto file = directory / "containers" / (name + ".json");
  const auto known = known_tags(file);
  const auto now = pypi::registry_tags(sources.registry, repository, transport);
  if (now.empty() && !known.empty())
    throw broken_environment(fmt::format("{}: the registry lists no tag any more; what was known stays", repository));
  std::string text = fmt::format("{{\"$schema\": \"stackx/tags/1\", \"repository\": {}, \"as_of\": {}, \"tags\": [",
                                 specs::Json(repository).dump(), specs::Json(today).dump());
  for (std::size_t i = 0; i < now.size(); ++i) text += (i ? ",\n" : "\n") + specs::Json(now[i]).dump();
  replace(file, text + "\n]}\n");
  if (now == known) {
    ++report.unchanged;
    return;
  }
  PackageNews news{repository, now.empty() ? "" : now.back(), {}, {}, {}};
  std::ranges::set_difference(now, known, std::back_inserter(news.added));
  std::ranges::set_difference(known, now, std::back_inserter(news.withdrawn));
  report.news.push_back(std::move(news));
}

}  // namespace

void refresh_nvidia(const NvidiaSources& sources, const fs::path& directory, const std::string& today,
                    pypi::Transport& transport, RefreshReport& report) {
  const auto attempt = [&](const std::string& what, const auto& read) {
    try {
      read();
      return true;
    } catch (const CannotWrite&) {
      throw;
    } catch (const Error& error) {
      // What a server sends that nobody can read is its fault, not the user's.
      report.not_reached.push_back({what, error.what()});
      return false;
    }
  };
  attempt("NVIDIA's redistributables", [&] { refresh_cuda(sources, directory, today, transport, report); });
  for (const auto& repository : sources.repositories)
    if (!attempt("containers of " + repository,
                 [&] { refresh_tags(sources, repository, directory, today, transport, report); }))
      break;  // the registry is out of reach for the others, too
}

std::vector<std::string> packages_to_refresh(const fs::path& data_directory) {
  const auto document = specs::Node::parse_file(data_directory / "packages.json");
  document.schema("stackx/packages/1");
  document.only({"$schema", "description", "packages"});
  const auto list = document.at("packages");
  auto names = list.texts();
  for (auto& name : names) name = specs::normalized_name(name);
  return names;
}

}  // namespace stackx::advisor
