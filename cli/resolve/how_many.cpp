#include "cli/resolve/how_many.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output/facts_line.hpp"
#include "cli/output/print.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {

using resolver::Resolver;

namespace {

// "12 combinations of 3 components"
std::string combinations(const Resolver& resolver) {
  return fmt::format("{} of {}", workspace::counted(resolver.raw_combinations(), "combination"),
                     workspace::counted(resolver.components().size(), "component"));
}

// What the bounds rest on.
std::string proof(const resolver::StackCount& stacks) {
  return fmt::format("proven, not estimated: {} of the space counted exactly, {} bounded by an easier project",
                     workspace::counted(stacks.counted, "part"), stacks.bounded);
}

}  // namespace

void print_count(const workspace::Loaded& loaded, const Resolver& resolver, double elapsed, bool json) {
  const auto stacks = resolver.count_or_bounds();
  const auto raw = resolver.raw_combinations();
  if (json) {
    nlohmann::json document = {{"project", loaded.project.name},
                               {"components", resolver.components().size()},
                               {"raw_combinations", raw.str()},
                               {"elapsed_ms", elapsed},
                               {"facts", facts_json(loaded.catalog)}};
    if (stacks.is_exact())
      document["valid_stacks"] = stacks.low.str();
    else
      document["valid_stacks_between"] = {stacks.low.str(), stacks.high.str()};
    print_json(document);
    return;
  }
  const auto& as_of = loaded.catalog.as_of;
  const auto number = stacks.is_exact() ? workspace::counted(stacks.low, "valid stack")
                                        : fmt::format("at least {} and at most {} valid stacks", workspace::grouped(stacks.low),
                                                      workspace::grouped(stacks.high));
  print_paragraph(fmt::format("{}: {} out of {} ({:.1f} ms{})", loaded.project.name, number, combinations(resolver), elapsed,
                              as_of.empty() ? "" : ", facts as of " + as_of));
  if (stacks.is_exact()) return;
  print_paragraph(proof(stacks) + ";");
  print_paragraph("they come closer with --seconds and --memory; --approximate estimates");
}

void print_approximate_count(const workspace::Loaded& loaded, const Resolver& resolver,
                             const resolver::ApproximateCount& about, double elapsed, bool json) {
  const auto raw = resolver.raw_combinations();
  if (json) {
    print_json({{"project", loaded.project.name},
                {"components", resolver.components().size()},
                {"raw_combinations", raw.str()},
                {"approximate", !about.exact},
                {"valid_stacks_about", about.estimate.str()},
                {"between", {about.low.str(), about.high.str()}},
                {"confidence", about.confidence},
                {"elapsed_ms", elapsed}});
    return;
  }
  std::string number;
  if (about.exact)
    number = workspace::counted(about.estimate, "valid stack");
  else if (about.low == 0)
    number = fmt::format("APPROXIMATE: at most {}, with a confidence of {:.0f} %", workspace::counted(about.high, "valid stack"),
                         100 * about.confidence);
  else
    number = fmt::format("APPROXIMATE: about {} valid stacks, between {} and {} with a confidence of {:.0f} %",
                         workspace::grouped(about.estimate), workspace::grouped(about.low), workspace::grouped(about.high),
                         100 * about.confidence);
  print_paragraph(fmt::format("{}: {} out of {} ({:.1f} ms)", loaded.project.name, number, combinations(resolver), elapsed));
}

}  // namespace stackx::cli
