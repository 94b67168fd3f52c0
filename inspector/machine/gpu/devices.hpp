// The GPUs that a process may measure on: what CUDA would show it, each by its UUID.
//
// A card is one device; where it is split by MIG, its instances are, and it is none itself.
// $CUDA_VISIBLE_DEVICES hides and orders them as CUDA's programming guide says: indices, or UUIDs
// ("GPU-8932f937...", "MIG-...") of which a beginning suffices; the first entry that names nothing
// ends the list. Indices count in PCI order (CUDA_DEVICE_ORDER=PCI_BUS_ID), as nvidia-smi does;
// CUDA's own default order, fastest first, is only known to a process that uses a GPU. A measured
// process therefore gets a UUID. Two cards of one model differ in speed, so a card is a block.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "specs/hardware/hardware.hpp"

namespace stackx::inspector {

struct GpuDevice {
  std::string uuid;         // of the card, or of the MIG instance
  std::string profile;      // "1g.10gb"; empty for a whole card
  std::size_t card = 0;     // index in Host::gpus
  bool operator==(const GpuDevice&) const = default;
};

// `variable` is the value of $CUDA_VISIBLE_DEVICES, if it is set.
std::vector<GpuDevice> visible_devices(const specs::Host& host,
                                       const std::optional<std::string>& variable);
std::vector<GpuDevice> visible_devices(const specs::Host& host);  // this process's

// Those that `words` name: "all", an index into `visible`, or the beginning of a UUID that no other
// shares. Throws Error(bad_input) that lists what there is.
std::vector<GpuDevice> choose_devices(const std::vector<GpuDevice>& visible,
                                      const std::vector<std::string>& words);

// The directory of the driver's libraries (libnvidia-ml.so.1, libcuda.so.1), which a stack's own
// library path must not hide; nothing where no driver is found.
std::optional<std::filesystem::path> driver_directory();

// Whether the loader looks there by itself: named in LD_LIBRARY_PATH such a directory would come before what a stack's libraries
// name (DT_RUNPATH), and a cuDNN of the distribution before the stack's.
bool is_searched_anyway(const std::filesystem::path& directory);

// Why CUDA's own driver library, which stacks are measured through, cannot be loaded; "" if it can.
std::string why_no_cuda_driver();

// GPUs reach containers through the Container Device Interface, which the driver's toolkit describes.
bool has_cdi(const std::filesystem::path& root = "/");

}  // namespace stackx::inspector
