// Hardware and workloads: what is known of them by name, and what the store has of them.
#include <fmt/format.h>

#include "serve/pages/best.hpp"
#include "serve/pages/cells.hpp"
#include "serve/pages/subjects.hpp"

namespace stackx::serve::pages {
namespace {

using nlohmann::json;

std::string texts_of(const json& value) {
  std::string text;
  if (value.is_array())
    for (const auto& one : value) text += (text.empty() ? "" : ", ") + (one.is_string() ? one.get<std::string>() : one.dump());
  else if (value.is_object())
    for (const auto& [name, one] : value.items()) text += (text.empty() ? "" : ", ") + name + ' ' + (one.is_string() ? one.get<std::string>() : one.dump());
  else
    text = value.is_string() ? value.get<std::string>() : value.dump();
  return text;
}

// "peaks_tflop_s" -> "peaks, TFLOP/s"
std::string spoken(const std::string& member) {
  static const std::map<std::string, std::string> names{
      {"peaks_tflop_s", "Peaks, TFLOP/s"}, {"bandwidth_gb_s", "Bandwidth, GB/s"}, {"memory_gb", "Memory, GB"}, {"tdp_w", "Power, W"},
      {"compute_capability", "Compute capability"}, {"isa", "Instruction sets"}, {"fp32_flops_cycle", "float32 operations a cycle"},
      {"fp64_flops_cycle", "float64 operations a cycle"}, {"fma_pipes", "FMA pipes"}, {"vector_bits", "Vector, bits"}, {"flops_basis", "Rates are"},
      {"march", "Compilers call it"}, {"id", "Called here"}};
  const auto found = names.find(member);
  if (found != names.end()) return found->second;
  std::string text = member;
  for (char& c : text) c = c == '_' ? ' ' : c;
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string sources_html(const json& model) {
  std::vector<std::string> html;
  for (const auto& one : model.value("sources", json::array())) {
    const auto text = one.is_string() ? one.get<std::string>() : "";
    const auto end = std::min(text.find(' '), text.size());
    html.push_back(outside_link(text.substr(0, end), text.substr(0, end)) + escaped(text.substr(end)));
  }
  return html.empty() ? "" : details("Sources", items(html));
}

std::string model_html(const json& model) {
  std::vector<std::pair<std::string, std::string>> known;
  for (const auto& [name, value] : model.items())
    if (name != "sources" && name != "name") known.emplace_back(spoken(name), escaped(texts_of(value)));
  return facts(known) + sources_html(model);
}

std::string known_html(const Reply& reply) {
  if (!reply.ok()) return "";
  const auto& document = reply.document;
  if (!document.contains("models")) return section("known", text_of(document, "name"), model_html(document) + as_asked(reply));
  std::string html;
  for (const auto& model : document.at("models")) html += details(text_of(model, "name"), model_html(model));
  return section("known", "Models of that name", html + as_asked(reply));
}

std::vector<Column> store_columns() {
  return {hardware("Hardware", "model"), words("Microarchitecture", "microarchitecture"), count("Devices", "devices"),
          count("Inspections", "inspections"), count("Failed", "failures"), count("Stacks", "stacks"), count("Workloads", "workloads"),
          count("Published", "published"), day("First", "first"), day("Last", "last")};
}

std::string ask_form(const std::string& hw, const std::string& workload) {
  return form("/", {{"hw", "Hardware", "v100"}, {"workload", "Workload", "matmul"}},
              [&](const std::string& name) { return name == "hw" ? hw : workload; }, "What should I run?");
}

json by_hardware(const json& family, const std::string& workload) {
  auto rows = json::array();
  const auto published = family.value("hardware", json::object());
  for (const auto& [name, results] : published.items())
    rows.push_back({{"hardware", name}, {"published", results}, {"workload", workload}});
  return rows;
}

}  // namespace

Page hardware_page(const Asked& asked, const Target& target) {
  const auto reply = asked.must({"v1", "query", "hardware"}, handed_on(target, "0"));
  const auto names = asked.must({"v1", "hardware"});
  auto html = section("store", "With results", table("hardware", "Hardware that there are results of", store_columns(), reply.document.at("rows")) + as_asked(reply));
  html += section("names", "Known by name", details(fmt::format("{} processors and accelerators", names.document.size()),
                                                    table("names", "Hardware known by name",
                                                          {{"Called", [](const json& row) {
                                                              return Cell{link(hardware_address(text_of(row, "id")), text_of(row, "id"))};
                                                            }},
                                                           words("Name", "name"), words("Kind", "kind"), words("Vendor", "vendor"),
                                                           words("Architecture", "architecture"), words("Compute capability", "compute_capability", "number")},
                                                          names.document) + as_asked(names)));
  return {"Hardware", html, "Inspections are measured; published are the results of others, under the names of their sources."};
}

Page one_hardware_page(const Asked& asked, const Target& target) {
  const auto& name = target.path[1];
  const auto known = asked.ask({"v1", "hardware", name});
  const auto in_store = asked.ask({"v1", "query", "hardware"}, {{"hw", name}, {"limit", "0"}});
  if (!in_store.ok()) throw Refusal{in_store.status == 400 ? 404 : in_store.status, known.ok() ? in_store.words : known.words};
  const auto& rows = in_store.document.at("rows");
  auto html = ask_form(name, "matmul") + known_html(known);
  if (rows.empty()) return {name, html + paragraph("There are no results of it."), ""};
  html += section("store", "Results of it", table("store", "Hardware of that name with results", store_columns(), rows) + as_asked(in_store));
  html += best_section(asked, {{"hw", name}, {"limit", "50"}}, Told::hardware, "Fastest stacks");
  return {name, html, ""};
}

Page workloads_page(const Asked& asked, const Target& target) {
  const auto reply = asked.must({"v1", "workloads"}, handed_on(target));
  const auto html = table("workloads", "Workload families",
                          {{"Workload", [](const json& row) {
                              return Cell{link(workload_address(text_of(row, "name")), text_of(row, "name"))};
                            }},
                           words("What it is", "description", "wide"), count("Inspections", "inspections"),
                           count("Published", "published"),
                           {"Hardware", [](const json& row) {
                              const auto n = row.value("hardware", json::object()).size();
                              return Cell{counted(static_cast<double>(n)), std::to_string(n)};
                            }, "number"}},
                          reply.document.at("workloads"));
  return {"Workloads", html + as_asked(reply), "What can be measured, and what others measured."};
}

Page one_workload_page(const Asked& asked, const Target& target) {
  const auto& name = target.path[1];
  const auto known = asked.ask({"v1", "workloads", name});
  if (!known.ok()) throw Refusal{known.status == 400 ? 404 : known.status, known.words};
  const auto& family = known.document;
  auto html = paragraph(text_of(family, "description")) +
              facts({{"Inspections", escaped(text_of(family, "inspections"))}, {"Published results", escaped(text_of(family, "published"))},
                     {"Also called", escaped(texts_of(family.value("aliases", json::array())))},
                     {"Measured on", escaped(texts_of(family.value("measured_on", json::array())))}}) +
              ask_form("", text_of(family, "name"));
  html += section("parameters", "Parameters", table("parameters", "Parameters of the workload",
                  {words("Name", "name", "id"), words("Meaning", "meaning"),
                   {"Values with results", [](const json& row) {
                      const auto text = texts_of(row.value("values", json::array()));
                      return Cell{escaped(text.size() > 120 ? text.substr(0, text.rfind(',', 120)) + ", ..." : text)};
                    }, "wide"}},
                  family.value("parameters", json::array())) + as_asked(known));
  html += best_section(asked, {{"workload", name}, {"limit", "50"}}, Told::workload, "Fastest stacks");
  html += section("hardware", "Published, by hardware", table("by-hardware", "Published results by hardware",
                  {hardware("Hardware", "hardware"), count("Results", "published"),
                   {"Answer", [](const json& row) {
                      return Cell{link(question_address(text_of(row, "hardware"), text_of(row, "workload")), "What should I run?")};
                    }}},
                  by_hardware(family, text_of(family, "name"))));
  return {text_of(family, "name"), html, ""};
}

}  // namespace stackx::serve::pages
