// One stack: what it is made of, where it was measured, how its rate went over campaigns and time.
#include <fmt/format.h>

#include "serve/pages/best.hpp"
#include "serve/pages/cells.hpp"
#include "serve/pages/subjects.hpp"
#include "store/questions/questions.hpp"

namespace stackx::serve::pages {
namespace {

using nlohmann::json;

json components_of(const store::StackRow& stack) {
  auto rows = json::array();
  for (const auto& [component, version] : stack.stack.components) rows.push_back({{"component", component}, {"version", version}});
  return rows;
}

std::string history(const Asked& asked, const std::string& id) {
  const auto reply = asked.must({"v1", "query", "history"}, {{"stack", id}, {"limit", "0"}});
  const auto rows = table("history", "Rate over campaigns and time",
                          {day("First", "date"), day("Last", "last"), figure("Median rate", "median", "unit"), interval("95% interval", "ci_low", "ci_high"),
                           words("Against the one before it looks", "looks"), ratio("Ratio", "ratio_vs_previous"), share("CV", "cv"), count("n", "inspections"),
                           count("Failed", "failures"), hardware("Hardware", "hardware"), words("Device", "device", "id short"), workload("Workload", "workload"),
                           {"Campaign", [](const json& row) {
                              const auto campaign = text_of(row, "campaign");
                              return campaign.empty() ? Cell{} : Cell{link(campaign_address(campaign), campaign.substr(0, 12)), campaign};
                            }, "id"}},
                          reply.document.at("rows"));
  return rows.empty() ? "" : section("history", "History", rows + as_asked(reply));
}

}  // namespace

Page stack_page(const Asked& asked, const Target& target) {
  const store::Questions store(asked.store);
  const auto found = store.stack_named(target.path[1]);
  if (!found) throw Refusal{404, fmt::format("stack {}: the store has none whose id begins so", target.path[1])};
  auto html = facts({{"Id", fmt::format("<span class=\"id\">{}</span>", escaped(found->id))}});
  html += section("components", "Components", table("components", "Components of the stack",
                  {{"Component", [](const json& row) {
                      const auto name = text_of(row, "component");
                      return Cell{link("/failures?component=" + percent_encoded(name), name), name};
                    }},
                   words("Version", "version", "id")}, components_of(*found)));
  const auto measured = best_section(asked, {{"stack", found->id}, {"limit", "0"}}, Told::stack, "Where it was measured");
  html += measured.empty() ? section("best", "Where it was measured", paragraph("Nowhere: the store has no rate of it.")) : measured;
  html += history(asked, found->id);
  return {"Stack " + found->id.substr(0, 12), html, ""};
}

}  // namespace stackx::serve::pages
