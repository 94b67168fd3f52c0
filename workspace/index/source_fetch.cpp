#include "workspace/index/source_fetch.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "inspector/paths.hpp"
#include "pypi/index/download.hpp"
#include "specs/error.hpp"
#include "workspace/index/pip.hpp"

namespace stackx::workspace {
namespace {

// Says nothing: who measures has a progress line.
class Places {
 public:
  std::expected<std::string, pypi::NotFetched> get(const pypi::WantedFile& wanted) {
    return pypi::download(wanted, index_, *transport_);
  }

 private:
  static pypi::IndexSettings asked_anew(const pypi::PipSettings& pip) {
    auto settings = index_settings(pip, false);
    settings.fresh = std::chrono::minutes(0);
    return settings;
  }

  pypi::PipSettings pip_ = pip_settings({});
  std::unique_ptr<pypi::Transport> transport_ = pypi::make_curl(http_settings(pip_));
  pypi::Index index_{asked_anew(pip_), pypi::Cache(inspector::cache_directory() / "pypi"), *transport_, pypi::Listener{}};
};

std::unexpected<inspector::BuildFailure> not_fetched(const inspector::WheelRequest& request, const std::string& why,
                                                     specs::Outcome outcome) {
  return std::unexpected(inspector::BuildFailure{
      fmt::format("{} {}: {} cannot be fetched: {}", request.package, request.version, request.file, why), "", outcome});
}

}  // namespace

inspector::FetchSource source_fetch() {
  return [places = std::shared_ptr<Places>()](
             const inspector::WheelRequest& request,
             const std::filesystem::path& file) mutable -> std::expected<inspector::FetchedSource, inspector::BuildFailure> {
    using specs::Outcome;
    try {
      if (!places) places = std::make_shared<Places>();
      const auto bytes = places->get({request.package, request.file, request.sha256, request.size});
      if (!bytes)
        return not_fetched(request, bytes.error().reason,
                           bytes.error().other_hash.empty() ? Outcome::build_failed : Outcome::hash_mismatch);
      const bool builds = !request.file.ends_with(".whl");
      auto needed = builds ? pypi::build_requires(*bytes) : std::vector<std::string>();
      if (!needed) return not_fetched(request, needed.error(), Outcome::build_failed);
      std::ofstream stream(file, std::ios::binary);
      stream << *bytes;
      stream.close();
      if (!stream) return not_fetched(request, file.string() + " cannot be written", Outcome::disk_full);
      return inspector::FetchedSource{std::move(*needed)};
    } catch (const Error& error) {
      return not_fetched(request, error.what(), Outcome::build_failed);
    }
  };
}

}  // namespace stackx::workspace
