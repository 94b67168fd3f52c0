#include "workspace/this_machine.hpp"

#include "inspector/machine/host.hpp"

namespace stackx::workspace {

specs::Host this_machine(const Context& context) {
  inspector::HostSources sources;
  sources.version_text = [](const std::string&) { return std::nullopt; };
  return inspector::detect_host(
      specs::Microarchitectures::load(context.data_directory() / "microarchitectures.json"), sources);
}

}  // namespace stackx::workspace
