// Input: the plan of a campaign. Its id is made right first, or hardly any change would get past it.
#include "specs/format/seal.hpp"
#include "specs/project/plan.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  attempt([&] { return plan_from(*document); });
  if (!document->json().is_object()) return 0;
  Json json = document->json();
  json["id"] = content_id(json);
  const auto node = Node::parse_text(canonical(json), "sealed.json");
  const auto plan = attempt([&] { return plan_from(node); });
  if (!plan) return 0;
  require(to_json(*plan) == json, "a plan is the same after reading and writing");
  for (const std::uint64_t round : {std::uint64_t{0}, plan->campaign.rounds})
    require(plan->order(round).size() == plan->arms.size(), "a round has every arm");
  return 0;
}
