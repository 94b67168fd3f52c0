#include "inspector/process/passed_environment.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace stackx::inspector {
namespace {

// Names; those that end in "*" begin so.
using Names = std::vector<std::string_view>;

const Names of_tools{"HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LD_LIBRARY_PATH", "XDG_*", "CUDA_VISIBLE_DEVICES"};
const Names of_engines{"DOCKER_*", "CONTAINER_*", "CONTAINERS_*", "_CONTAINERS_*", "STORAGE_*", "BUILDAH_*",
                       "REGISTRY_AUTH_FILE", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK"};
const Names of_fetching{"http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY",
                        "FTP_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"};

// Whose values are paths, or lists of paths and URLs.
const Names of_paths{"TMPDIR", "VIRTUAL_ENV", "CONDA_PREFIX", "UV_CACHE_DIR", "UV_CONFIG_FILE", "PIP_CONFIG_FILE",
                     "PIP_CERT", "PIP_CLIENT_CERT", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSL_CLIENT_CERT",
                     "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC", "DOCKER_CONFIG", "DOCKER_CERT_PATH",
                     "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "CONTAINERS_REGISTRIES_CONF", "REGISTRY_AUTH_FILE",
                     "SLURM_CONF", "KUBECONFIG"};
const Names of_path_lists{"PIP_FIND_LINKS", "UV_FIND_LINKS"};

bool is_named(const std::string& name, const Names& names) {
  return std::ranges::any_of(names, [&](std::string_view wanted) {
    if (!wanted.ends_with('*')) return name == wanted;
    return name.starts_with(wanted.substr(0, wanted.size() - 1));
  });
}

std::string absolute_path(const std::string& path) {
  if (path.empty() || path[0] == '/' || path[0] == '~' || path.starts_with("file:") || path.find("://") != path.npos)
    return path;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

// pip divides at spaces, uv at commas.
std::string absolute_paths(const std::string& list) {
  std::string result;
  for (std::size_t from = 0; from <= list.size();) {
    const auto to = std::min(list.find_first_of(" ,\t\n", from), list.size());
    result += absolute_path(list.substr(from, to - from)) + list.substr(to, 1);
    from = to + 1;
  }
  return result;
}

Environment with(Environment result, const Names& names) {
  for (auto& [name, value] : installer_environment())
    if (is_named(name, names)) result.emplace(name, value);
  return result;
}

}  // namespace

Environment bare_environment() {
  Environment result = with({}, {"PATH"});
  result.emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  result["LC_ALL"] = "C.UTF-8";
  return result;
}

Environment tool_environment() { return with(bare_environment(), of_tools); }
Environment engine_environment() { return with(tool_environment(), of_engines); }
Environment fetching_environment() { return with(engine_environment(), of_fetching); }

Environment installer_environment() {
  auto result = current_environment();
  for (auto& [name, value] : result) {
    if (is_named(name, of_paths)) value = absolute_path(value);
    if (is_named(name, of_path_lists)) value = absolute_paths(value);
  }
  return result;
}

}  // namespace stackx::inspector
