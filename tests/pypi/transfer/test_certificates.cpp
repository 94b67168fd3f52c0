// Certificates are where a system has them, whichever it is.
#include "pypi/transfer/certificates.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

using namespace stackx;
namespace fs = std::filesystem;

TEST_CASE("the system's certificates are found on Debian and on RHEL", "[pypi]") {
  char name[] = "/tmp/stackx-certificates-XXXXXX";
  const fs::path root = mkdtemp(name);
  CHECK(pypi::system_certificates(root).empty());
  const auto put = [&](const fs::path& file) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "-----BEGIN CERTIFICATE-----\n";
    return (root / file).string();
  };
  const auto rhel = put("etc/pki/tls/certs/ca-bundle.crt");
  CHECK(pypi::system_certificates(root) == rhel);
  const auto debian = put("etc/ssl/certs/ca-certificates.crt");
  CHECK(pypi::system_certificates(root) == debian);
  fs::remove(debian);
  fs::create_directory(debian);  // what podman mounts where the host has none
  CHECK(pypi::system_certificates(root) == rhel);
  fs::remove_all(root);
}
