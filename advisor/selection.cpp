#include "advisor/selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "advisor/facts/frameworks.hpp"
#include "advisor/published_note.hpp"
#include "advisor/recipes/quoting.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "store/questions/questions.hpp"
#include "workspace/asked/program.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/seeds.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::advisor {
namespace {

constexpr const char* usual_workload = "matmul";
constexpr store::Sampling everything{.most = std::numeric_limits<std::uint64_t>::max()};

// The sums do not tell campaigns apart, nor what two names of hardware share.
void add(const store::Excerpt& excerpt, std::optional<analysis::Population>& population) {
  if (!population) population.emplace(analysis::Population{0, 0, excerpt.sampling->each, excerpt.sampling->seed, {}});
  population->inspections = std::max(population->inspections, excerpt.inspections);
}

// A campaign that is named is shown whoever measured.
store::WhoseResults whose_results(const SelectionOptions& options, const workspace::Context& context) {
  return options.pi.empty() && !options.campaign.empty() ? store::all_results : workspace::asked_program(options.pi, context);
}

void note_left_out(Selection& selection, const store::WhoseResults& whose, const store::Questions& questions) {
  for (const auto& name : selection.hardware.in_the_store) {
    store::QuestionFilter filter;
    filter.workload = selection.asked;
    filter.hardware = name;
    filter.whose = whose;
    for (auto& line : workspace::left_out(questions, filter))
      if (std::ranges::find(selection.left_out, line) == selection.left_out.end())
        selection.left_out.push_back(std::move(line));
  }
  selection.notes.insert(selection.notes.end(), selection.left_out.begin(), selection.left_out.end());
}

// Which stacks lead is told by the sums of their rates alone.
bool by_rates(const SelectionOptions& options) {
  return std::ranges::all_of(options.yardsticks, &specs::Yardstick::is_rate);
}

void read(Selection& selection, const SelectionOptions& options, const store::WhoseResults& whose, const store::Store& store,
          const store::Questions& questions) {
  const auto& names = selection.hardware.in_the_store;
  if (options.campaign.empty() && names.size() == 1 && !selection.one_machine && !options.all_workloads && by_rates(options))
    if (auto leading = leading_stacks(questions, selection.asked, names.front(), whose,
                                      selection.this_host, options.stacks, options.sampling)) {
      selection.asked = leading->workload;
      selection.measurements = std::move(leading->measurements);
      selection.population = std::move(leading->population);
      selection.notes = std::move(leading->notes);
      selection.leading = options.stacks.most > 0;
      return;
    }
  store::Filter filter;
  filter.workload = selection.asked;
  if (!options.campaign.empty()) filter.campaign = options.campaign;
  filter.whose = whose;
  filter.yardsticks = options.yardsticks;
  if (selection.one_machine) filter.host = selection.hardware.fingerprint;
  std::set<std::int64_t> rows;
  for (const auto& name : names) {
    filter.hardware = name;
    auto excerpt = store.excerpt(filter, options.sampling.most > 0 ? options.sampling : everything);
    for (auto& measurement : excerpt.measurements)
      if (rows.insert(measurement.row).second)
        selection.measurements.push_back(std::move(measurement));
    if (excerpt.sampling) add(excerpt, selection.population);
  }
  if (selection.population) selection.population->read = selection.measurements.size();
  selection.read_all = !selection.population;
}

// What a campaign measured; nothing where that is more than `most`.
std::vector<store::Measurement> all_of(const std::string& campaign, std::size_t most, const Selection& selection,
                                       const store::Yardsticks& yardsticks, const store::Store& store) {
  std::vector<store::Measurement> result;
  std::set<std::int64_t> rows;
  for (const auto& name : selection.hardware.in_the_store) {
    store::Filter filter{selection.asked, std::nullopt, name, campaign};
    if (selection.one_machine) filter.host = selection.hardware.fingerprint;
    filter.whose = store::all_results;  // a campaign has one program
    filter.yardsticks = yardsticks;
    auto excerpt = store.excerpt(filter, {.most = most, .least = 1, .each = 1});
    if (excerpt.sampling) return {};
    for (auto& one : excerpt.measurements)
      if (rows.insert(one.row).second) result.push_back(std::move(one));
  }
  return result.size() <= most ? std::move(result) : std::vector<store::Measurement>();
}

// A race is replayed from all that it measured (analysis/ranking/finals.hpp). Of a sample it is completed, or, where
// that is more than an answer reads, left out: rounds that picked its finalists say too much for them.
void complete_races(Selection& selection, const SelectionOptions& options, const store::Store& store) {
  std::set<specs::Stack> stacks;
  for (const auto& one : selection.measurements) stacks.insert(one.stack);
  auto sample = std::exchange(selection.measurements, {});
  std::ranges::copy_if(sample, std::back_inserter(selection.measurements),
                       [&](const auto& one) { return !selection.races.contains(one.campaign); });
  const std::size_t races = selection.races.size();
  std::size_t left = 4 * options.sampling.most;  // races are short: mostly all are read
  std::erase_if(selection.races, [&](const auto& race) {
    auto whole = all_of(race.first, left, selection, options.yardsticks, store);
    left -= whole.size();
    std::ranges::copy_if(whole, std::back_inserter(selection.measurements),
                         [&](const auto& one) { return stacks.contains(one.stack); });
    return whole.empty();
  });
  const bool only_races = selection.measurements.empty();
  if (only_races) selection.measurements = std::move(sample);
  selection.notes.push_back(
      only_races ? "all was measured in races too long to be replayed: the rounds that picked their finalists count, "
                   "too, and owe part of a narrow lead to luck (--read 0 reads all)"
                 : fmt::format("of {} campaigns that raced, {} are read whole and the others left out (--read 0 reads "
                               "all)", races, selection.races.size()));
  selection.population->read = selection.measurements.size();
}

// With the evidence of the workload; where the hardware is not known to it, with all there is.
store::Questions questions_of(const std::string& family, const std::string& hw, const specs::Host& host,
                              const specs::Accelerators& accelerators, const workspace::Context& context) {
  auto questions = workspace::open_questions(context, family);
  if (workspace::is_known(hw, host, accelerators, context, questions)) return questions;
  return workspace::open_questions(context);
}

struct Measured {
  std::string where;                // "on zen3"
  std::set<std::string> workloads;  // names of families
};

Measured measured_by(const std::string& campaign, const workspace::Context& context) {
  const auto store = store::Store::open(store::default_path(context.db), store::Mode::read_only);
  check_campaign(campaign, store);
  Measured result{"by that campaign", {}};
  for (const auto& row : store.campaigns())
    if (const auto plan = row.id.starts_with(campaign) ? store.plan(row.id) : std::nullopt)
      for (const auto& arm : plan->arms) result.workloads.insert(arm.workload.pi);
  return result;
}

Measured measured_on(const SelectionOptions& options, const workspace::Context& context) {
  const auto host = workspace::this_machine(context);
  const auto accelerators = specs::load_accelerators(context.data_directory());
  const auto questions = questions_of(usual_workload, options.hw, host, accelerators, context);
  const auto hardware = workspace::asked_hardware(options.hw, host, accelerators, context, questions);
  Measured result{"on " + hardware.name, {}};
  store::QuestionFilter filter;
  filter.whose = workspace::asked_program(options.pi, context);
  for (const auto& name : hardware.in_the_store) {
    filter.hardware = name;
    for (const auto& series : questions.series(filter))
      if (series.ok > 0) result.workloads.insert(questions.workload(series.workload).pi);
  }
  return result;
}

// "vllm", where a project asks for it; "" else.
std::string server_of(const std::filesystem::path& project) {
  const auto names = workspace::asked_packages(project);
  const auto found = std::ranges::find_if(names, is_server);
  return found == names.end() ? "" : *found;
}

}  // namespace

void check_campaign(const std::string& campaign, const store::Store& store) {
  if (!campaign.empty() && std::ranges::none_of(store.campaigns(), [&](const auto& row) { return row.id.starts_with(campaign); }))
    throw bad_input(fmt::format("--campaign {}: the store knows no such campaign; `stackx query --sql 'SELECT * FROM campaigns'` "
                                "lists them",
                                campaign));
}

void name_workload(SelectionOptions& options, const workspace::Context& context, const std::filesystem::path& project) {
  if (!options.workload.empty()) return;
  const auto measured = options.campaign.empty() ? measured_on(options, context) : measured_by(options.campaign, context);
  const bool is_meant = measured.workloads.size() == 1 && !measured.workloads.contains(usual_workload);
  options.workload = is_meant ? *measured.workloads.begin() : usual_workload;
  if (is_meant) return workspace::remark("no --workload: {} is all that was measured {}\n", options.workload, measured.where);
  if (const auto server = server_of(project); !server.empty()) {
    options.workload = "serve_llm";
    workspace::remark("no --workload: {} is for {}\n", server, options.workload);
  } else {
    workspace::remark("no --workload: {} is meant; `stackx workload list` names others\n", options.workload);
  }
}

Selection select(const SelectionOptions& options, const workspace::Context& context) {
  return select(options, workspace::this_machine(context), specs::load_accelerators(context.data_directory()),
                context);
}

Selection select(const SelectionOptions& options, const specs::Host& host,
                 const specs::Accelerators& accelerators, const workspace::Context& context) {
  Selection selection;
  selection.asked = workspace::asked_workload(options.workload, context);
  selection.this_host = host.fingerprint();
  const auto questions = questions_of(selection.asked.pi, options.hw, host, accelerators, context);
  selection.hardware = workspace::asked_hardware(options.hw, host, accelerators, context, questions);
  selection.hw = selection.hardware.name;
  selection.one_machine = options.hw != "host" && !selection.hardware.fingerprint.empty();
  const auto store = store::Store::open(store::default_path(context.db), store::Mode::read_only);
  check_campaign(options.campaign, store);  // else "nothing is measured" would stand above what is
  const auto whose = whose_results(options, context);
  read(selection, options, whose, store, questions);
  note_left_out(selection, whose, questions);
  std::set<std::string> campaigns;
  for (const auto& measurement : selection.measurements) campaigns.insert(measurement.campaign);
  for (const auto& id : campaigns)
    if (const auto plan = id.empty() ? std::nullopt : store.plan(id)) {
      if (plan->campaign.strategy.kind == specs::StrategySpec::Kind::race) selection.races[id] = plan->campaign;
      if (plan->program) selection.programs[plan->program->identity()] = *plan->program;
    }
  if (selection.population && !selection.races.empty()) complete_races(selection, options, store);
  return selection;
}

void Selection::complete(analysis::Ranking& ranking) const {
  ranking.hw = hw;
  ranking.notes.insert(ranking.notes.begin(), notes.begin(), notes.end());
  if (!ranking.program) return;
  if (const auto planned = programs.find(ranking.program->identity()); planned != programs.end()) ranking.program = planned->second;
}

std::string selecting(const std::string& hw, const std::string& workload) {
  return fmt::format("--hw {} --workload {}", shell_quoted(specs::printable(hw)),
                     shell_quoted(specs::printable(workload)));
}

std::string sampling_text(const store::Sampling& sampling) {
  const store::Sampling usual;
  return (sampling.most != usual.most ? fmt::format(" --read {}", sampling.most) : "") +
         (sampling.seed != usual.seed ? fmt::format(" --read-seed {}", sampling.seed) : "");
}

// From the maintained sums: a large store answers at once. The names that --hw takes: a processor goes
// by its microarchitecture.
std::string what_is_measured(const Selection& selection, const workspace::Context& context) {
  const auto questions = workspace::open_questions(context, selection.asked.pi);
  std::set<std::string> known;
  store::QuestionFilter everything_there;
  everything_there.whose = store::all_results;
  for (const auto& series : questions.series(everything_there)) {
    const auto& hardware = questions.hardware(questions.device(series.device).hardware);
    const auto& workload = questions.workload(series.workload);
    known.insert(selecting(hardware.microarchitecture.empty() ? hardware.model : hardware.microarchitecture, workload.text()) +
                 (workload.program.empty() ? "" : " --pi " + workload.program.substr(0, 12)));
  }
  if (known.empty())
    return fmt::format("Nothing is measured yet. To begin, on this machine:\n"
                       "  stackx advise --hw host --workload {} --settle s.json && stackx inspect s.json",
                       shell_quoted(specs::printable(selection.asked.text())));
  std::string text = "What is measured:";
  for (const auto& line : known) text += "\n  " + line;
  return text;
}

}  // namespace stackx::advisor
