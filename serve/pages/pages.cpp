#include "serve/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/page_template.hpp"
#include "serve/pages/assets.hpp"
#include "serve/pages/html.hpp"
#include "serve/pages/subjects.hpp"
#include "specs/error.hpp"
#include "specs/format/masked.hpp"

namespace stackx::serve {
namespace {

using namespace pages;

struct Subject {
  std::string_view segment, variable;  // "/segment", or "/segment/VARIABLE"
  Page (*make)(const Asked&, const Target&);
  std::string_view name;  // in the navigation; "": not there
};

constexpr Subject subjects[] = {{"", "", start_page, "What to run"},
                                {"campaigns", "", campaigns_page, "Campaigns"},
                                {"campaigns", "ID", campaign_page, ""},
                                {"hardware", "", hardware_page, "Hardware"},
                                {"hardware", "NAME", one_hardware_page, ""},
                                {"workloads", "", workloads_page, "Workloads"},
                                {"workloads", "NAME", one_workload_page, ""},
                                {"stacks", "ID", stack_page, ""},
                                {"regressions", "", regressions_page, "Regressions"},
                                {"coverage", "", coverage_page, "Coverage"},
                                {"failures", "", failures_page, "Failures"},
                                {"sources", "", sources_page, "Sources"}};

const Subject* subject_of(const Target& target) {
  const auto& path = target.path;
  for (const auto& one : subjects)
    if (path.size() == std::size_t{!one.segment.empty()} + std::size_t{!one.variable.empty()} && (path.empty() || path[0] == one.segment)) return &one;
  return nullptr;
}

// The page that is open is marked; one that lies below it only leads there.
std::string navigation(const Target& target) {
  std::string html;
  for (const auto& one : subjects) {
    if (one.name.empty()) continue;
    const bool within = target.path.empty() ? one.segment.empty() : target.path[0] == one.segment;
    const char* current = !within ? "" : target.path.size() > 1 ? " aria-current=\"true\"" : " aria-current=\"page\"";
    html += fmt::format("<li><a href=\"/{}\"{}>{}</a></li>\n", one.segment, current, escaped(one.name));
  }
  return html;
}

std::string whole(const Page& page, const Target& target) {
  return analysis::fill(frame(), {{"title", escaped(page.title)},
                                  {"lead", paragraph(page.lead, "lead")},
                                  {"navigation", navigation(target)},
                                  {"html", page.html}});
}

Page refused(int status, const std::string& words) {
  const char* title = status == 404 ? "Nothing is here" : status >= 500 ? "That went wrong here" : "That cannot be answered";
  return {title, alert(specs::without_passwords(words)), "", status};
}

// Of what is being thrown.
Page refused() {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return refused(refusal.status, refusal.words);
  } catch (const Error& error) {
    return refused(error.code() == ErrorCode::bad_input ? 400 : 500, error.what());
  } catch (const std::exception& error) {
    return refused(500, error.what());
  }
}

Answer in_frame(const Page& page, const Target& target) {
  return {.status = page.status, .content_type = "text/html; charset=utf-8", .body = whole(page, target)};
}

Answer asset(std::string_view text, const char* type) {
  return {.content_type = fmt::format("{}; charset=utf-8", type), .body = std::string(text)};
}

}  // namespace

std::string Pages::route(const Target& target) {
  if (target.is({"static", "page.css"}) || target.is({"static", "page.js"}) || target.is({"report"})) return target.path_text();
  const auto* subject = subject_of(target);
  if (!subject) return "";
  return fmt::format("/{}{}{}", subject->segment, subject->variable.empty() ? "" : "/", subject->variable);
}

Answer Pages::answer(const Target& target) const {
  if (target.is({"static", "page.css"})) return asset(style(), "text/css");
  if (target.is({"static", "page.js"})) return asset(script(), "text/javascript");
  const Asked asked(asker_, store_);
  try {
    return target.is({"report"}) ? report(asked, target) : in_frame(subject_of(target)->make(asked, target), target);
  } catch (...) {
    return in_frame(refused(), target);
  }
}

std::string Pages::refusal(int status, const std::string& words) { return whole(refused(status, words), {{"?"}, {}}); }

}  // namespace stackx::serve
