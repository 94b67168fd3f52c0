// What pods of a submission read: the frozen campaign, the target's project with its catalogs, and the waves that its blocks
// belong to, as the data of a ConfigMap and the `items` that lay it out as on the spool (place.hpp).
//
// Rejected: an image with the plan in it (someone would have to push it for every campaign), an init container that fetches
// it (a service more that must be up).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

// etcd takes 1 MiB; the API server counts the values, this leaves room for the rest.
inline constexpr std::size_t most_config_map_bytes = 1'000'000;

struct CampaignDocuments {
  nlohmann::json data = nlohmann::json::object();  // key -> text
  nlohmann::json items = nlohmann::json::array();  // {"key", "path"}
  std::size_t bytes = 0;
};

// Throws Error(environment) for what is not there.
CampaignDocuments campaign_documents(const Asked& asked, const Blocks& blocks);

}  // namespace stackx::campaigns::cluster
