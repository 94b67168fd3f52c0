#include "kernels/peak_memory.hpp"

#include <fstream>
#include <string>

namespace stackx::kernels {

std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    std::uint64_t kib = 0;
    if (name == "VmHWM:" && status >> kib) return kib * 1024;
    std::getline(status, name);
  }
  return 0;
}

}  // namespace stackx::kernels
