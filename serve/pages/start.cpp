// "What should I run?": two pickers, and the answer of `stackx advise` in its own words.
#include <fmt/format.h>

#include <set>

#include "serve/pages/cells.hpp"
#include "serve/pages/subjects.hpp"

namespace stackx::serve::pages {
namespace {

using nlohmann::json;

std::vector<std::string> strings(const json& array) {
  std::vector<std::string> all;
  for (const auto& one : array)
    if (one.is_string()) all.push_back(one);
  return all;
}

// What can be picked: what was measured first, then all that is known by name.
std::vector<std::string> hardware_choices(const Asked& asked, const json& in_store) {
  std::vector<std::string> choices;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && seen.insert(name).second) choices.push_back(name);
  };
  for (const auto& row : in_store)
    if (row.at("inspections").get<std::uint64_t>() > 0) add(text_of(row, row.at("microarchitecture") == "" ? "model" : "microarchitecture"));
  const auto known = asked.must({"v1", "hardware"});
  for (const auto& one : known.document) add(text_of(one, "id"));
  return choices;
}

std::vector<std::string> workload_choices(const Asked& asked) {
  std::vector<std::string> choices;
  const auto known = asked.must({"v1", "workloads"});
  for (const auto& one : known.document.at("workloads")) choices.push_back(text_of(one, "name"));
  return choices;
}

// The sentence says the grade; there it stands out.
std::string expect_html(const json& answer) {
  auto html = escaped(text_of(answer, "expect"));
  const auto grade = escaped(text_of(answer, "grade"));
  if (const auto at = html.find(grade); !grade.empty() && at != html.npos)
    html.replace(at, grade.size(), fmt::format("<span class=\"grade {0}\">{0}</span>", grade));
  return html.empty() ? "" : "<p id=\"expect\">" + html + "</p>\n";
}

std::string list_of(const json& texts) {
  std::vector<std::string> html;
  for (const auto& one : strings(texts)) html.push_back(prose(one));
  return items(html);
}

// Sentences, and the commands that stand below them, two blanks in.
std::string next_html(const json& lines) {
  std::string html, command;
  const auto flush = [&] { html += command.empty() ? "" : copied(std::exchange(command, "")); };
  for (const auto& line : strings(lines)) {
    if (line.starts_with("  ")) {
      command += (command.empty() ? "" : "\n") + line.substr(2);
    } else {
      flush();
      html += paragraph(line);
    }
  }
  flush();
  return html;
}

std::string drivers(const json& answer) {
  return table("drivers", "What to run by driver",
               {words("Your driver, at least", "driver_at_least", "id"), words("Run", "run"),
                {"CUDA", [](const json& row) { return Cell{escaped(text_of(row.at("package"), "cuda"))}; }},
                {"cuDNN", [](const json& row) { return Cell{escaped(text_of(row.at("package"), "cudnn"))}; }},
                {"Released", [](const json& row) { return Cell{escaped(text_of(row.at("package"), "released"))}; }}},
               answer.at("by_driver"));
}

std::string limits(const json& answer) {
  return table("limits", "What the hardware allows",
               {words("Component", "component"), words("This stack", "this_stack", "id"), words("Last valid", "last_valid", "id"),
                words("First without it", "first_out", "id"), words("Because", "because", "wide")},
               answer.at("limits"));
}

json flat(const json& recommendations) {
  auto rows = json::array();
  for (auto row : recommendations) {
    row["stack_id"] = row.at("stack").at("id");
    row["components"] = row.at("stack").at("components");
    if (row.contains("rate") && row["rate"].is_object()) {
      row["median"] = row["rate"].value("median", json());
      row["unit"] = row["rate"].value("unit", json());
      if (const auto ci = row["rate"].value("ci95", json()); ci.is_array()) row["low"] = ci[0], row["high"] = ci[1];
    }
    if (row.contains("vs_best") && row["vs_best"].is_object()) row["versus"] = row["vs_best"].value("ratio", json());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string measured(const json& document) {
  return table("measured", "What was measured, ranked",
               {count("Rank", "rank"), figure("Median rate", "median", "unit"), interval("95% interval", "low", "high"), ratio("Against the best", "versus"),
                verdict("Verdict", "verdict_vs_best"), share("CV", "cv"), count("n", "inspections"), count("Failed", "failures"),
                stack("Stack", "stack_id", "components")},
               flat(document.at("recommendations")));
}

// Of others; what was measured with stackx elsewhere has the same columns.
std::string published(const json& answer, const char* member, const char* title) {
  return table(member, title,
               {figure("Value", "value", "unit"), words("Kind", "kind"), words("Stack", "stack", "wide"), words("Remark", "remark", "wide"),
                words("Hardware", "hardware"), words("Year", "year"), outside("Source", "url", "title")},
               answer.at(member));
}

std::string expected(const json& answer) {
  return table("expected", "Rates to expect",
               {words("Of", "of"), figure("Rate", "value", "unit"),
                {"Interval", [](const json& row) {
                   const auto found = row.find("interval");
                   if (found == row.end() || !found->is_array()) return Cell{};
                   return interval("", "low", "high").cell({{"low", (*found)[0]}, {"high", (*found)[1]}});
                 }, "number"}},
               answer.at("expected"));
}

std::string install(const json& answer) {
  const auto line = text_of(answer.at("install"), "line");
  std::string html = line.empty() ? "" : copied(line);
  for (const auto& one : strings(answer.at("cautions"))) html += paragraph(one, "caution");
  return html;
}

// The stack as files that installers take: other forms of the same question.
std::string recipes(const Reply& reply, const json& answer) {
  if (text_of(answer.at("install"), "line").empty()) return "";
  std::vector<std::string> links;
  for (const char* format : {"requirements", "uv", "conda", "pylock", "containerfile", "sbatch", "pod", "docker"}) {
    auto target = reply.target;
    std::erase_if(target.parameters, [](const auto& one) { return one.first == "format"; });
    target.parameters.emplace_back("format", format);
    links.push_back(link(to_text(target), format));
  }
  return "<div class=\"recipes\"><p>As a file:</p>" + items(links) + "</div>";
}

std::string answer_html(const Reply& reply) {
  const auto& document = reply.document;
  const auto& answer = document.at("answer");
  std::string top = fmt::format("<p class=\"line\" id=\"line\">{}</p>\n", escaped(text_of(answer, "line")));
  top += expect_html(answer);
  const auto why = text_of(answer, "why");
  if (!why.empty()) top += fmt::format("<p id=\"why\"><b>Why:</b> {}</p>\n", prose(why));
  auto html = fmt::format("<section class=\"answer\" aria-label=\"Answer\">\n{}{}</section>\n", top, as_asked(reply));
  html += section("install", "How to install it", install(answer) + recipes(reply, answer));
  const auto rows = measured(document);
  if (!rows.empty()) {
    const auto address = fmt::format("/report?hw={}&workload={}", percent_encoded(text_of(document, "hw")), percent_encoded(text_of(document, "workload")));
    html += section("measured", "What was measured", rows + "<p>" + link(address, "All of it, with plots") + "</p>\n");
  }
  html += section("expected", "What to expect", expected(answer));
  html += section("drivers", "By driver", drivers(answer));
  html += section("limits", "What the hardware allows", limits(answer));
  html += section("measured_elsewhere", "What stackx measured on such hardware elsewhere",
                  published(answer, "measured_elsewhere", "Measured elsewhere"));
  html += section("evidence", "What others published", published(answer, "evidence", "What others published"));
  const auto as_of = text_of(answer, "facts_as_of");
  html += section("open", "What is not known", list_of(answer.at("remarks")) + next_html(answer.at("next")) +
                                                   (as_of.empty() ? "" : paragraph("Facts as of " + as_of + ".", "note")));
  return html;
}

// What there is, where nothing is asked yet.
std::string overview(const json& in_store) {
  std::uint64_t inspections = 0, published = 0, models = 0;
  auto measured_rows = json::array();
  for (const auto& row : in_store) {
    const auto n = row.at("inspections").get<std::uint64_t>();
    inspections += n;
    published += row.at("published").get<std::uint64_t>();
    models += n > 0;
    if (n > 0) measured_rows.push_back(row);
  }
  auto html = paragraph(fmt::format("{} inspections on {} were measured here or by who sent them, and {} results of others are known.", counted(static_cast<double>(inspections)),
                                    models == 1 ? "one kind of hardware" : fmt::format("{} kinds of hardware", models), counted(static_cast<double>(published))));
  html += table("known", "Hardware that was measured",
                {hardware("Hardware", "model"), words("Microarchitecture", "microarchitecture"), count("Inspections", "inspections"),
                 count("Stacks", "stacks"), count("Workloads", "workloads"), day("Last", "last")},
                measured_rows);
  std::vector<std::string> examples;
  for (const auto& [hw, what] : {std::pair{"v100", "matmul"}, {"h100", "attention"}, {"zen4", "matmul"}})
    examples.push_back(link(question_address(hw, what), fmt::format("{} on {}", what, hw)));
  return section("known", "What is known here", html) + section("examples", "For example", items(examples));
}

}  // namespace

Page start_page(const Asked& asked, const Target& target) {
  const auto in_store = asked.must({"v1", "query", "hardware"}, {{"limit", "0"}}).document.at("rows");
  const auto parameters = handed_on(target);
  const auto value = [&](const std::string& name) { return target.parameter(name).value_or(""); };
  auto picker = form("/", {{"hw", "Hardware", "v100, zen4, EPYC 7763", hardware_choices(asked, in_store)},
                           {"workload", "Workload", "matmul, attention, ...", workload_choices(asked)},
                           {"have", "What cannot change (optional)", "driver=535, python=3.11"}},
                     value, "Answer");
  Page page{"What should I run?", "", ""};
  if (parameters.empty()) {
    page.html = picker + overview(in_store);
    return page;
  }
  const auto reply = asked.ask({"v1", "advise"}, parameters);
  page.status = reply.status;
  if (reply.ok())
    page.html = picker + answer_html(reply);
  else
    page.html = picker + alert(reply.words);
  return page;
}

}  // namespace stackx::serve::pages
