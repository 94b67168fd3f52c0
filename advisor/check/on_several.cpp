#include "advisor/check/on_several.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/check/check_json.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/several_names.hpp"

namespace stackx::advisor {

Answer CheckedOnSeveral::answer() const {
  const auto any = [&](Answer wanted) { return std::ranges::any_of(checked, [&](const auto& one) { return one.answer == wanted; }); };
  return any(Answer::no) ? Answer::no : any(Answer::unknown) ? Answer::unknown : Answer::yes;
}

std::string CheckedOnSeveral::text() const {
  const auto with = [&](Answer wanted) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < checked.size(); ++i)
      if (checked[i].answer == wanted) names.push_back(as_written(hardware[i]));
    return specs::listed(names);
  };
  const auto yes = with(Answer::yes), no = with(Answer::no), unknown = with(Answer::unknown);
  std::vector<std::string> parts;
  if (!yes.empty()) parts.push_back(fmt::format("{} on {}", subject, yes));
  if (!no.empty()) parts.push_back((parts.empty() ? subject + " not on " : "not on ") + no);
  if (!unknown.empty()) parts.push_back((parts.empty() ? "whether " + subject + " is not known of " : "not known of ") + unknown);
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

// Whatever is more than a few words is "it".
std::string subject_of(const std::vector<std::string>& what) {
  constexpr std::size_t few = 3;
  if (what.empty() || what.size() > few || std::ranges::find(what, "-") != what.end()) return "it runs";
  return fmt::format("{} {}", fmt::join(what, ", "), what.size() == 1 ? "runs" : "run");
}

}  // namespace

std::vector<std::string> several_asked(const CheckRequest& request, const workspace::Context& context) {
  return specs::several_names(request.hardware, specs::load_accelerators(context.data_directory()));
}

CheckedOnSeveral check_on_several(const CheckRequest& request, std::vector<std::string> hardware, const workspace::Context& context,
                                  pypi::Index* index) {
  auto checked = check_each(request, hardware, context, index);
  return {subject_of(request.what), std::move(hardware), std::move(checked)};
}

nlohmann::json to_json(const CheckedOnSeveral& several) {
  auto checks = nlohmann::json::array();
  for (std::size_t i = 0; i < several.checked.size(); ++i) checks.push_back({{"hw", several.hardware[i]}, {"check", to_json(several.checked[i])}});
  return {{"$schema", "stackx/checks/1"}, {"answer", to_string(several.answer())}, {"text", several.text()}, {"checks", checks}};
}

}  // namespace stackx::advisor
