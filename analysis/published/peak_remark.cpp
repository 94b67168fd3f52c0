#include "analysis/published/peak_remark.hpp"

namespace stackx::analysis {

std::string peak_remark(double share, const specs::Workload& workload) {
  if (!(share > 1)) return "";
  if (workload.pi.starts_with("conv"))
    return "above the stated peak: the operations counted are those of the direct algorithm, Winograd's and FFT do "
           "fewer";
  if (workload.pi == "memory_bandwidth")
    return "above the stated peak: the GPU's cache held some of the arrays, or its memory was clocked above the stated rate";
  return "above the stated peak: the clock was above the stated boost, another type was computed in, or the source "
         "counts operations differently";
}

}  // namespace stackx::analysis
