// The files of analysis/report/, put into the program when it is built (report_files.cpp.in).
#pragma once

#include <string_view>

namespace stackx::analysis {

std::string_view report_page();
std::string_view report_style();
std::string_view report_script();

}  // namespace stackx::analysis
