// The tags of a repository of container images, as an OCI registry lists them (distribution spec, "Listing tags").
//
// Anonymous: a registry that answers 401 says where a token for pulling is to be had (RFC 6750: WWW-Authenticate: Bearer
// realm="...", service="...", scope="..."); it is asked for one, once. Tags tell which releases of a container exist; what is in
// them stands in release notes.
#pragma once

#include <string>
#include <vector>

#include "pypi/transfer/http.hpp"

namespace stackx::pypi {

// `base`: "https://nvcr.io"; `repository`: "nvidia/pytorch". Sorted. Throws Error(environment).
std::vector<std::string> registry_tags(const std::string& base, const std::string& repository, Transport& transport);

}  // namespace stackx::pypi
