// How the GPUs of a machine are joined, as a person reads it: one text for each way that there is, with the pairs
// that it joins: "12 NVLinks (version 3): GPU 0-1, 2-3", "across NUMA nodes (PCIe 4.0 x16): GPU 0-2, 0-3, ...".
//
// A way is the fastest that is known: NVLinks, else PCIe, with the lesser link of both GPUs.
#pragma once

#include <string>
#include <vector>

#include "specs/hardware/hardware.hpp"

namespace stackx::analysis {

// In the order of their first pairs; nothing where nothing is known.
std::vector<std::string> gpu_links_texts(const specs::Host& host);

}  // namespace stackx::analysis
