#include "workspace/this_machine.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "inspector/machine/host.hpp"

namespace stackx::workspace {

// Read once a process: an answer asks for it up to five times.
const specs::Microarchitectures& microarchitectures(const Context& context) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, specs::Microarchitectures> read;
  const auto file = context.data_directory() / "microarchitectures.json";
  const std::lock_guard lock(mutex);
  const auto known = read.find(file);
  return known != read.end() ? known->second : read.emplace(file, specs::Microarchitectures::load(file)).first->second;
}

specs::Host this_machine(const Context& context) {
  inspector::HostSources sources;
  sources.version_text = [](const std::string&) { return std::nullopt; };
  return inspector::detect_host(microarchitectures(context), sources);
}

specs::Host machine_with(const std::string& microarchitecture, const Context& context) {
  const auto& table = microarchitectures(context);
  specs::Host host;
  host.cpu.microarchitecture = microarchitecture;
  host.cpu.cores = host.cpu.threads = 1024;
  host.memory_bytes = std::uint64_t{4096} << 30;
  if (const auto* known = table.find(microarchitecture)) {
    host.cpu.vendor = known->vendor;
    host.cpu.isa = known->isa;
    // The table names what tells processors apart; whatever has AVX has all that came before it.
    const auto later = [](const std::string& flag) { return flag.starts_with("avx"); };
    if (std::ranges::any_of(known->isa, later))
      for (const char* earlier : {"sse", "sse2", "pni", "ssse3", "sse4_1", "sse4_2", "popcnt"})
        host.cpu.isa.emplace_back(earlier);
    std::ranges::sort(host.cpu.isa);
    const auto [end, last] = std::ranges::unique(host.cpu.isa);
    host.cpu.isa.erase(end, last);
  }
  return host;
}

}  // namespace stackx::workspace
