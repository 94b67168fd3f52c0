#include "store/packing/measurement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"
#include "store/packing/prepared.hpp"

namespace stackx::store {
namespace {

double number_of(const Numbers& numbers, std::size_t token) {
  if (token >= numbers.tokens.size()) return 0;
  const Token& found = numbers.tokens[token];
  return found.kind == Token::Kind::decimal ? decimal_value(found)
                                            : static_cast<double>(found.value);
}

std::string rest_text(const SharedRows::ConditionRow& condition, const Numbers& numbers) {
  return join(condition.skeleton->text, numbers.tokens, numbers.lists);
}

// What is written in an unusual way is no token, but stands in the skeleton.
nlohmann::json rest_of(const SharedRows::ConditionRow& condition, const Numbers& numbers) {
  return nlohmann::json::parse(rest_text(condition, numbers));
}

Numbers numbers_of(const Row& row) { return row.condition->program.unpack(row.rest, row.samples); }

// Of an inspection outside of campaigns: its row number does not hold it.
std::uint64_t single_round(const Row& row) {
  const Numbers numbers = numbers_of(row);
  if (row.condition->skeleton->round)
    return static_cast<std::uint64_t>(numbers.tokens.at(*row.condition->skeleton->round).value);
  return rest_of(*row.condition, numbers).at("round");
}

void read_conditions(const Row& row, const Numbers& numbers, Measurement& m) {
  if (row.condition->skeleton->load) m.load_1m = number_of(numbers, *row.condition->skeleton->load);
  if (row.condition->skeleton->steal) m.steal = number_of(numbers, *row.condition->skeleton->steal);
}

// The inspection as far as amounts need it: what the row keeps, and what its columns and its context say.
void read_amounts(const Row& row, const Numbers& numbers, const Yardsticks& yardsticks, Measurement& m) {
  specs::Inspection partial;
  const auto rest = specs::Node::parse_text(rest_text(*row.condition, numbers), "inspection " + m.inspection);
  specs::figures_from(partial, rest);
  partial.conditions = specs::sample_conditions_from(rest, row.samples.size());
  partial.outcome = m.outcome;
  partial.samples_ns = row.samples;
  partial.workload.pi = m.workload.pi;
  partial.device = m.device;
  if (!m.mini_batch.empty()) partial.parameters["mini_batch"] = m.mini_batch;
  for (const auto& yardstick : yardsticks)
    if (const auto amount = yardstick.amount(partial)) m.amounts[yardstick.word()] = *amount;
  if (!partial.metrics.contains("energy_j") && m.amounts.contains("energy"))
    m.idle_share = specs::energy_of_run(partial)->idle_share;
  m.device_memory_source = specs::device_memory_source(partial, "peak_device_memory_bytes");
  m.nvml_memory_source = specs::device_memory_source(partial, "peak_nvml_memory_bytes");
  if (std::ranges::any_of(yardsticks, &specs::Yardstick::is_of_the_check)) m.check = std::move(partial.check);
}

void read_details(const Row& row, const Details& details, Measurement& m) {
  const bool amounts = std::ranges::any_of(details.yardsticks, [](const auto& one) { return !one.is_rate(); });
  if (!details.conditions && !amounts) return;
  const Numbers numbers = numbers_of(row);
  if (details.conditions) read_conditions(row, numbers, m);
  if (amounts && m.outcome == specs::Outcome::ok) read_amounts(row, numbers, details.yardsticks, m);
}

}  // namespace

std::string finished_of(const Row& row) {
  if (row.condition->skeleton->time == TimeForm::text)
    return rest_of(*row.condition, numbers_of(row)).at("finished");
  return specs::utc_text(packed_finish(row.rest), row.condition->skeleton->time == TimeForm::milliseconds);
}

Measurement measurement_of(Row row, const Details& details) {
  const SharedRows::ArmRow& arm = *row.arm;
  const SharedRows::ConditionRow& condition = *row.condition;
  Measurement m;
  m.row = row.id;
  m.inspection = key_text(row.key);
  m.campaign = arm.campaign;
  m.arm = arm.label;
  m.round = arm.campaign.empty() ? single_round(row) : round_of(row);
  m.position = static_cast<std::uint64_t>(row.position);
  m.sentinel = arm.sentinel;
  m.stack = arm.stack->stack;
  m.workload = arm.workload->workload;
  m.host = condition.host->fingerprint;
  m.hostname = condition.host->hostname;
  m.microarchitecture = condition.host->microarchitecture;
  m.cpu_model = condition.host->cpu_model;
  m.device = arm.device->name;
  m.outcome = row.outcome();
  m.reason = row.implausible.value_or(condition.reason);
  m.pi_path = condition.context->pi_path;
  m.mini_batch = condition.context->mini_batch;
  m.finished = finished_of(row);
  m.work = condition.context->work;
  read_details(row, details, m);
  m.samples_ns = std::move(row.samples);
  return m;
}

void sort_measurements(std::vector<Measurement>& measurements) {
  std::vector<std::size_t> order(measurements.size());  // a measurement is too large to swap
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Measurement& m = measurements[i];
    return std::tie(m.campaign, m.round, m.position, m.inspection);
  });
  std::vector<Measurement> sorted;
  sorted.reserve(measurements.size());
  for (const std::size_t i : order) sorted.push_back(std::move(measurements[i]));
  measurements = std::move(sorted);
}

}  // namespace stackx::store
