#include "inspector/run/passed_environment.hpp"

#include <algorithm>
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

bool is_named(const std::string& name, const Names& names) {
  return std::ranges::any_of(names, [&](std::string_view wanted) {
    if (!wanted.ends_with('*')) return name == wanted;
    return name.starts_with(wanted.substr(0, wanted.size() - 1));
  });
}

Environment with(Environment result, const Names& names) {
  for (auto& [name, value] : current_environment())
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

}  // namespace stackx::inspector
