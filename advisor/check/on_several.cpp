#include "advisor/check/on_several.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/check/check_json.hpp"
#include "specs/format/listed.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/several_names.hpp"

namespace stackx::advisor {
namespace {

bool is_named(const std::vector<std::string>& what) {
  constexpr std::size_t few = 3;
  return !what.empty() && what.size() <= few && std::ranges::find(what, "-") == what.end();
}

}  // namespace

Answer CheckedOnSeveral::answer() const {
  const auto any = [&](Answer wanted) { return std::ranges::any_of(checked, [&](const auto& one) { return one.answer == wanted; }); };
  return any(Answer::no) ? Answer::no : any(Answer::unknown) ? Answer::unknown : Answer::yes;
}

std::string CheckedOnSeveral::text() const {
  const auto with = [&](Answer wanted, const char* last) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < checked.size(); ++i)
      if (checked[i].answer == wanted) names.push_back(as_written(hardware[i]));
    return specs::listed(names, last);
  };
  const auto yes = with(Answer::yes, "and"), no = with(Answer::no, "or"), unknown = with(Answer::unknown, "and");
  std::vector<std::string> parts;
  const auto begin = [&](const std::string& first, const char* further) { return parts.empty() ? first : further; };
  const auto runs = several_packages ? subject + " run" : subject + " runs";
  if (!yes.empty()) parts.push_back(fmt::format("{} on {}", runs, yes));
  if (!no.empty()) parts.push_back(begin(subject + (several_packages ? " do not run on " : " does not run on "), "not on ") + no);
  if (!unknown.empty()) parts.push_back(begin("whether " + runs + " is not known of ", "not known of ") + unknown);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> several_asked(CheckRequest& request, const workspace::Context& context) {
  if (specs::is_one_word(request.hardware)) return {};
  if (!request.accelerators) request.accelerators = std::make_shared<specs::Accelerators>(specs::load_accelerators(context.data_directory()));
  return specs::several_names(request.hardware, *request.accelerators);
}

CheckedOnSeveral check_on_several(const CheckRequest& request, std::vector<std::string> hardware, const workspace::Context& context,
                                  pypi::Index* index) {
  auto checked = check_each(request, hardware, context, index);
  if (!is_named(request.what)) return {"it", false, std::move(hardware), std::move(checked)};
  return {fmt::format("{}", fmt::join(request.what, ", ")), request.what.size() > 1, std::move(hardware), std::move(checked)};
}

nlohmann::json to_json(const CheckedOnSeveral& several) {
  auto checks = nlohmann::json::array();
  for (std::size_t i = 0; i < several.checked.size(); ++i) checks.push_back({{"hw", several.hardware[i]}, {"check", to_json(several.checked[i])}});
  return {{"$schema", "stackx/checks/1"}, {"answer", to_string(several.answer())}, {"text", several.text()}, {"checks", checks}};
}

}  // namespace stackx::advisor
