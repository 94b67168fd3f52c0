// stackx advise: the ranked answer, from what has been measured.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "analysis/ranking.hpp"
#include "cli/commands.hpp"
#include "cli/load.hpp"
#include "inspector/host.hpp"
#include "specs/error.hpp"
#include "store/store.hpp"

namespace stackx::cli {
namespace {

struct Options {
  std::string hw = "host", workload = "matmul", objective = "rate", format = "table";
  std::size_t rows = 25;
  double delta = 1.0;  // percent
  std::string campaign;
};

analysis::Objective objective_from(const std::string& name) {
  if (name == "stability") return analysis::Objective::stability;
  if (name == "balanced") return analysis::Objective::balanced;
  return analysis::Objective::rate;
}

void nothing_measured(const Options& options, const specs::Workload& workload,
                      const store::Store& store, Globals& globals) {
  std::set<std::string> known;
  for (const auto& measurement : store.measurements({}))
    known.insert(fmt::format("--hw {} --workload {}", measurement.microarchitecture,
                             measurement.workload.text()));
  std::string advice = known.empty()
                           ? "Nothing is measured yet: run `stackx inspect PROJECT` first."
                           : "What is measured:";
  for (const auto& line : known) advice += "\n  " + line;
  if (globals.json)
    print_json({{"hw", options.hw},
                {"workload", workload.text()},
                {"recommendations", nlohmann::json::array()},
                {"notes", {advice}}});
  else
    fmt::print("No measurement of {} on {}.\n{}\n", workload.text(), options.hw, advice);
  globals.exit_code = 1;
}

void advise(const Options& options, Globals& globals) {
  const auto asked = specs::parse_workload(options.workload);
  const auto host = inspector::detect_host(globals.data_directory);
  const bool here = options.hw == "host";
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  store::Filter filter;
  filter.workload = asked;
  filter.hardware = here ? host.cpu.microarchitecture : options.hw;
  if (!options.campaign.empty()) filter.campaign = options.campaign;
  const auto measurements = store.measurements(filter);
  if (measurements.empty()) return nothing_measured(options, asked, store, globals);

  analysis::Options analysis_options;
  analysis_options.objective = objective_from(options.objective);
  analysis_options.delta = options.delta / 100;
  analysis_options.this_host = host.fingerprint();
  auto ranking = analysis::rank(measurements, asked, analysis_options);
  ranking.hw = here ? host.cpu.microarchitecture : options.hw;
  if (globals.json || options.format == "json")
    print_json(analysis::to_json(ranking));
  else
    fmt::print("{}", analysis::table(ranking, options.rows, stdout_is_terminal()));
  if (ranking.recommendations.empty()) globals.exit_code = 1;
}

}  // namespace

void add_advise(CLI::App& app, Globals& globals) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "advise", "The stacks that were measured on some hardware, ranked, with their evidence");
  command->add_option("--hw", options->hw, "Hardware: a name (`stackx hw list`) or `host`")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--workload", options->workload, "Workload: NAME[:key=value,...]")
      ->type_name("WORKLOAD")
      ->capture_default_str();
  command
      ->add_option("--objective", options->objective,
                   "What decides within a tie: rate, stability or balanced")
      ->check(CLI::IsMember({"rate", "stability", "balanced"}))
      ->capture_default_str();
  command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("--rows", options->rows, "Rows of the table (0: all)")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--delta", options->delta, "Differences below this many percent do not matter")
      ->check(CLI::NonNegativeNumber)
      ->type_name("PERCENT")
      ->capture_default_str();
  command->add_option("--campaign", options->campaign, "Only this campaign's measurements")
      ->type_name("ID");
  command->callback([options, &globals] { advise(*options, globals); });
}

}  // namespace stackx::cli
