// Sockets with a name: who sees the name may connect, through a read-only mount as well, and without any network.
#pragma once

#include <filesystem>
#include <vector>

namespace stackx::inspector {

// Those below (or at) these paths, under the names by which they are seen there. The kernel lists those of this network
// namespace that programs bound by an absolute name. Rejected: walking the trees, whose files are some 100,000.
std::vector<std::filesystem::path> sockets_in(const std::vector<std::filesystem::path>& paths);

}  // namespace stackx::inspector
