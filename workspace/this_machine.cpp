#include "workspace/this_machine.hpp"

#include "inspector/machine/host.hpp"

namespace stackx::cli {

specs::Host this_machine(const Globals& globals) {
  inspector::HostSources sources;
  sources.version_text = [](const std::string&) { return std::nullopt; };
  return inspector::detect_host(
      specs::Microarchitectures::load(globals.data_directory / "microarchitectures.json"), sources);
}

}  // namespace stackx::cli
