// Where a system keeps the certificates that it trusts. A libcurl of the system knows; one that is linked into a program
// which runs on every Linux cannot, and asks here.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::pypi {

// The first of the usual files that is there, below `root`; "" if none is. $SSL_CERT_FILE is pip_settings' business.
// The list is Go's (crypto/x509/root_linux.go), which runs on as many systems.
std::string system_certificates(const std::filesystem::path& root = "/");

}  // namespace stackx::pypi
