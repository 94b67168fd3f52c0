#include "workspace/index/pip_index.hpp"

#include <fmt/format.h>

#include "inspector/paths.hpp"
#include "workspace/index/pip.hpp"

namespace stackx::workspace {

PipIndex::PipIndex(const pypi::PipOptions& options, bool offline, std::chrono::minutes fresh) {
  const auto pip = pip_settings(options);
  const auto remark = [this](const std::string& text) { line_.say("stackx: " + text); };
  for (const auto& text : pip.remarks) remark(text);
  auto http = http_settings(pip);
  http.waiting = [this](const std::string& server, std::chrono::seconds time) {
    line_.show(fmt::format("waiting {} s for {}", time.count(), server));
  };
  transport_ = pypi::make_curl(http);
  auto settings = index_settings(pip, offline);
  settings.remark = remark;
  settings.fresh = fresh;
  index_ = std::make_unique<pypi::Index>(std::move(settings), pypi::Cache(inspector::cache_directory() / "pypi"), *transport_,
                                         [this](const pypi::Progress& progress) {
                                           line_.show(fmt::format("[{}/{}]  {}", progress.done, progress.planned,
                                                                  progress.current));
                                         });
}

}  // namespace stackx::workspace
