// bench-statistics: seeded simulations of stackx's statistics, and what recorded campaigns say.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "peer_rules.hpp"
#include "recorded.hpp"
#include "trials.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Simulations of the statistics; bench/statistics/run drives it"};
  app.require_subcommand(1);
  stackx::bench::Trials trials;
  const auto add = [&](const char* name, const char* what,
                       void (*run)(const stackx::bench::Trials&)) {
    auto* command = app.add_subcommand(name, what);
    command->add_option("--trials", trials.count, "Trials of each cell")->capture_default_str();
    command->add_option("--seed", trials.seed)->capture_default_str();
    command->callback([&trials, run] { run(trials); });
  };
  add("false-positives", "A/A: equal stacks called different", stackx::bench::false_positives);
  add("power", "True differences of 3% and 1%", stackx::bench::power);
  add("coverage", "Of every 95% interval", stackx::bench::coverage);
  add("precision", "Of the interval on whose width a campaign stopped", stackx::bench::precision);
  add("race", "Against fixed rounds, 64 arms", stackx::bench::races);
  add("race-waves", "On a cluster's nodes, looks between waves", stackx::bench::race_waves);
  stackx::bench::Recorded recorded;
  const auto add_recorded = [&](const char* name, const char* what,
                                void (*run)(const stackx::bench::Recorded&)) {
    auto* command = app.add_subcommand(name, what);
    command->add_option("db", recorded.db, "Store that holds the campaign")->required();
    command->add_option("--campaign", recorded.campaign);
    command->add_option("--block", recorded.block, "Rounds of one A/A test")->capture_default_str();
    command->add_option("--trials", recorded.trials)->capture_default_str();
    command->add_option("--seed", recorded.seed)->capture_default_str();
    command->callback([&recorded, run] { run(recorded); });
  };
  add_recorded("sentinels", "A/A pairs of a recorded campaign", stackx::bench::recorded_sentinels);
  add_recorded("replay", "The race on a recorded campaign", stackx::bench::recorded_race);
  app.add_subcommand("rules", "Other tools' rules on samples from stdin")
      ->callback(stackx::bench::answer_rules);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
