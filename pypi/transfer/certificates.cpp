#include "pypi/transfer/certificates.hpp"

#include <system_error>

namespace stackx::pypi {

std::string system_certificates(const std::filesystem::path& root) {
  for (const char* const place : {
           "etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo, Alpine
           "etc/pki/tls/certs/ca-bundle.crt",                   // RHEL, Rocky, Fedora, Amazon Linux
           "etc/ssl/ca-bundle.pem",                             // SUSE
           "etc/pki/tls/cacert.pem",                            // OpenELEC
           "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // CentOS 7, RHEL 7
           "etc/ssl/cert.pem",                                  // Alpine, Void
       }) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(root / place, ignored)) return (root / place).string();
  }
  return "";
}

}  // namespace stackx::pypi
