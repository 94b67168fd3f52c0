// Where the environments of a campaign's stacks are made: in which cache, with which tools, within the campaign's limits, and
// held by its runner.
//
// Wheels and trees lie where what runs cannot write them, or in a cache of its own (cache/exposure.hpp); images are shown to
// containers alone.
#pragma once

#include "inspector/context.hpp"
#include "inspector/environment/environment.hpp"
#include "inspector/runner.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/project/campaign.hpp"

namespace stackx::inspector {

// `catalog` and the runner's confiner must outlive them.
Environments make_environments(const Context& context, const specs::Catalog& catalog, const specs::CampaignSpec& limits,
                               const Runner& runner);

}  // namespace stackx::inspector
