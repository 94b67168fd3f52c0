// Why a rate can be above the peak that a catalog states, in a few words, for whoever shows a share of peak:
// tables, JSON, predictions. Rejected: capping at 100%, which hides that something was counted another way.
#pragma once

#include <string>

#include "specs/project/workload.hpp"

namespace stackx::analysis {

// "Winograd's and FFT convolutions ..."; "" where the share is no more than 1.
std::string peak_remark(double share, const specs::Workload& workload);

}  // namespace stackx::analysis
