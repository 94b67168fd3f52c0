// Where pip looks for packages, asked from pip: its index, extra ones, find-links, whom to trust and how long to wait.
//
// The order is pip's (specs/python/pip_config.hpp), after what a command names: a command's index takes the place of
// pip's, its extra ones and find-links come after pip's. Where nothing names an index, pip says what it defaults to; no
// index is known here. Trust: pip's `cert`, else $REQUESTS_CA_BUNDLE, $SSL_CERT_FILE, $CURL_CA_BUNDLE, else the system's.
// An index that is no http or https URL is refused before anybody else sees it, and not repeated: pip takes
// "user:password@host/simple" for a path, and so would every message. An extra one is left out, as pip does, and said.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stackx::pypi {

// What a command line says; what is empty, pip says.
struct PipOptions {
  std::string python = "python3";  // that has the pip to ask
  std::string index_url = {};
  std::vector<std::string> extra_index_urls = {}, find_links = {};
  bool no_index = false;
  std::uint64_t timeout_seconds = 0;
};

struct PipSettings {
  std::string index_url = {}, ca_file = {};  // the index is "" with no_index, where nothing names one
  std::vector<std::string> extra_index_urls = {};
  std::vector<std::string> find_links = {};  // pypi/find_links.hpp
  bool no_index = false;                     // find_links alone
  std::chrono::seconds timeout{15};          // pip's own default
  int retries = 3;                           // pip: five; see http.hpp for what they take together
  std::vector<std::string> remarks = {};     // what of it does not count
};

// Runs a program, without a shell: what it wrote to stdout, or nothing if it failed.
using Ask = std::function<std::optional<std::string>(std::vector<std::string> argv)>;

// Throws Error(environment) where nothing names an index, Error(bad_input) for what pip refuses, and for an index that is
// none on the web.
PipSettings pip_settings(const PipOptions& options, const std::map<std::string, std::string>& environment,
                         const Ask& ask);

}  // namespace stackx::pypi
