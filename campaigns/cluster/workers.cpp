#include "campaigns/cluster/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "specs/error.hpp"

namespace stackx::campaigns::cluster {
namespace {

constexpr const char* nodes_parameter = "nodes";
constexpr const char* collectives[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"};

bool is_collective(const std::string& pi) {
  return std::ranges::find(collectives, pi) != std::end(collectives);
}

// By which parameter a PI is told how many there are; "" of one that is a single process.
std::string counting_parameter(const std::string& pi) {
  if (is_collective(pi)) return "ranks";
  return pi == "train_resnet50" || pi == "transformer" ? "workers" : "";
}

// The workload's parameters, and what settings of the stack set.
std::map<std::string, std::string> parameters_of(const specs::Arm& arm, const specs::Catalog& catalog) {
  auto all = arm.workload.params;
  for (const auto& [name, version] : arm.stack.components) {
    if (const auto* entry = catalog.find(name, version)) all.insert(entry->parameters.begin(), entry->parameters.end());
  }
  return all;
}

std::string value_of(const std::map<std::string, std::string>& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : found->second;
}

// 0: as many as there are.
std::uint64_t number_in(const std::string& text, const std::string& name, const std::string& where) {
  std::uint64_t number = 0;
  if (text.empty()) return 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input(fmt::format("{}: {}={}: expected a whole number", where, name, text));
  return number;
}

bool has_mpi(const specs::Stack& stack, const specs::Catalog& catalog) {
  return std::ranges::any_of(stack.components, [&](const auto& one) {
    const auto* entry = catalog.find(one.first, one.second);
    return entry != nullptr && entry->provides.contains("mpi");
  });
}

// Why the PI of an arm cannot run on several nodes.
std::string why_not_over_nodes(const specs::Arm& arm, const std::map<std::string, std::string>& parameters, const specs::Catalog& catalog) {
  const auto& pi = arm.workload.pi;
  if (counting_parameter(pi).empty())
    return fmt::format("{} runs in one process; over several nodes run train_resnet50, transformer with phase=train, and collectives of "
                       "an MPI or PyTorch (all_reduce, ...)",
                       pi);
  if (pi == "transformer" && value_of(parameters, "phase") != "train")
    return "transformer is spread over nodes with phase=train alone";
  if (!arm.stack.components.contains("python") && !has_mpi(arm.stack, catalog))
    return fmt::format("the stack {} has neither Python nor an MPI: NCCL alone starts nothing on other nodes; over nodes run an MPI's "
                       "collectives or PyTorch's (docs/collectives.md)",
                       arm.stack.short_id());
  return "";
}

specs::Arm spread(specs::Arm arm, std::uint64_t nodes, const specs::Catalog& catalog, const std::string& where) {
  const auto parameters = parameters_of(arm, catalog);
  if (const auto why = why_not_over_nodes(arm, parameters, catalog); !why.empty())
    throw bad_input(fmt::format("{}: \"nodes\": {}: {}", where, nodes, why));
  if (parameters.contains(nodes_parameter))
    throw bad_input(fmt::format("{}: the workload has the parameter nodes={}; take it out: the target's \"nodes\" say it", where,
                                parameters.at(nodes_parameter)));
  const auto name = counting_parameter(arm.workload.pi);
  const auto workers = number_in(value_of(parameters, name), name, where);
  if (workers > nodes)
    throw bad_input(fmt::format("{}: \"nodes\": {}, but {}={}{}: one worker runs on each node, so there can be {} at most; give the target "
                                "as many nodes, or pin or set fewer {}",
                                where, nodes, name, workers,
                                arm.workload.params.contains(name) ? "" : " by a setting of the stack " + arm.stack.short_id(), nodes, name));
  arm.workload.params[nodes_parameter] = std::to_string(nodes);
  if (workers > 0) return arm;
  if (parameters.contains(name) && !arm.workload.params.contains(name))
    throw bad_input(fmt::format("{}: a setting of the stack {} says {}=0; over nodes it must say how many", where, arm.stack.short_id(), name));
  arm.workload.params[name] = std::to_string(nodes);
  return arm;
}

}  // namespace

std::uint64_t workers_of(const specs::Arm& arm, const specs::Catalog& catalog) {
  const auto name = counting_parameter(arm.workload.pi);
  const auto parameters = parameters_of(arm, catalog);
  return std::max<std::uint64_t>(number_in(name.empty() ? "" : value_of(parameters, name), name, arm.label), 1);
}

specs::Plan over_nodes(specs::Plan plan, std::uint64_t nodes, const specs::Catalog& catalog, const std::string& where) {
  for (auto& arm : plan.arms) arm = spread(std::move(arm), nodes, catalog, where);
  specs::seal(plan);
  return plan;
}

}  // namespace stackx::campaigns::cluster
