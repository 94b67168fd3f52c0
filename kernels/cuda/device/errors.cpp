#include "kernels/cuda/device/errors.hpp"

#include "kernels/memory.hpp"

namespace stackx::kernels::cuda {

std::string remedy(int error) {
  switch (error) {
    case kOutOfMemory:
      return "; end what else holds the GPU's memory (nvidia-smi)";
    case 34:  // STUB_LIBRARY
      return "; this libcuda.so is the toolkit's stand-in for linking: take its folder stubs out of LD_LIBRARY_PATH";
    case 35:  // the runtime's InsufficientDriver
    case 36:  // and CallRequiresNewerDriver
      return "; the driver is older than this CUDA needs: a newer driver, or an older CUDA (stackx advise --have driver=VERSION)";
    case 46:  // DEVICE_UNAVAILABLE
      return "; another process has the GPU for itself, or its compute mode forbids this: see nvidia-smi -q -d COMPUTE";
    case 100:  // NO_DEVICE
      return "; no GPU is visible: see CUDA_VISIBLE_DEVICES, and in a container whether /dev/nvidia* are passed through";
    case 101:  // INVALID_DEVICE
      return "; CUDA_VISIBLE_DEVICES names a device that is not there";
    case 209:  // NO_BINARY_FOR_GPU
      return "; the library has no kernels for this GPU: a version built for its compute capability is needed (stackx hw)";
    case 214:  // ECC_UNCORRECTABLE
      return "; the GPU's memory lost bits: its results cannot be trusted until it is reset (nvidia-smi --gpu-reset); see "
             "nvidia-smi -q -d ECC,ROW_REMAPPER";
    case 220:  // NVLINK_UNCORRECTABLE
      return "; an NVLink failed: reset the GPU; see nvidia-smi nvlink --status";
    case 222:  // UNSUPPORTED_PTX_VERSION
      return "; the driver does not know PTX of a CUDA this new: a newer driver, or an older CUDA";
    case 700:  // ILLEGAL_ADDRESS
    case 715:  // ILLEGAL_INSTRUCTION
    case 716:  // MISALIGNED_ADDRESS
    case 717:  // INVALID_ADDRESS_SPACE
    case 718:  // INVALID_PC
    case 719:  // LAUNCH_FAILED
      return "; a kernel of the library went wrong, and with it all that this process had on the GPU: compute-sanitizer shows "
             "where, dmesg (Xid) whether it was the GPU";
    case 702:  // LAUNCH_TIMEOUT
      return "; the GPU drives a display, whose watchdog ended a kernel: give smaller sizes, or a GPU without display";
    case 802:  // SYSTEM_NOT_READY
      return "; start nvidia-fabricmanager";
    case 803:  // SYSTEM_DRIVER_MISMATCH
      return "; the driver was updated under a running kernel module: reboot, or reload the module";
    case 804:  // COMPAT_NOT_SUPPORTED_ON_DEVICE
      return "; the compatibility package works on data centre GPUs only: install a newer driver";
    case 999:  // UNKNOWN
      return "; the driver does not know why, as after a GPU was lost: see nvidia-smi and dmesg (Xid); a reset or a reboot helps";
    default:
      return "";
  }
}

void raise(int error, const std::string& text) {
  if (error == kOutOfMemory) throw OutOfMemory(text);
  throw CudaError(text + remedy(error));
}

}  // namespace stackx::kernels::cuda
