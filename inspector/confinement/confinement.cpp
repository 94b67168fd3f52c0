#include "inspector/confinement/confinement.hpp"

#include <unistd.h>

#include <algorithm>

namespace stackx::inspector {

std::uint64_t Confinement::tasks() const {
  const auto cpus = std::max(1L, sysconf(_SC_NPROCESSORS_CONF));
  return processes + 64 * static_cast<std::uint64_t>(cpus);
}

std::uint64_t Confinement::group_bytes() const { return memory_bytes + memory_bytes / 8; }

}  // namespace stackx::inspector
