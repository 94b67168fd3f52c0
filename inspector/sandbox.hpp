// Where a PI runs: under bubblewrap if this machine allows it, else directly, and then the runner's
// name says so.
//
// In the sandbox: no network, no other processes to see, the root read-only, homes and /run hidden,
// /tmp private and bounded, no capabilities, no new privileges. What the stack needs from hidden
// places (wheels, the PI) is bound read-only at its own path, so that mapped files have the same
// names inside and outside. bubblewrap may be installed and still forbidden (user namespaces off, a
// container without privileges): it is tried once with exactly the options used later.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stackx::inspector {

class Sandbox {
 public:
  // Tries bubblewrap by running the supervisor with /bin/true in it.
  static Sandbox probe(const std::filesystem::path& supervisor);
  static Sandbox none(std::string why);

  bool available() const { return !program_.empty(); }
  std::string description() const { return description_; }  // "bubblewrap 0.8.0", "no sandbox: ..."

  // The words before the program to run, which the supervisor is (always visible). Empty without a
  // sandbox.
  //   visible        files and directories to bind read-only, absolute; missing ones are an error
  //   of bubblewrap scratch_bytes  size of /tmp, and of /dev/shm
  std::vector<std::string> wrap(const std::vector<std::filesystem::path>& visible,
                                std::uint64_t scratch_bytes) const;

 private:
  std::filesystem::path program_, supervisor_;
  std::string description_;
  std::vector<std::filesystem::path> hidden_, devices_;
};

}  // namespace stackx::inspector
