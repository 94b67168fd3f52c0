#include "pypi/pip_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/python/pip_config.hpp"

namespace stackx::pypi {
namespace {

using Variables = std::map<std::string, std::string>;

std::string trusted_file(const specs::PipConfig& pip, const Variables& environment) {
  if (const auto file = pip.text("cert"); !file.empty()) return file;
  for (const char* name : {"REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE"})
    if (const auto found = environment.find(name); found != environment.end() && !found->second.empty()) return found->second;
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

// Those that pip is configured with, then those of the command line.
std::vector<std::string> both(std::vector<std::string> configured, const std::vector<std::string>& named) {
  configured.insert(configured.end(), named.begin(), named.end());
  return configured;
}

std::string index_of(const PipOptions& options, const specs::PipConfig& pip, bool no_index, const Ask& ask) {
  if (!options.index_url.empty()) {
    check_web_url(options.index_url, "--index-url");
    return options.index_url;
  }
  auto url = pip.text("index-url");
  if (url.empty() && no_index) return "";
  if (url.empty()) url = default_index(options.python, ask);
  check_web_url(url, "the index that pip is configured with ($PIP_INDEX_URL, `pip config list`)");
  return url;
}

void wait_as_pip(PipSettings& settings, const specs::PipConfig& pip, std::uint64_t named) {
  for (const char* key : {"default-timeout", "timeout"})
    if (const auto seconds = pip.number(key)) settings.timeout = std::chrono::seconds(std::lround(std::max(1.0, *seconds)));
  if (named > 0) settings.timeout = std::chrono::seconds(named);
  if (const auto times = pip.number("retries")) settings.retries = static_cast<int>(*times);
}

}  // namespace

PipSettings pip_settings(const PipOptions& options, const Variables& environment, const Ask& ask) {
  const auto listed = specs::pip_reads_files(environment) ? ask({options.python, "-m", "pip", "config", "list"}) : std::nullopt;
  const specs::PipConfig pip(listed.value_or(""), environment);
  PipSettings settings;
  settings.no_index = options.no_index || pip.flag("no-index");
  settings.ca_file = trusted_file(pip, environment);
  settings.index_url = index_of(options, pip, settings.no_index, ask);
  settings.find_links = both(pip.list("find-links"), options.find_links);
  for (const auto& url : options.extra_index_urls) check_web_url(url, "--extra-index-url");
  for (auto& url : both(pip.list("extra-index-url"), options.extra_index_urls))
    if (is_web_url(url))
      settings.extra_index_urls.push_back(std::move(url));
    else
      settings.remarks.push_back("an extra index of pip's ($PIP_EXTRA_INDEX_URL, `pip config list`) is no http or https URL: left out");
  wait_as_pip(settings, pip, options.timeout_seconds);
  return settings;
}

}  // namespace stackx::pypi
