// The project of a pass: its catalogs as the index has them now, what the options say of its campaigns, and on which hardware
// its measurements count.
#pragma once

#include <string>
#include <vector>

#include "campaigns/job.hpp"
#include "watch/asked.hpp"
#include "watch/refresh/refresh.hpp"
#include "watch/space.hpp"

namespace stackx::watch {

Refreshed refresh_for(const WatchOptions& options, const Subject& subject, const workspace::Context& context);

// `catalogs`: of Refreshed. Throws Error(bad_input) for what cannot be measured, and for paths that nobody allowed.
campaigns::Job load_for(const WatchOptions& options, const std::vector<std::string>& catalogs, const Subject& subject,
                        const workspace::Context& context);

Hardware hardware_of(const WatchOptions& options, const workspace::Loaded& loaded, const Space& space);

}  // namespace stackx::watch
