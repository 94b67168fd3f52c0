#include "workspace/pip_index.hpp"

#include <fmt/format.h>

#include "inspector/paths.hpp"
#include "workspace/pip.hpp"

namespace stackx::workspace {

PipIndex::PipIndex(const std::string& pip, const std::string& index_url, bool offline)
    : settings_(pip_settings(pip, index_url)), transport_(pypi::make_curl({.ca_file = settings_.ca_file})) {
  auto urls = settings_.extra_index_urls;
  urls.insert(urls.begin(), settings_.index_url);
  for (const auto& url : urls)
    indices_.push_back(std::make_unique<pypi::Index>(
        pypi::IndexSettings{url, offline}, pypi::Cache(inspector::cache_directory() / "pypi"), *transport_, [this](const pypi::Progress& progress) {
          line_.show(fmt::format("[{}/{}]  {}", progress.done, progress.planned, progress.current));
        }));
}

std::vector<pypi::Index*> PipIndex::all() const {
  std::vector<pypi::Index*> all;
  for (const auto& one : indices_) all.push_back(one.get());
  return all;
}

}  // namespace stackx::workspace
