#include "advisor/selection.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "workspace/load.hpp"
#include "advisor/published_note.hpp"
#include "workspace/seeds.hpp"
#include "workspace/this_machine.hpp"
#include "store/questions/questions.hpp"

namespace stackx::cli {
namespace {

void read(Selection& selection, const SelectionOptions& options, const store::Store& store,
          const store::Questions& questions) {
  const auto& names = selection.hardware.in_the_store;
  if (options.campaign.empty() && names.size() == 1 && !selection.one_machine)
    if (auto leading = leading_stacks(questions, selection.asked, names.front(),
                                      selection.this_host, options.stacks)) {
      selection.asked = leading->workload;
      selection.measurements = std::move(leading->measurements);
      selection.notes = std::move(leading->notes);
      selection.leading = true;
      return;
    }
  store::Filter filter;
  filter.workload = selection.asked;
  if (!options.campaign.empty()) filter.campaign = options.campaign;
  if (selection.one_machine) filter.host = selection.hardware.fingerprint;
  std::set<std::int64_t> rows;
  for (const auto& name : names) {
    filter.hardware = name;
    for (auto& measurement : store.measurements(filter))
      if (rows.insert(measurement.row).second)
        selection.measurements.push_back(std::move(measurement));
  }
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionOptions& options) {
  command.add_option("--hw", options.hw, "Hardware: `host`, a model or family (`stackx hw list`: v100, zen4), a name that a "
                     "cloud or driver gives it, or a machine's fingerprint")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--workload", options.workload, "Workload: NAME[:key=value,...]")
      ->type_name("WORKLOAD")
      ->capture_default_str();
  command.add_option("--campaign", options.campaign, "Only this campaign's measurements")
      ->type_name("ID");
}

void add_delta_option(CLI::App& command, double& percent) {
  command.add_option("--delta", percent, "Differences below this many percent do not matter")
      ->check(CLI::NonNegativeNumber)
      ->type_name("PERCENT")
      ->capture_default_str();
}

Selection select(const SelectionOptions& options, const Globals& globals) {
  return select(options, this_machine(globals), specs::load_accelerators(globals.data_directory),
                globals);
}

Selection select(const SelectionOptions& options, const specs::Host& host,
                 const specs::Accelerators& accelerators, const Globals& globals) {
  Selection selection;
  selection.asked = specs::parse_workload(options.workload);
  selection.this_host = host.fingerprint();
  const auto questions = open_questions(globals);
  selection.hardware = asked_hardware(options.hw, host, accelerators, globals, questions);
  selection.hw = selection.hardware.name;
  selection.one_machine = options.hw != "host" && !selection.hardware.fingerprint.empty();
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  read(selection, options, store, questions);
  std::set<std::string> campaigns;
  for (const auto& measurement : selection.measurements) campaigns.insert(measurement.campaign);
  for (const auto& id : campaigns)
    if (const auto plan = id.empty() ? std::nullopt : store.plan(id))
      if (plan->campaign.strategy.kind == specs::StrategySpec::Kind::race)
        selection.races[id] = plan->campaign;
  return selection;
}

// From the maintained sums: a large store answers at once. The names that --hw takes: a processor goes
// by its microarchitecture.
std::string what_is_measured(const Globals& globals) {
  const auto questions = open_questions(globals);
  std::set<std::string> known;
  for (const auto& series : questions.series({})) {
    const auto& hardware = questions.hardware(questions.device(series.device).hardware);
    known.insert(fmt::format("--hw {} --workload {}",
                             hardware.microarchitecture.empty() ? hardware.model
                                                                : hardware.microarchitecture,
                             questions.workload(series.workload).text()));
  }
  if (known.empty()) return "Nothing is measured yet: run `stackx inspect PROJECT` first.";
  std::string text = "What is measured:";
  for (const auto& line : known) text += "\n  " + line;
  return text;
}

void nothing_measured(const Selection& selection, const nlohmann::json& empty, Globals& globals) {
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  const auto published = published_note(store.published({selection.asked, selection.hw}));
  const auto measured = what_is_measured(globals);
  if (globals.json) {
    nlohmann::json document = empty;
    document["hw"] = selection.hw;
    document["workload"] = selection.asked.text();
    document["notes"] = {measured};
    if (published.results > 0) document["published"] = to_json(published);
    print_json(document);
  } else {
    fmt::print("No measurement of {} on {}.\n{}{}\n", selection.asked.text(), selection.hw,
               to_text(published, selection.asked.text(), selection.hw),
               measured);
  }
  globals.exit_code = 1;
}

}  // namespace stackx::cli
