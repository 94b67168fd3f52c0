// Cells of the report's tables, and the tables that say under which conditions was measured.
#pragma once

#include "analysis/report/tables.hpp"

namespace stackx::analysis {

// "6.1 ms", from nanoseconds to hours.
std::string seconds_text(double seconds);

Cell missing();
Cell rate(double value);
Cell count(std::size_t value);
Cell ratio(double value);
Cell percent(double share);
Cell duration(double seconds);
using Show = Cell (*)(double);
Cell both(const std::optional<Interval>& interval, Show show);  // "[low, high]"
Cell low(const std::optional<Interval>& interval, Show show);
Cell high(const std::optional<Interval>& interval, Show show);

// " Counted are the inspections that were read, a sample.", where that is a sample.
std::string of_sample(const Report& report);

ReportTable effects_table(const Report& report);
ReportTable blamed_table(const Report& report);
ReportTable nodes_table(const Report& report);
ReportTable rounds_table(const Report& report);
ReportTable round_rates_table(const Report& report);
ReportTable failures_table(const Report& report);
ReportTable sentinels_table(const Report& report);
ReportTable machines_table(const Report& report);
ReportTable campaigns_table(const Report& report);

}  // namespace stackx::analysis
