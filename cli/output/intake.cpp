#include "cli/output/intake.hpp"

#include <fmt/core.h>

#include "specs/format/json.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void print_reasons(const store::Intake& intake) {
  for (const std::string& why : intake.reasons) workspace::remark("stackx: {}\n", specs::to_utf8(why));
  if (intake.refused > intake.reasons.size())
    workspace::remark("stackx: and {} more were refused, whose reasons are not listed\n",
                      intake.refused - intake.reasons.size());
}

void add_refused(nlohmann::json& document, const store::Intake& intake) {
  document["refused"] = nlohmann::json::array();
  for (const std::string& why : intake.reasons) document["refused"].push_back(specs::to_utf8(why));
  document["refused_documents"] = intake.refused;
}

}  // namespace stackx::cli
