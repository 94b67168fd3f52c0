#include "workspace/source_fetch.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "inspector/paths.hpp"
#include "pypi/download.hpp"
#include "specs/error.hpp"
#include "workspace/pip.hpp"

namespace stackx::workspace {
namespace {

class PipIndices {
 public:
  PipIndices()
      : settings_(pip_settings("python3", "")), transport_(pypi::make_curl({.ca_file = settings_.ca_file})) {
    auto urls = settings_.extra_index_urls;
    urls.insert(urls.begin(), settings_.index_url);
    for (const auto& url : urls)
      indices_.push_back(std::make_unique<pypi::Index>(
          pypi::IndexSettings{url, false, std::chrono::minutes(0)}, pypi::Cache(inspector::cache_directory() / "pypi"), *transport_,
          pypi::Listener{}));
  }

  std::expected<std::string, pypi::NotFetched> get(const pypi::WantedFile& wanted) {
    std::vector<pypi::Index*> all;
    for (const auto& index : indices_) all.push_back(index.get());
    return pypi::download(wanted, all, *transport_);
  }

 private:
  pypi::PipSettings settings_;
  std::unique_ptr<pypi::Transport> transport_;
  std::vector<std::unique_ptr<pypi::Index>> indices_;
};

std::unexpected<inspector::BuildFailure> not_fetched(const inspector::WheelRequest& request, const std::string& why,
                                                     specs::Outcome outcome) {
  return std::unexpected(inspector::BuildFailure{
      fmt::format("{} {}: {} cannot be fetched: {}", request.package, request.version, request.file, why), "", outcome});
}

}  // namespace

inspector::FetchSource source_fetch() {
  return [indices = std::shared_ptr<PipIndices>()](
             const inspector::WheelRequest& request,
             const std::filesystem::path& file) mutable -> std::expected<inspector::FetchedSource, inspector::BuildFailure> {
    using specs::Outcome;
    try {
      if (!indices) indices = std::make_shared<PipIndices>();
      const auto bytes = indices->get({request.package, request.file, request.sha256, request.size});
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
