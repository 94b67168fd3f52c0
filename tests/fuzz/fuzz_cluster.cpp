// Input: a document of a campaign on a cluster: its settings, what was frozen of it (the ids made right first, or hardly any
// change would get past them), a wave, or what a start says of itself.
#include "campaigns/cluster/block_list.hpp"
#include "campaigns/cluster/place.hpp"
#include "specs/format/seal.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx;
using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

// What it is read as can be written and read, and is then the same.
template <typename Read>
void check(const Node& node, Read&& read, const char* rule) {
  const auto first = attempt([&] { return read(node); });
  if (!first) return;
  const auto json = to_json(*first);
  const auto again = attempt([&] { return read(Node::parse_text(canonical(json), "again.json")); });
  require(again && to_json(*again) == json, rule);
}

Json sealed(Json json) {
  if (!json.is_object()) return json;
  if (const auto plans = json.find("plans"); plans != json.end() && plans->is_object())
    for (auto& plan : *plans)
      if (plan.is_object()) plan["id"] = content_id(plan);
  json["id"] = content_id(json);
  return json;
}

void check_block_list(const Node& node) {
  const auto text = attempt([&] { return node.at("blocks").text(); });
  if (!text) return;
  const auto blocks = attempt([&] { return campaigns::cluster::blocks_from(*text); });
  if (!blocks) return;
  require(std::ranges::is_sorted(*blocks, std::less_equal()) || blocks->size() < 2, "each block once, in order");
  require(campaigns::cluster::blocks_from(campaigns::cluster::text_of(*blocks)) == *blocks, "blocks are the same after writing and reading");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  check(*document, cluster_settings_from, "settings are the same after reading and writing");
  check(*document, wave_from, "a wave is the same after reading and writing");
  check(*document, campaigns::cluster::attempt_from, "what a start says is the same after reading and writing");
  check(*document, cluster_campaign_from, "a campaign is the same after reading and writing");
  if (!document->json().is_object()) return 0;
  check(Node::parse_text(canonical(sealed(document->json())), "sealed.json"), cluster_campaign_from,
        "a campaign is the same after reading and writing");
  check_block_list(*document);
  return 0;
}
