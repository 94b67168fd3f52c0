#include "pypi/pip_settings.hpp"

#include <fmt/core.h>

#include <map>
#include <sstream>

#include "pypi/http.hpp"
#include "specs/error.hpp"

namespace stackx::pypi {
namespace {

using Configuration = std::map<std::string, std::string>;

std::string variable(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// `pip config list` prints lines like global.index-url='https://...'
Configuration configuration(const std::string& python, const Ask& ask) {
  const auto answer = ask({python, "-m", "pip", "config", "list"});
  Configuration result;
  if (!answer) return result;
  std::istringstream lines(*answer);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals == line.npos || line.size() < equals + 3) continue;
    result[line.substr(0, equals)] = line.substr(equals + 2, line.size() - equals - 3);
  }
  return result;
}

std::string configured(const Configuration& configuration, const std::string& key) {
  for (const char* section : {":env:.", "install.", "global."})
    if (const auto found = configuration.find(section + key); found != configuration.end())
      return found->second;
  return "";
}

std::string default_index(const std::string& python, const Ask& ask) {
  const auto answer =
      ask({python, "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"});
  const auto url = answer ? answer->substr(0, answer->find_first_of("\r\n")) : "";
  if (!url.empty()) return url;
  throw broken_environment(
      fmt::format("{} -m pip does not say which package index it uses; name a Python that has pip "
                  "with --pip, or the index with --index-url",
                  python));
}

}  // namespace

PipSettings pip_settings(const std::string& python, const std::string& index_url,
                         const std::map<std::string, std::string>& environment, const Ask& ask) {
  const auto pip = configuration(python, ask);
  if (!index_url.empty()) check_web_url(index_url, "--index-url");
  PipSettings settings{index_url, variable(environment, "PIP_CERT")};
  for (const std::string& file :
       {configured(pip, "cert"), variable(environment, "REQUESTS_CA_BUNDLE"),
        variable(environment, "SSL_CERT_FILE"), variable(environment, "CURL_CA_BUNDLE")})
    if (settings.ca_file.empty()) settings.ca_file = file;
  if (settings.index_url.empty()) {  // one that is named takes the place of all
    auto extra = variable(environment, "PIP_EXTRA_INDEX_URL");
    if (extra.empty()) extra = configured(pip, "extra-index-url");
    for (std::size_t at; (at = extra.find("\\n")) != extra.npos;) extra.replace(at, 2, " ");
    std::istringstream words(extra);
    for (std::string url; words >> url;)
      if (is_web_url(url)) settings.extra_index_urls.push_back(url);
  }
  if (settings.index_url.empty()) settings.index_url = variable(environment, "PIP_INDEX_URL");
  if (settings.index_url.empty()) settings.index_url = configured(pip, "index-url");
  if (settings.index_url.empty()) settings.index_url = default_index(python, ask);
  check_web_url(settings.index_url, "the index that pip is configured with ($PIP_INDEX_URL, `pip config list`)");
  return settings;
}

}  // namespace stackx::pypi
