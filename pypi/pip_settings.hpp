// What pip is configured with, asked from pip: the index, and whom to trust.
//
// The order is pip's: $PIP_INDEX_URL, its configuration files (command `install` before `global`), else what pip
// itself defaults to. No index is known here. Trust: pip's `cert`, else $REQUESTS_CA_BUNDLE, $SSL_CERT_FILE,
// $CURL_CA_BUNDLE, else the system's. An index that is no http or https URL is refused before anybody else sees it, and
// not repeated: pip takes "user:password@host/simple" for a path, and so would every message.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stackx::pypi {

struct PipSettings {
  std::string index_url, ca_file;
  std::vector<std::string> extra_index_urls = {};  // where pip looks, too; those on the web
};

// Runs a program, without a shell: what it wrote to stdout, or nothing if it failed.
using Ask = std::function<std::optional<std::string>(std::vector<std::string> argv)>;

// `python` is a Python with pip; `index_url`, if not empty, is taken instead of asking for it. Throws
// Error(environment) where nothing names an index, Error(bad_input) where it is none on the web.
PipSettings pip_settings(const std::string& python, const std::string& index_url,
                         const std::map<std::string, std::string>& environment, const Ask& ask);

}  // namespace stackx::pypi
