// The report as Markdown (for a merge request or a wiki) and its tables as CSV (RFC 4180).
#pragma once

#include <string>

#include "analysis/report/tables.hpp"

namespace stackx::analysis {

std::string markdown(const Report& report);

// The first line has the columns' keys; numbers in full, missing ones empty.
std::string csv(const ReportTable& table);

}  // namespace stackx::analysis
