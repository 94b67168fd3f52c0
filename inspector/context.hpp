// What an inspector is given of the machine, of stackx's own files, and of the command that asks.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "inspector/machine/gpu/devices.hpp"
#include "inspector/python/python_installer.hpp"
#include "inspector/run/pi_command.hpp"
#include "specs/hardware/hardware.hpp"
#include "specs/project/pi_program.hpp"

namespace stackx::inspector {

struct Context {
  specs::Host host;
  std::filesystem::path cache;       // $XDG_CACHE_HOME/stackx: wheels, environments, images
  std::filesystem::path own_cache;   // what is true of this machine alone (which engine works), where several share `cache`
  Pis pis;
  std::filesystem::path data;        // directory of the catalogs that come with stackx
  std::filesystem::path supervisor;  // the stackx-supervise program beside it
  bool offline = false;              // use what is cached, say what is missing
  FetchSource fetch_source;          // none: source archives are not built
  std::optional<specs::PiProgram> program;  // of pis.own, as the campaign was planned with it; none: as it is now
  std::string stackx_version;
  // Asked while something runs; true kills it at once. What inspect() returns then is to be
  // discarded.
  std::function<bool()> stop;
  bool sandbox = true;  // false: no bubblewrap even where it works
  // The GPU that stacks with one are measured on; nothing: none is visible, and they are refused.
  std::optional<GpuDevice> device;
  bool for_other_machines = false;  // stacks are made, and run elsewhere: what they need of a GPU is asked there
  // This process's share of the CPUs, where several campaigns run side by side: block `first` of `of`.
  struct CpuShare {
    std::size_t block = 0, of = 1;
  } cpus;
  std::function<void(const std::string&)> say;  // hears that container engines are tried
  std::filesystem::path root = "/";  // below which /proc and /sys are read; tests have their own
  std::filesystem::path image_archives;  // the engine's images are saved there and loaded from there where it lacks them
};

// The same with paths that hold wherever a program begins. Throws Error(environment) if the supervisor is missing, or the loader
// could not search the cache.
Context resolved(Context context);

}  // namespace stackx::inspector
