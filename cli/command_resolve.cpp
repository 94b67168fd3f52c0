// stackx resolve PROJECT: how many stacks are valid, which, or why there is none.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/load.hpp"
#include "specs/error.hpp"

namespace stackx::cli {
namespace {

struct Options {
  std::filesystem::path project;
  bool count = false, share = false, explain = false;
  std::optional<std::uint64_t> list, sample;
  std::uint64_t seed = 0;
};

void print_stack(const specs::Stack& stack, bool json) {
  if (json) {
    print_json({{"id", stack.id()}, {"components", stack.components}});
    return;
  }
  fmt::print("{} ", stack.short_id());
  for (const auto& [component, version] : stack.components)
    fmt::print(" {}={}", component, version);
  fmt::print("\n");
}

void print_count(const Loaded& loaded, const resolver::Resolver& resolver, bool json) {
  const auto start = std::chrono::steady_clock::now();
  const auto valid = resolver.count();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  const auto raw = resolver.raw_combinations();
  if (json) {
    print_json({{"project", loaded.project.name},
                {"components", resolver.components().size()},
                {"raw_combinations", raw.str()},
                {"valid_stacks", valid.str()},
                {"elapsed_ms", elapsed.count()}});
    return;
  }
  fmt::print("{}: {} valid stacks out of {} combinations of {} components ({:.1f} ms)\n",
             loaded.project.name, grouped(valid), grouped(raw), resolver.components().size(),
             elapsed.count());
}

void print_shares(const resolver::Resolver& resolver, bool json) {
  const auto shares = resolver.shares();
  const auto total = resolver.count();
  if (json) {
    nlohmann::json document = {{"valid_stacks", total.str()},
                               {"stacks_with", nlohmann::json::object()}};
    for (const auto& [component, versions] : shares)
      for (const auto& [version, number] : versions)
        document["stacks_with"][component][version] = number.str();
    print_json(document);
    return;
  }
  for (const auto& [component, versions] : shares) {
    fmt::print("{}\n", component);
    for (const auto& [version, number] : versions)
      fmt::print("  {:<24} {:>16}  {:6.2f}%\n", version, grouped(number),
                 100.0 * number.convert_to<double>() / total.convert_to<double>());
  }
}

void print_unsolvable(const Loaded& loaded, const resolver::Unsolvable& why, bool json) {
  if (json)
    print_json({{"project", loaded.project.name}, {"valid_stacks", "0"}, {"clash", why.clash}});
  else
    fmt::print("{}: no valid stack.\n{}\n", loaded.project.name, why.text());
}

void resolve(const Options& options, Globals& globals) {
  const Loaded loaded = load(options.project, globals);
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  if (const auto why = resolver.explain()) {
    print_unsolvable(loaded, *why, globals.json);
    globals.exit_code = 1;
    return;
  }
  if (options.explain && !globals.json)
    fmt::print("{}: there are valid stacks; nothing to explain.\n", loaded.project.name);
  if (options.explain && globals.json)
    print_json({{"project", loaded.project.name}, {"clash", nlohmann::json::array()}});
  if (options.list) {
    std::uint64_t left = *options.list;
    if (left > 0)
      resolver.enumerate(
          [&](const resolver::Choice& choice) {
            return print_stack(resolver.stack(choice), globals.json), --left > 0;
          });
  }
  if (options.sample) {
    specs::SamplerSpec sampler{specs::SamplerSpec::Kind::uniform, "", *options.sample,
                               options.seed};
    for (const auto& stack : resolver.sample(sampler)) print_stack(stack, globals.json);
  }
  if (options.share) print_shares(resolver, globals.json);
  const bool nothing_else = !options.list && !options.sample && !options.share && !options.explain;
  if (options.count || nothing_else) print_count(loaded, resolver, globals.json);
}

}  // namespace

void add_resolve(CLI::App& app, Globals& globals) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "resolve", "Count, list or sample the stacks that can work, or say why there is none");
  command->add_option("project", options->project, "Project file (stackx/project/1)")
      ->required()
      ->type_name("PROJECT");
  command->add_flag("--count", options->count,
                    "Valid stacks out of raw combinations, both exact (the default)");
  command->add_option("--list", options->list, "The first N stacks, one a line")->type_name("N");
  command->add_option("--sample", options->sample, "N different stacks, uniformly at random")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed of --sample: the same on every machine")
      ->type_name("S");
  command->add_flag("--share", options->share,
                    "For each version, how many of the valid stacks hold it");
  command->add_flag("--explain", options->explain,
                    "When nothing is valid: a minimal set of requirements that clash");
  command->callback([options, &globals] { resolve(*options, globals); });
}

}  // namespace stackx::cli
