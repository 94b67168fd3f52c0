// What a program may see and use, and who holds it to that: bubblewrap (sandbox.hpp) or a container
// (container.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stackx::inspector {

// Everything else is out of reach: no network, a read-only root that holds the system's programs and libraries and
// nothing of its users, private /tmp and /dev/shm, no capabilities, no new privileges, no other process to see.
struct Confinement {
  std::vector<std::filesystem::path> visible;   // read-only, at their own paths; absolute
  std::vector<std::filesystem::path> writable;  // the same, for builds
  std::filesystem::path directory;              // where the program begins, one of those; empty: its scratch, /tmp
  std::uint64_t disk_bytes = 0;                 // that may lie in them together; 0: no limit
  bool network = false;                         // where packages are fetched and none of their code runs
  bool peers = false;                           // a PI on several nodes: the machine's network, and devices of InfiniBand
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  // a quarter of it for /tmp, and for /dev/shm
  std::uint64_t processes = 256;
  std::vector<int> cpus;  // empty: all
  std::string image;      // what a container is made of
  std::vector<std::string> gpus;  // CDI devices ("nvidia.com/gpu=0"), for containers

  std::uint64_t tasks() const;  // processes and threads: libraries start some for every CPU of the machine
  // What control groups are told, above what the supervisor holds processes to: the supervisor gives a reason instead of
  // a killed process, and a group counts the files that were read, too, which it would drop at its limit.
  std::uint64_t group_bytes() const;
};

// What the supervisor needs where it is root, to run the PI as another user, to give that user what it may write, and to
// count and end what is not its own any more. bubblewrap writes them "CAP_CHOWN", engines "CHOWN".
inline constexpr const char* supervisor_capabilities[] = {"CHOWN", "DAC_READ_SEARCH", "KILL", "SETGID", "SETUID",
                                                          "SYS_PTRACE"};

class Confiner {
 public:
  virtual ~Confiner() = default;
  virtual std::string description() const = 0;  // "bubblewrap 0.8.0", "podman 4.3.1, runc 1.1.5"
  // Whether the words below do confine: without, programs run directly and need a directory of their own.
  virtual bool available() const = 0;
  // The words before the program to run. Descriptor 3 reaches that program. Without a confiner empty, but for
  // what gives root's programs a control group.
  virtual std::vector<std::string> wrap(const Confinement& confinement) const = 0;
  // Of those words: what they need of our environment, and nothing that a PI should not know.
  virtual std::map<std::string, std::string> environment() const = 0;
  // What the supervisor behind them is told of the limits that they hold.
  virtual std::vector<std::string> orders() const { return {}; }
  // How long they may take before the program begins and after it ended, which is not the program's time.
  virtual std::chrono::seconds overhead() const { return std::chrono::seconds(5); }
  // After a run that had to be killed: ends what the words started beyond this process's children.
  virtual void clean_up(const std::vector<std::string>& words) const { (void)words; }
};

}  // namespace stackx::inspector
