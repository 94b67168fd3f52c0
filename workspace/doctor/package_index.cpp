#include <fmt/format.h>

#include <chrono>
#include <string>

#include "pypi/index/find_links.hpp"
#include "pypi/transfer/http.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "workspace/doctor/install_command.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"
#include "workspace/index/pip.hpp"

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

Finding unanswered(const std::string& who, const std::string& failure) {
  return {"package index", Status::poor, fmt::format("{} does not answer: {}", who, brief_words(failure)), no_packages,
          "Look at the network and its proxy ($https_proxy), and where pip is told to look (pip config list)"};
}

// Any index has an answer about pip: its files, or that it has none.
Finding answered(const std::string& who, const pypi::Response& response) {
  const auto status = response.status;
  if (status < 300 || status == 404) return {"package index", Status::ok, fmt::format("{} answers", who), "", ""};
  if (status == 401 || status == 403 || status == 407)
    return {"package index", Status::poor, fmt::format("{} refuses us (HTTP {})", who, status), no_packages,
            "Give pip your login there (pip config set global.index-url https://USER:PASSWORD@HOST/simple, or ~/.netrc)"};
  return {"package index", Status::poor, fmt::format("{} answers with HTTP {}", who, status), no_packages,
          "Ask whoever runs it, or name another index (pip config set global.index-url URL)"};
}

// One of the indices; `name`: "pip's index".
Finding look_at_one(const std::string& name, const std::string& url, pypi::Transport& transport) {
  const auto slash = url.ends_with('/') ? "" : "/";
  const auto response = transport.try_one({.url = url + slash + "pip/", .limit = 1 << 20});
  const auto who = fmt::format("{}, {},", name, host_of(url));
  return response.failure.empty() ? answered(who, response) : unanswered(who, response.failure);
}

// Places that hold files, without a server.
Findings look_at_links(const pypi::PipSettings& settings) {
  Findings findings;
  const auto found = pypi::find_links(settings.find_links);
  for (const auto& remark : found.remarks)
    findings.push_back({"package index", Status::poor, brief_words(remark, 200), "files that are there for pip are not found",
                        "Look where pip is told to look (pip config list, $PIP_FIND_LINKS)"});
  const bool nothing = found.pages.empty() && found.linked.empty() && found.files.empty();
  if (settings.no_index && nothing)
    findings.push_back({"package index", Status::poor, "pip is told to ask no index, and no files are named", no_packages,
                        "Take PIP_NO_INDEX (no-index) away, or name a directory of wheels in $PIP_FIND_LINKS"});
  else if (settings.no_index)
    findings.push_back({"package index", Status::ok, "pip asks no index (no-index), but takes what find-links name", "", ""});
  return findings;
}

}  // namespace

Findings look_at_index(bool offline) {
  if (offline) return {{"package index", Status::unknown, "not asked (--offline)", "", ""}};
  pypi::PipSettings settings;
  try {
    settings = pip_settings({}, moment);
  } catch (const Error& error) {
    return {{"package index", Status::poor, brief_words(error.what(), 200), no_packages,
             "Name it in $PIP_INDEX_URL, or install pip (" + install_command("python3-pip") + ")"}};
  }
  auto findings = look_at_links(settings);
  if (settings.no_index) return findings;
  const auto transport = pypi::make_curl({.ca_file = settings.ca_file, .most_milliseconds = patience.count()});
  findings.insert(findings.begin(), look_at_one("pip's index", settings.index_url, *transport));
  for (const auto& url : settings.extra_index_urls)
    findings.push_back(look_at_one("pip's extra index", url, *transport));
  return findings;
}

}  // namespace stackx::workspace
