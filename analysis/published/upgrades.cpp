#include "analysis/published/upgrades.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analysis/published/version_series.hpp"
#include "analysis/questions/parts.hpp"
#include "specs/result/order_statistics.hpp"

namespace stackx::analysis {
namespace {

constexpr double noticeable = 1.03;  // a ratio beyond it counts as faster, below its inverse as slower
constexpr std::size_t enough_versions = 3;

struct UpgradeGroup {
  std::vector<double> ratios, losses;
  std::set<std::string> hardware, sources;
};

void add_series(UpgradeGroup& group, const VersionSeries& series) {
  const auto& versions = series.versions;
  const std::size_t before = group.ratios.size();
  for (std::size_t i = 1; i < versions.size(); ++i)
    if (!share_a_stack(versions[i - 1], versions[i])) group.ratios.push_back(versions[i].rate / versions[i - 1].rate);
  if (group.ratios.size() == before) return;
  if (versions.size() >= enough_versions)
    group.losses.push_back(std::ranges::max(versions, {}, &RateOfVersion::rate).rate / versions.back().rate - 1);
  group.hardware.insert(series.hardware.begin(), series.hardware.end());
  group.sources.insert(series.sources.begin(), series.sources.end());
}

// What a file keeps: digits beyond these say nothing.
double rounded(double value) { return std::round(value * 10'000) / 10'000; }

double share_of(const std::vector<double>& values, auto holds) {
  return rounded(double(std::ranges::count_if(values, holds)) / double(values.size()));
}

specs::Upgrade summed_up(const std::string& component, const std::string& architecture,
                         const UpgradeGroup& group) {
  specs::Upgrade upgrade;
  upgrade.component = component;
  upgrade.architecture = architecture;
  const auto& ratios = group.ratios;
  upgrade.steps = {ratios.size(),
                   rounded(specs::median(ratios)),
                   share_of(ratios, [](double ratio) { return ratio < 1 / noticeable; }),
                   share_of(ratios, [](double ratio) { return ratio > noticeable; }),
                   rounded(specs::quantile(ratios, 0.05)),
                   rounded(specs::quantile(ratios, 0.95))};
  if (const auto& losses = group.losses; !losses.empty())
    upgrade.newest = {losses.size(),
                      share_of(losses, [](double loss) { return 1 + loss <= noticeable; }),
                      rounded(specs::median(losses)), rounded(specs::quantile(losses, 0.95))};
  upgrade.hardware.assign(group.hardware.begin(), group.hardware.end());
  upgrade.sources.assign(group.sources.begin(), group.sources.end());
  return upgrade;
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

AnswerField percent_field(std::optional<double> share) {
  return share ? AnswerField{percent(*share), *share} : AnswerField{};
}

AnswerField ratio_field(double ratio) { return {fmt::format("×{:.3f}", ratio), ratio}; }

std::string answer_heading(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                           const std::string& about) {
  const std::string what = component.empty()            ? "newer version"
                           : component == mlperf_round ? "newer round of MLPerf"
                                                        : "newer " + component;
  std::size_t n = 0;
  double slower = 0, faster = 0;
  for (const auto& upgrade : upgrades) {
    n += upgrade.steps.n;
    slower += upgrade.steps.slower * double(upgrade.steps.n);
    faster += upgrade.steps.faster * double(upgrade.steps.n);
  }
  if (n == 0) return fmt::format("Nobody published what a {}{} changes, everything else equal.", what, about);
  return fmt::format("A {}{} was slower by more than 3% in {} of {} cases; faster by more than 3% in {}.",
                     what, about, percent(slower / double(n)), n, percent(faster / double(n)));
}

std::vector<AnswerField> answer_row(const specs::Upgrade& upgrade) {
  const auto& [n, median, slower, faster, p5, p95] = upgrade.steps;
  const auto& newest = upgrade.newest;
  const auto of_newest = [&](auto member) {
    return newest ? std::optional(double((*newest).*member)) : std::nullopt;
  };
  return {field(upgrade.component),
          field(upgrade.architecture),
          field(n),
          ratio_field(median),
          percent_field(slower),
          percent_field(faster),
          {fmt::format("×{:.2f} to ×{:.2f}", p5, p95), nullptr},
          number_field(p5),
          number_field(p95),
          newest ? field(newest->n) : AnswerField{},
          percent_field(of_newest(&specs::NewestAgainstBest::within)),
          percent_field(of_newest(&specs::NewestAgainstBest::median_loss)),
          percent_field(of_newest(&specs::NewestAgainstBest::p95_loss))};
}

std::string sources_line(const std::vector<specs::Upgrade>& upgrades) {
  constexpr std::size_t most = 8;
  std::set<std::string> titles;
  for (const auto& upgrade : upgrades) titles.insert(upgrade.sources.begin(), upgrade.sources.end());
  std::vector<std::string> first(titles.begin(), std::next(titles.begin(), std::min(most, titles.size())));
  return fmt::format("sources: {}{}", fmt::join(first, "; "),
                     titles.size() > most ? fmt::format("; and {} more (--json names all)", titles.size() - most)
                                          : "");
}

}  // namespace

std::vector<specs::Upgrade> upgrades(const std::vector<specs::Published>& results,
                                     const specs::Accelerators& accelerators,
                                     const specs::Processors& processors) {
  KindsOfHardware kinds(accelerators, processors);
  std::map<std::pair<std::string, std::string>, UpgradeGroup> groups;
  for (const auto& series : version_series(results, kinds))
    add_series(groups[{series.component, kinds.of(*series.hardware.begin()).architecture}], series);
  std::vector<specs::Upgrade> upgrades;
  for (const auto& [key, group] : groups)
    if (!group.ratios.empty()) upgrades.push_back(summed_up(key.first, key.second, group));
  return upgrades;
}

UpgradeOdds odds_of_newest(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                           const std::string& architecture) {
  UpgradeOdds odds;
  std::set<std::string> sources;
  for (const auto& upgrade : upgrades) {
    if (upgrade.component != component || !upgrade.newest) continue;
    if (!architecture.empty() && upgrade.architecture != architecture) continue;
    odds.n += upgrade.newest->n;
    odds.within += upgrade.newest->within * double(upgrade.newest->n);
    sources.insert(upgrade.sources.begin(), upgrade.sources.end());
  }
  if (odds.n > 0) odds.within /= double(odds.n);
  odds.sources.assign(sources.begin(), sources.end());
  return odds;
}

Answer upgrades_answer(const std::vector<specs::Upgrade>& upgrades, const std::string& component,
                       const std::string& about, std::size_t limit) {
  using enum AnswerColumn::For;
  Answer answer;
  answer.question = "upgrades";
  answer.heading = answer_heading(upgrades, component, about);
  answer.caption =
      "n: published results of one version against those of the next, everything else equal but what comes with it "
      "(CUDA, its libraries, the driver). rate: the newer's over the older's, median, and 5th to 95th percentile. "
      "newest: of workloads with three versions or more, how often the newest is within 3% of the best, and by how "
      "much the best beats it.";
  answer.columns = {{"component", "component"},
                    {"architecture", "architecture"},
                    {"n", "n", true},
                    {"median", "rate", true},
                    {"slower", "slower", true},
                    {"faster", "faster", true},
                    {"range", "5% to 95%", true, people},
                    {"p5", "", true, programs},
                    {"p95", "", true, programs},
                    {"workloads", "workloads", true},
                    {"newest_within", "newest", true},
                    {"median_loss", "loss", true},
                    {"p95_loss", "95%", true}};
  answer.total = upgrades.size();
  for (std::size_t i = 0; i < shown_of(upgrades.size(), limit); ++i) answer.rows.push_back(answer_row(upgrades[i]));
  if (upgrades.empty()) return answer;
  answer.notes = {"a ratio holds whatever else changed between two measurements (machine, driver, months), and two "
                  "measurements of one version differ, too: a difference of a few percent in one row is no advice",
                  sources_line(upgrades)};
  return answer;
}

}  // namespace stackx::analysis
