#include "cli/output/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/text/table.hpp"
#include "specs/format/printable.hpp"
#include "workspace/doctor/abilities.hpp"

namespace stackx::cli {
namespace {

using analysis::wrap;
using workspace::Finding;

std::string lines_of(const workspace::Findings& findings, std::size_t width) {
  std::size_t widest = 0;
  for (const auto& one : findings) widest = std::max(widest, one.what.size());
  constexpr std::size_t status_width = 7;  // "unknown"
  std::string text;
  for (const auto& one : findings)
    text += fmt::format("{:<{}}  {:<{}}  {}\n", to_string(one.status), status_width, one.what, widest,
                        wrap(one.found, status_width + widest + 4, width));
  return text;
}

bool is_sentence(const std::string& remedy) { return remedy[0] >= 'A' && remedy[0] <= 'Z'; }

std::string to_do(std::size_t number, const Finding& one, std::size_t width) {
  constexpr std::size_t indent = 4;
  const auto remedy = is_sentence(one.remedy) ? wrap(one.remedy + ".", indent, width) : specs::printable(one.remedy);
  const auto why = one.costs.empty() ? one.what : fmt::format("{}: {}", one.what, one.costs);
  return fmt::format("{:>2}. {}\n    {}\n", number, remedy, wrap("(" + why + ")", indent, width));
}

}  // namespace

std::string doctor_text(const workspace::Findings& findings, std::size_t width) {
  auto text = wrap(workspace::abilities(findings).sentence(), 0, width) + "\n\n" + lines_of(findings, width);
  std::size_t number = 0;
  for (const auto& one : findings) {
    if (one.remedy.empty()) continue;
    if (number == 0) text += "\nWhat to do:\n";
    text += to_do(++number, one, width);
  }
  return text;
}

nlohmann::json doctor_json(const workspace::Findings& findings) {
  const auto abilities = workspace::abilities(findings);
  auto list = nlohmann::json::array();
  for (const auto& one : findings)
    list.push_back({{"what", one.what}, {"status", to_string(one.status)}, {"found", one.found}, {"costs", one.costs}, {"remedy", one.remedy}});
  return {{"$schema", "stackx/doctor/1"}, {"text", abilities.sentence()}, {"basic", abilities.basic},     {"can", abilities.can},
          {"cannot", abilities.cannot},   {"unsure", abilities.unsure},   {"findings", std::move(list)}};
}

}  // namespace stackx::cli
