#include "analysis/ranking/bits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

constexpr std::size_t most_hosts_named = 4, most_stacks_named = 4;

std::string hosts_text(const std::set<std::string>& hosts) {
  if (hosts.size() > most_hosts_named) return counted(hosts.size(), "host");
  return fmt::format("{}", fmt::join(hosts, ", "));
}

nlohmann::json side_json(const StackBits& bits) {
  return {{"digests", bits.digests}, {"inspections", bits.inspections}, {"unsteady", bits.unsteady}};
}

}  // namespace

std::string StackBits::text() const {
  if (unsteady > 0)
    return fmt::format("different bits from call to call, in {} of {}", unsteady, counted(inspections, "inspection"));
  if (digests.size() < 2) return "";
  return fmt::format("different bits in different runs, {} results in {}", digests.size(), counted(inspections, "inspection"));
}

std::map<BitsPlace, StackBits> bits_of(const StackRates& stack) {
  std::map<BitsPlace, StackBits> result;
  for (const Value& value : stack.values) {
    const auto& m = *value.measurement;
    if (!m.check || m.check->result_digest.empty()) continue;
    StackBits& bits = result[{m.host, m.device, m.check->inputs}];
    bits.hostname = m.hostname;
    bits.digests.insert(m.check->result_digest);
    ++bits.inspections;
    if (!m.check->deterministic.value_or(true)) ++bits.unsteady;
  }
  return result;
}

std::vector<BitsCompared> compare_bits(const StackRates& a, const StackRates& b) {
  std::vector<BitsCompared> result;
  const auto of_b = bits_of(b);
  for (const auto& [place, bits] : bits_of(a))
    if (const auto other = of_b.find(place); other != of_b.end()) result.push_back({a.stack, b.stack, place, bits, other->second});
  return result;
}

std::string bits_sentence(const std::vector<BitsCompared>& compared) {
  std::set<std::string> same, differ;
  for (const auto& one : compared) (one.same() ? same : differ).insert(one.of_a.hostname);
  if (compared.empty()) return "";
  if (differ.empty()) return fmt::format("Results are bit for bit the same on {}.", hosts_text(same));
  const auto equal = std::ranges::count_if(compared, &BitsCompared::same);
  const auto few = equal == 0 ? "" : fmt::format(": {} of {} comparisons found the same", equal, compared.size());
  return fmt::format("Results differ in bits on {}{}.", hosts_text(differ), few);
}

std::vector<std::string> unsteady_text(const std::vector<BitsCompared>& compared) {
  std::set<std::string> lines;
  for (const auto& one : compared)
    for (const auto& [side, bits] : {std::pair{"A", &one.of_a}, {"B", &one.of_b}})
      if (const auto text = bits->text(); !text.empty()) lines.insert(fmt::format("{} gave {} on {}", side, text, bits->hostname));
  return {lines.begin(), lines.end()};
}

nlohmann::json to_json(const std::vector<BitsCompared>& compared) {
  auto json = nlohmann::json::array();
  for (const auto& one : compared)
    json.push_back({{"stacks", {one.a.id(), one.b.id()}},
                    {"host", one.of_a.hostname},
                    {"device", one.place.device},
                    {"inputs", one.place.inputs},
                    {"same", one.same()},
                    {"a", side_json(one.of_a)},
                    {"b", side_json(one.of_b)}});
  return json;
}

std::vector<std::string> unsteady_stacks(const Rates& rates, const StackNames& names) {
  std::vector<std::string> lines;
  for (const auto& stack : rates.stacks)
    for (const auto& [place, bits] : bits_of(stack))
      if (const auto text = bits.text(); !text.empty())
        lines.push_back(fmt::format("{} gave {} on {}", names.subject(stack.stack), text, bits.hostname));
  if (lines.size() <= most_stacks_named) return lines;
  const auto more = lines.size() - most_stacks_named;
  lines.resize(most_stacks_named);
  lines.push_back(fmt::format("{} more gave different bits, too", more));
  return lines;
}

}  // namespace stackx::analysis
