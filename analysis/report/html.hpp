// The report as one HTML file that needs nothing else: style, script, data and chart library are in
// it, and its content security policy lets nothing be fetched. Its parts are files of their own:
// report/page.html (what stands where), report/page.css, report/page.js (the charts).
//
// Everything that comes from documents is escaped: names, versions and reasons are shown as they
// are written and mean nothing to the browser.
#pragma once

#include <string>
#include <string_view>

#include "analysis/report/report.hpp"

namespace stackx::analysis {

// `chart_library` is Plotly's plotly.min.js. Without it the page has all tables, and `chart_note`
// instead of the charts.
std::string html(const Report& report, std::string_view chart_library,
                 const std::string& chart_note);

std::string escape_html(std::string_view text);

}  // namespace stackx::analysis
