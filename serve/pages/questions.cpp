// Pages that are one question with its filters: regressions, coverage, failures, sources.
#include <fmt/format.h>

#include "serve/pages/cells.hpp"
#include "serve/pages/subjects.hpp"

namespace stackx::serve::pages {
namespace {

using nlohmann::json;

std::string notes(const json& document) {
  std::vector<std::string> html;
  for (const auto& one : document.at("notes"))
    if (one.is_string()) html.push_back(prose(one.get<std::string>()));
  return html.empty() ? "" : "<div class=\"note\">" + items(html) + "</div>\n";
}

// "20 of 2,142 are shown": and all of them, by the same address.
std::string rest(const Target& page, const json& document) {
  const auto shown = document.at("rows").size(), total = document.at("total").get<std::size_t>();
  if (shown >= total) return "";
  auto all = page;
  std::erase_if(all.parameters, [](const auto& one) { return one.first == "limit"; });
  all.parameters.emplace_back("limit", "0");
  return fmt::format("<p class=\"note\">{} of {} are shown: {}.</p>\n", counted(static_cast<double>(shown)), counted(static_cast<double>(total)),
                     link(to_text(all), "all"));
}

std::string filters(const Target& page, const std::string& address, std::vector<Field> more = {}) {
  std::vector<Field> fields{{"hw", "Hardware", "v100"}, {"workload", "Workload", "matmul"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return form(address, fields, [&](const std::string& name) { return page.parameter(name).value_or(""); }, "Show");
}

const Field component{"component", "Component", "numpy>=2"};
const Field since{"since", "Since", "30d"};

Page question_page(const Asked& asked, const Target& target, const std::string& question, const std::string& title, const std::string& lead,
                   const std::string& form, const std::vector<Column>& columns, const std::function<std::string(const json&)>& before = {}) {
  const auto reply = asked.ask({"v1", "query", question}, handed_on(target, "100"));
  if (!reply.ok()) return {title, form + alert(reply.words), lead, reply.status};
  auto html = form + (before ? before(reply.document) : "") + table(question, title, columns, reply.document.at("rows"));
  if (reply.document.at("rows").empty()) html += paragraph(text_of(reply.document, "text"));
  return {title, html + rest(target, reply.document) + notes(reply.document) + as_asked(reply), lead};
}

Column versions(std::string title, const std::string& key) {
  return {std::move(title), [key](const json& row) { return Cell{row.contains(key) ? escaped(components(row.at(key))) : ""}; }, "wide"};
}

std::vector<Column> coverage_columns() {
  return {hardware("Hardware", "hardware"), workload("Workload", "workload"), count("Inspections", "inspections"), count("Failed", "failures"),
          count("Stacks", "stacks"), versions("Versions of each component", "versions")};
}

Column missing(std::string title) {
  return {std::move(title), [](const json& row) {
            constexpr std::size_t few = 12;
            std::string text;
            const auto& all = row.at("missing");
            for (std::size_t i = 0; i < std::min(few, all.size()); ++i) text += (i > 0 ? ", " : "") + (all[i].is_string() ? all[i].get<std::string>() : all[i].dump());
            return Cell{escaped(text + (all.size() > few ? fmt::format(", and {} more", all.size() - few) : ""))};
          }, "wide"};
}

std::vector<Column> project_columns() {
  return {words("What", "what"), count("Inspected", "inspected"), words("Valid", "valid", "number"), share("Share", "share"), missing("Not yet")};
}

}  // namespace

Page regressions_page(const Asked& asked, const Target& target) {
  const Field verdicts{"verdict", "Verdict", "", {"", "slower", "faster", "equivalent", "unresolved"}, true};
  const auto sums = [](const json& document) {
    const auto& summary = document.at("summary");
    const auto of = [&](const char* verdict) { return fmt::format("{} {}", summary.at(verdict).get<std::size_t>(), verdict); };
    return paragraph(fmt::format("{} steps tested together: {}, {}, {}, {}.", summary.at("family").get<std::size_t>(), of("SLOWER"), of("FASTER"),
                                 of("EQUIVALENT"), of("UNRESOLVED")));
  };
  return question_page(asked, target, "regressions", "Regressions", "Steps from a version of a component to the next, all else the same.",
                       filters(target, "/regressions", {component, verdicts, since}),
                       {verdict("Verdict", "verdict"), words("Component", "component"), words("From", "older_version", "id"),
                        words("To", "newer_version", "id"), ratio("Rate", "ratio"), interval("Interval", "ci_low", "ci_high"), count("Rounds", "rounds"),
                        count("Lacks", "further_rounds"), hardware("Hardware", "hardware"), workload("Workload", "workload"), stack("Stack", "newer_stack")},
                       sums);
}

Page coverage_page(const Asked& asked, const Target& target) {
  std::vector<Field> more{component, since};
  std::vector<std::string> projects{""};
  for (const auto& name : asked.projects()) projects.push_back(name);
  if (projects.size() > 1) more.insert(more.begin(), {"project", "Project", "", projects, true});
  const bool of_project = !target.parameter("project").value_or("").empty();
  const auto sums = [&](const json& document) {
    if (!of_project) return std::string();
    const auto& summary = document.at("summary");
    return paragraph(fmt::format("Project {}: {} inspections of its stacks. Valid: what the project allows, exactly; a pair of versions is valid if some "
                                 "stack holds both.", text_of(summary, "project"), text_of(summary, "inspections")));
  };
  return question_page(asked, target, "coverage", "Coverage",
                       of_project ? "Which share of what the project allows was inspected." : "What was inspected, by hardware and workload.",
                       filters(target, "/coverage", more), of_project ? project_columns() : coverage_columns(), sums);
}

Page failures_page(const Asked& asked, const Target& target) {
  return question_page(asked, target, "failures", "Failures", "Versions by their share of failed inspections, beside the other versions of the component.",
                       filters(target, "/failures", {component, since}),
                       {words("Component", "component"), words("Version", "version", "id"), share("Share failed", "share"),
                        interval("95% interval", "share_low", "share_high", true), count("Failed", "failed"), count("Inspections", "inspections"),
                        count("Stacks", "stacks"), count("Failing stacks", "failing_stacks"), count("Others failed", "others_failed"),
                        count("Others' inspections", "others_inspections"), versions("How", "outcomes")});
}

Page sources_page(const Asked& asked, const Target& target) {
  auto every = target;
  if (every.parameter("limit").value_or("").empty()) every.parameters.emplace_back("limit", "0");
  return question_page(asked, every, "sources", "Sources", "Where published results come from.", filters(target, "/sources", {since}),
                       {outside("Source", "url", "title"), count("Results", "results"), words("Of", "date", "id"), words("Read", "read", "id"),
                        words("License", "license"), words("Read as", "tool"),
                        {"Came with stackx", [](const json& row) { return Cell{row.value("with_stackx", false) ? "yes" : "no"}; }},
                        words("Revision", "revision", "id short")});
}

}  // namespace stackx::serve::pages
