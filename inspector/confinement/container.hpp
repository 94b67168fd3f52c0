// Runs a program in a container: no network, a read-only root, all capabilities dropped, no new privileges,
// and the limits that this machine's engine can enforce (the supervisor inside enforces memory, processes
// and CPUs again, wherever control groups do not).
//
// Of an image nothing counts but its files: not its user, its entry point, its directory, its volumes, its checks of
// health. The supervisor is PID 1 there. Its channel is descriptor 3, passed through by podman; docker passes none,
// so there a relay (supervise/relay.hpp) stands before the engine and listens on a socket that is mounted.
// What the confinement shows is mounted at its own path, so that mapped files have the same names inside and
// outside.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspector/confinement/confinement.hpp"
#include "inspector/confinement/engine.hpp"

namespace stackx::inspector {

class Container : public Confiner {
 public:
  // `housekeeping`: how long an engine that hangs is waited for when a container is put away.
  Container(Engine engine, std::filesystem::path supervisor,
            std::chrono::milliseconds housekeeping = std::chrono::seconds(60))
      : engine_(std::move(engine)), supervisor_(std::move(supervisor)), housekeeping_(housekeeping) {}

  std::string description() const override { return engine_.description(); }
  bool available() const override { return true; }
  std::vector<std::string> wrap(const Confinement& confinement) const override;
  std::map<std::string, std::string> environment() const override;
  std::vector<std::string> orders() const override;
  std::chrono::seconds overhead() const override { return std::chrono::minutes(3); }  // some engines copy the image
  void clean_up(const std::vector<std::string>& words) const override;

 private:
  Engine engine_;
  std::filesystem::path supervisor_;
  std::chrono::milliseconds housekeeping_;
};

// `--mount type=bind,...`: a CSV record, whatever the path holds.
std::string bind_mount(const std::filesystem::path& path, bool writable);

}  // namespace stackx::inspector
