#include <fmt/format.h>

#include <chrono>
#include <string>

#include "pypi/http.hpp"
#include "specs/error.hpp"
#include "workspace/doctor/install_command.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"
#include "workspace/pip.hpp"

namespace stackx::workspace {
namespace {

constexpr std::chrono::milliseconds patience{2500};
constexpr const char* no_packages = "packages that are not cached cannot be fetched or looked up";

// "host:8080" of "https://user:password@host:8080/simple".
std::string host_of(const std::string& url) {
  const auto shown = pypi::shown_url(url);
  const auto from = shown.find("://");
  if (from == shown.npos) return "the index";
  return brief_words(shown.substr(from + 3, shown.find_first_of("/?#", from + 3) - from - 3));
}

Finding unanswered(const std::string& host, const std::string& failure) {
  return {"package index", Status::poor, fmt::format("pip's index, {}, does not answer: {}", host, brief_words(failure)), no_packages,
          "Look at the network and its proxy ($https_proxy), and where pip is told to look (pip config list)"};
}

// Any index has an answer about pip: its files, or that it has none.
Finding answered(const std::string& host, const pypi::Response& response) {
  const auto status = response.status;
  if (status < 300 || status == 404) return {"package index", Status::ok, fmt::format("pip's index, {}, answers", host), "", ""};
  if (status == 401 || status == 403 || status == 407)
    return {"package index", Status::poor, fmt::format("pip's index, {}, refuses us (HTTP {})", host, status), no_packages,
            "Give pip your login there (pip config set global.index-url https://USER:PASSWORD@HOST/simple, or ~/.netrc)"};
  return {"package index", Status::poor, fmt::format("pip's index, {}, answers with HTTP {}", host, status), no_packages,
          "Ask whoever runs it, or name another index (pip config set global.index-url URL)"};
}

}  // namespace

Findings look_at_index(bool offline) {
  if (offline) return {{"package index", Status::unknown, "not asked (--offline)", "", ""}};
  pypi::PipSettings settings;
  try {
    settings = pip_settings("python3", "", moment);
  } catch (const Error& error) {
    return {{"package index", Status::poor, brief_words(error.what(), 200), no_packages,
             "Name it in $PIP_INDEX_URL, or install pip (" + install_command("python3-pip") + ")"}};
  }
  const auto host = host_of(settings.index_url);
  const auto transport = pypi::make_curl({.ca_file = settings.ca_file, .most_milliseconds = patience.count()});
  const auto slash = settings.index_url.ends_with('/') ? "" : "/";
  const auto response = transport->try_one({.url = settings.index_url + slash + "pip/", .limit = 1 << 20});
  if (!response.failure.empty()) return {unanswered(host, response.failure)};
  return {answered(host, response)};
}

}  // namespace stackx::workspace
