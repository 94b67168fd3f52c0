#include "analysis/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "analysis/report/workers.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "specs/project/own_pis.hpp"

namespace stackx::analysis {
namespace {

using Measurements = std::vector<const store::Measurement*>;
using Components = std::map<std::string, std::string>;

Distribution distribution(const StackRates& of, const Components& common) {
  Distribution result;
  result.stack = of.stack;
  result.label = label_of(of.stack.components, common);
  for (const Value& value : of.values)
    result.values.push_back({value.amount, value.measurement->inspection, value.measurement->campaign,
                             value.measurement->round, value.measurement->samples_ns.size()});
  const std::vector<double> values = rates(of);
  result.q1 = quantile(values, 0.25);
  result.median = median(values);
  result.q3 = quantile(values, 0.75);
  const double reach = 1.5 * (result.q3 - result.q1);
  result.low = result.q1;
  result.high = result.q3;
  for (const double v : values) {
    if (v >= result.q1 - reach) result.low = std::min(result.low, v);
    if (v <= result.q3 + reach) result.high = std::max(result.high, v);
  }
  for (const double v : values)
    if (v < result.low || v > result.high) result.outliers.push_back(v);
  std::ranges::sort(result.outliers);
  return result;
}

std::vector<FailureReason> failures(const Measurements& measurements, const Components& common) {
  std::map<std::pair<std::string, std::string>, FailureReason> found;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> stacks;
  for (const auto* m : measurements) {
    if (m->outcome == specs::Outcome::ok) continue;
    const std::pair key(std::string(specs::to_string(m->outcome)), m->reason);
    ++found[key].inspections;
    stacks[key].insert(m->stack.short_id() + " " + label_of(m->stack.components, common));
  }
  std::vector<FailureReason> result;
  for (auto& [key, failure] : found) {
    failure.outcome = key.first;
    failure.reason = key.second;
    failure.stacks.assign(stacks[key].begin(), stacks[key].end());
    result.push_back(failure);
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &FailureReason::inspections);
  return result;
}

std::vector<CampaignFacts> campaign_facts(const Measurements& measurements,
                                          const std::vector<specs::Plan>& plans) {
  std::map<std::string, CampaignFacts> found;
  for (const auto* m : measurements) {
    CampaignFacts& facts = found[m->campaign];
    facts.id = m->campaign;
    ++facts.inspections;
    facts.failed += m->outcome != specs::Outcome::ok;
    if (facts.first.empty() || m->finished < facts.first) facts.first = m->finished;
    facts.last = std::max(facts.last, m->finished);
  }
  for (const specs::Plan& plan : plans) {
    const auto place = found.find(plan.id);
    if (place == found.end()) continue;
    CampaignFacts& facts = place->second;
    facts.project = plan.project;
    facts.created = plan.created;
    facts.seed = plan.seed;
    facts.sampler_seed = plan.campaign.sampler.seed;
    facts.arms = plan.arms.size();
    facts.rounds = plan.campaign.rounds;
  }
  std::vector<CampaignFacts> result;
  for (auto& [id, facts] : found) result.push_back(std::move(facts));
  std::ranges::stable_sort(result, {}, &CampaignFacts::first);
  return result;
}

// "matmul (dtype float32, m 512)": what is computed, without how it is measured.
std::string operation(const specs::Workload& workload) {
  std::string text;
  for (const auto& [key, value] : workload.params)
    if (!specs::says_how_to_measure(key)) text += (text.empty() ? "" : ", ") + key + " " + value;
  return text.empty() ? workload.pi : fmt::format("{} ({})", workload.pi, text);
}

// A name in a line that people paste into a shell: no line of its own.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

constexpr std::size_t most_campaigns = 100;  // with commands of their own

std::vector<std::string> commands(const Report& report, const ReportOptions& options) {
  std::vector<std::string> result;
  std::size_t named = 0;
  for (const CampaignFacts& campaign : report.campaigns) {
    if (campaign.id.empty() || ++named > most_campaigns) continue;
    const std::string id = campaign.id.substr(0, 12);
    const std::string project =
        campaign.project.empty() ? "its project" : one_line(campaign.project);
    result.push_back(
        fmt::format("# campaign {}: every result document, for another store or "
                    "machine (`stackx import results.jsonl`)",
                    id));
    result.push_back(fmt::format("stackx export --campaign {} > results.jsonl", id));
    if (campaign.sampler_seed)
      result.push_back(
          fmt::format("# measure it again: PROJECT is the file of the project named {}", project));
    if (campaign.sampler_seed)
      result.push_back(fmt::format("stackx inspect PROJECT --seed {} --rounds {}",
                                   *campaign.sampler_seed, campaign.rounds));
  }
  if (named > most_campaigns)
    result.push_back(fmt::format("# and {} campaigns more, each likewise", named - most_campaigns));
  result.push_back("# this report, and the ranking alone");
  result.push_back(fmt::format("stackx report {} -o report.html", options.selection));
  result.push_back(fmt::format("stackx advise {}", options.selection));
  return result;
}

std::string how_well(const specs::Yardstick& yardstick) {
  if (yardstick.is_rate()) return "fastest";
  return fmt::format("with the {} {}", yardstick.smaller_is_better() ? "least" : "most", yardstick.noun());
}

std::optional<double> batch_of(const store::Measurement& measurement) {
  const double operations = std::strtod(measurement.mini_batch.c_str(), nullptr);
  return operations > 0 ? std::optional(operations) : std::nullopt;
}

}  // namespace

Report report(const std::vector<store::Measurement>& measurements, const specs::Workload& asked,
              const std::vector<specs::Plan>& plans, const FindDocument& document,
              const ReportOptions& options) {
  Report result;
  result.ranking = rank(measurements, asked, options.ranking);
  if (!options.hw.empty()) result.ranking.hw = options.hw;
  result.ranking.notes.insert(result.ranking.notes.begin(), options.notes.begin(), options.notes.end());
  result.stackx_version = options.stackx_version;
  result.common = common_components(result.ranking);

  Measurements selected;
  for (const store::Measurement& m : measurements)
    if (m.workload == result.ranking.workload) selected.push_back(&m);
  const Rates all = collect(selected, options.ranking.this_host, options.ranking.yardstick);
  for (const Recommendation& row : result.ranking.recommendations) {
    const auto of = std::ranges::lower_bound(all.stacks, row.stack, {}, &StackRates::stack);  // by their components
    result.distributions.push_back(distribution(*of, result.common));
  }
  result.spread = spread(all, options.ranking.confidence, options.seed);
  const auto workers = workers_as_size(measurements, result.ranking.workload);
  result.sizes = sizes(workers ? workers->measurements : measurements, workers ? workers->ranked : result.ranking.workload, all.unit,
                       options.ranking.this_host, batch_of, options.ranking.yardstick);
  if (result.sizes && options.ranking.yardstick.is_rate()) put_efficiency(*result.sizes);
  if (result.sizes && result.sizes->left_out > 0)
    result.ranking.notes.push_back(fmt::format(
        "{} sizes were measured; the curves over size have {} of them, evenly chosen.",
        result.sizes->workloads.size() + result.sizes->left_out, result.sizes->workloads.size()));
  result.drifts = result.ranking.drifts;
  result.effects = effects(measurements, result.ranking.workload,
                           {options.ranking.confidence, options.ranking.this_host, {}, options.ranking.delta, options.ranking.yardstick});
  result.conditions =
      study(conditions_of(selected), options.ranking.confidence, options.seed);
  result.failures = failures(selected, result.common);
  result.machines = machines(selected, document);
  result.campaigns = campaign_facts(selected, plans);
  result.commands = commands(result, options);
  result.question =
      fmt::format("Which of {} stacks runs {} {} on {}?", result.ranking.recommendations.size() + result.ranking.failed.size(),
                  operation(result.ranking.workload), how_well(result.ranking.yardstick), result.ranking.hw);
  result.headline = headline(result.ranking, result.ranking.hw);
  result.answer = result.headline.line;
  return result;
}

}  // namespace stackx::analysis
