// Where a PI runs: under bubblewrap if this machine allows it, else directly, and then the runner's
// name says so.
//
// In the sandbox the root holds what programs need and nothing else: /usr, /opt and the like, of /etc what loaders,
// locales, resolvers and drivers read, of /sys the devices, a /proc of its own, all read-only; no home, no /var, no
// /run; sockets that lie in what is shown are covered. /tmp and /dev/shm are private and bounded. No network, no other
// processes to see, no capabilities, no new privileges; where stackx is root, another user (supervise/confine.hpp).
// A PI on several nodes (peers) has the machine's network, and may connect wherever the machine may.
// What the stack needs beside (wheels, the PI) is bound read-only at its own path, so that mapped files have the same
// names inside and outside. Rejected: the whole root with private places hidden, which shows whatever nobody thought of
// (/etc/shadow, /srv).
//
// Limits of memory and tasks are a control group's: the guard makes it where that may be done (root), else systemd where
// the user has a manager of his own, else there is none and the supervisor counts.
//
// bubblewrap may be installed and still forbidden (user namespaces off, a container without privileges): it is tried
// once with exactly the options used later.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "inspector/confinement/confinement.hpp"

namespace stackx::inspector {

// Programs and libraries of the machine, which every sandbox shows.
inline constexpr const char* system_trees[] = {"/usr", "/opt", "/nix/store", "/gnu/store"};

class Sandbox : public Confiner {
 public:
  // Tries bubblewrap by running the supervisor with /bin/true in it, for so long each time.
  static Sandbox probe(const std::filesystem::path& supervisor,
                       std::chrono::milliseconds patience = std::chrono::seconds(20));
  // Of the limits, root's are a control group's there, too, if the supervisor is named, whose guard makes it.
  static Sandbox none(std::string why, const std::filesystem::path& supervisor = {});

  bool available() const override { return !program_.empty(); }
  std::string description() const override { return description_; }  // or "no sandbox: ..."

  // The program to run is the supervisor (always visible). What is not there is an error of bubblewrap.
  std::vector<std::string> wrap(const Confinement& confinement) const override;
  std::map<std::string, std::string> environment() const override;
  std::vector<std::string> orders() const override;
  // Whether a control group holds the memory of what runs here; root's is made for the answer, and goes away with it.
  bool has_control_group() const;

 private:
  std::vector<std::string> guarded(const Confinement& confinement) const;

  std::filesystem::path program_, supervisor_;
  std::chrono::milliseconds patience_{20'000};
  std::filesystem::path systemd_run_;  // for a control group; empty: none, or the guard makes it
  bool counted_ = false;               // and the group counts memory, as it was seen to
  std::string description_;
  std::vector<std::filesystem::path> devices_;
};

}  // namespace stackx::inspector
