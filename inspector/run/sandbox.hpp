// Where a PI runs: under bubblewrap if this machine allows it, else directly, and then the runner's
// name says so.
//
// In the sandbox: no network, no other processes to see, the root read-only, homes and /run hidden,
// /tmp private and bounded, no capabilities, no new privileges. What the stack needs from hidden
// places (wheels, the PI) is bound read-only at its own path, so that mapped files have the same
// names inside and outside. bubblewrap may be installed and still forbidden (user namespaces off, a
// container without privileges): it is tried once with exactly the options used later.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inspector/run/confinement.hpp"

namespace stackx::inspector {

class Sandbox : public Confiner {
 public:
  // Tries bubblewrap by running the supervisor with /bin/true in it.
  static Sandbox probe(const std::filesystem::path& supervisor);
  static Sandbox none(std::string why);

  bool available() const override { return !program_.empty(); }
  std::string description() const override { return description_; }  // or "no sandbox: ..."

  // The program to run is the supervisor (always visible). What is not there is an error of bubblewrap.
  std::vector<std::string> wrap(const Confinement& confinement) const override;

 private:
  std::filesystem::path program_, supervisor_;
  std::string description_;
  std::vector<std::filesystem::path> hidden_, devices_;
};

}  // namespace stackx::inspector
