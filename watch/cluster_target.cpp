#include "watch/cluster_target.hpp"

#include <fmt/format.h>

#include "campaigns/cluster/head/freeze.hpp"
#include "specs/error.hpp"

namespace stackx::watch {

specs::ClusterSettings cluster_settings(const WatchOptions& options) {
  auto settings = campaigns::cluster::read_settings(options.project, options.settings);
  if (settings.targets.size() != 1)
    throw bad_input(fmt::format("{}: has {} targets; one watch is about one kind of hardware: keep one, and watch others each with settings of "
                                "their own (--settings)",
                                (options.settings.empty() ? options.project : options.settings).string(), settings.targets.size()));
  return settings;
}

specs::ClusterTarget cluster_target(const WatchOptions& options) { return cluster_settings(options).targets.front(); }

std::string cluster_hardware(const WatchOptions& options) {
  const auto target = cluster_target(options);
  if (!target.model.empty()) return target.model == "host" ? "" : target.model;
  for (const char* component : {"gpu", "cpu"})
    if (const auto found = target.hardware.find(component); found != target.hardware.end() && found->second != "host") return found->second;
  return "";
}

}  // namespace stackx::watch
