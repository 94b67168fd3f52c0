#include "workspace/pip_index.hpp"

#include <fmt/format.h>

#include "inspector/paths.hpp"
#include "workspace/pip.hpp"

namespace stackx::workspace {

PipIndex::PipIndex(const std::string& pip, const std::string& index_url, bool offline)
    : settings_(pip_settings(pip, index_url)),
      transport_(pypi::make_curl({.ca_file = settings_.ca_file})),
      index_({settings_.index_url, offline}, pypi::Cache(inspector::cache_directory() / "pypi"), *transport_,
             [this](const pypi::Progress& progress) {
               line_.show(fmt::format("[{}/{}]  {}", progress.done, progress.planned, progress.current));
             }) {}

}  // namespace stackx::workspace
