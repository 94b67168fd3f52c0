#include "watch/cluster_target.hpp"

#include <fmt/format.h>

#include "campaigns/cluster/head/freeze.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "workspace/asked_hardware.hpp"

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

campaigns::cluster::TargetHardware hardware_over(const specs::ClusterTarget& target, const workspace::Context& context) {
  if (target.model.empty()) return target.hardware;
  if (target.model == "host") return {};
  const auto known = workspace::hardware_of_catalogs(target.model, {}, specs::load_accelerators(context.data_directory()), context);
  if (!known || known->component.empty())
    throw bad_input(fmt::format("--cluster: nobody knows the hardware {}; `stackx hw list` names all", specs::in_quotes(target.model)));
  return {{known->component, known->version}};
}

}  // namespace stackx::watch
