#include "pypi/redistributables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::pypi {
namespace {

using specs::Json;

Response read(const std::string& url, Transport& transport) {
  auto result = transport.get_one({.url = url});
  if (result.status != 200)
    throw broken_environment(fmt::format("{}: the server answered HTTP {}; try later", shown_url(url), result.status));
  return result;
}

// The labels on the page, each once.
std::vector<std::string> labels(const std::string& page) {
  static const std::regex link(R"(redistrib_([0-9]+(?:\.[0-9]+)+)\.json)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(page.begin(), page.end(), link), end; at != end; ++at) found.push_back((*at)[1]);
  std::ranges::sort(found);
  const auto same = std::ranges::unique(found);
  found.erase(same.begin(), same.end());
  return found;
}

CudaRelease release_of(const Response& response) {
  const auto document = specs::Node::parse_text(response.body, response.url);
  CudaRelease release;
  if (const auto date = document.find("release_date")) release.date = date->text();
  if (const auto driver = document.find("nvidia_driver"))
    if (const auto version = driver->find("version")) release.driver = version->text();
  if (release.date.empty() && release.driver.empty())
    throw broken_environment(fmt::format("{}: states neither a date nor a driver; is it NVIDIA's list?", shown_url(response.url)));
  return release;
}

}  // namespace

CudaReleases cuda_releases(const std::string& base, const CudaReleases& known, Transport& transport) {
  auto result = known;
  const auto root = base.ends_with('/') ? base : base + "/";
  for (const auto& label : labels(read(root, transport).body))
    if (!result.contains(label))
      result[label] = release_of(read(fmt::format("{}redistrib_{}.json", root, label), transport));
  return result;
}

std::string to_text(const CudaReleases& releases, const std::string& as_of) {
  std::string text = fmt::format("{{\"$schema\": \"stackx/cuda-releases/1\", \"as_of\": {}, \"releases\": {{", Json(as_of).dump());
  const char* between = "\n";
  for (const auto& [label, release] : releases) {
    text += fmt::format("{}{}: {}", between, Json(label).dump(),
                        Json({{"driver", release.driver}, {"date", release.date}}).dump());
    between = ",\n";
  }
  return text + "\n}}\n";
}

CudaReleases load_cuda_releases(const std::filesystem::path& file) {
  CudaReleases releases;
  if (!std::filesystem::exists(file)) return releases;
  const auto document = specs::Node::parse_file(file);
  document.schema("stackx/cuda-releases/1");
  document.only({"$schema", "as_of", "releases"});
  for (const auto& [label, release] : document.at("releases").members())
    releases[label] = {release.at("driver").text(), release.at("date").text()};
  return releases;
}

std::map<std::string, std::string> drivers_of_toolkits(const CudaReleases& releases) {
  std::map<std::string, std::pair<specs::Version, std::string>> first;
  for (const auto& [label, release] : releases) {
    const auto version = specs::Version::parse(label, specs::Versioning::pep440);
    if (release.driver.empty() || !version) continue;
    auto [at, fresh] = first.try_emplace(specs::minor_release(label), *version, release.driver);
    if (!fresh && *version < at->second.first) at->second = {*version, release.driver};
  }
  std::map<std::string, std::string> drivers;
  for (const auto& [cuda, one] : first) drivers[cuda] = one.second;
  return drivers;
}

}  // namespace stackx::pypi
