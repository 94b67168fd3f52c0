#include "bench/advice/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "specs/result/order_statistics.hpp"

namespace stackx::bench {
namespace {

constexpr double near_best = 0.03;

double share_near(const std::vector<double>& regrets) {
  return double(std::ranges::count_if(regrets, [](double regret) { return regret <= near_best; })) /
         double(regrets.size());
}

std::vector<double> regrets_of(const std::vector<Answered>& answers, std::size_t strategy) {
  std::vector<double> regrets;
  for (const auto& one : answers) regrets.push_back(one.regret[strategy]);
  return regrets;
}

std::map<std::string, std::vector<Answered>> grouped(const std::vector<Answered>& answers, std::string Answered::*by) {
  std::map<std::string, std::vector<Answered>> groups;
  for (const auto& one : answers) groups[one.*by].push_back(one);
  return groups;
}

// Every series counts once.
double share_by_series(const std::vector<Answered>& answers, std::size_t strategy) {
  const auto groups = grouped(answers, &Answered::series);
  double sum = 0;
  for (const auto& [series, of] : groups) sum += share_near(regrets_of(of, strategy));
  return sum / double(groups.size());
}

}  // namespace

std::string heading() {
  return "| held out | strategy | n | within 3% of the best | every series once | median regret | 95% | worst |\n"
         "|---|---|---|---|---|---|---|---|\n";
}

std::string lines(const std::string& held_out, const std::vector<Answered>& answers) {
  std::string text;
  for (std::size_t i = 0; i < strategies && !answers.empty(); ++i) {
    const auto regrets = regrets_of(answers, i);
    text += fmt::format("| {} | {} | {} | {:.1f}% | {:.1f}% | {:.1f}% | {:.1f}% | {:.0f}% |\n", held_out,
                        name_of(Strategy(i)), regrets.size(), 100 * share_near(regrets),
                        100 * share_by_series(answers, i), 100 * specs::median(regrets),
                        100 * specs::quantile(regrets, 0.95), 100 * std::ranges::max(regrets));
  }
  return text;
}

std::string component_lines(const std::string& held_out, const std::vector<Answered>& answers) {
  std::string text;
  for (const auto& [component, of] : grouped(answers, &Answered::component)) {
    text += fmt::format("| {} | {} | {} | {}", held_out, component, of.size(), grouped(of, &Answered::series).size());
    for (std::size_t i = 0; i < strategies; ++i) {
      const auto regrets = regrets_of(of, i);
      text += fmt::format(" | {:.1f}%, {:.1f}%, {:.0f}%", 100 * share_near(regrets),
                          100 * specs::quantile(regrets, 0.95), 100 * std::ranges::max(regrets));
    }
    text += " |\n";
  }
  return text;
}

std::string departures(const std::string& held_out, const std::vector<Answered>& answers) {
  std::map<std::string, std::vector<double>> gains;  // rate of the advice / rate of the newest
  for (const auto& one : answers)
    if (one.chosen[advice] != one.chosen[newest])
      gains[one.component].push_back((1 + one.regret[newest]) / (1 + one.regret[advice]));
  std::string text;
  for (const auto& [component, of] : gains) {
    const auto beyond = [&](auto holds) {
      return 100.0 * double(std::ranges::count_if(of, holds)) / double(of.size());
    };
    text += fmt::format("| {} | {} | {} | {:.0f}% | {:.0f}% | ×{:.3f} | ×{:.2f} to ×{:.2f} |\n", held_out, component,
                        of.size(), beyond([](double x) { return x > 1 + near_best; }),
                        beyond([](double x) { return x < 1 / (1 + near_best); }), specs::median(of),
                        specs::quantile(of, 0.05), specs::quantile(of, 0.95));
  }
  return text;
}

std::string departed(const std::vector<Answered>& answers) {
  std::string text;
  for (const auto& one : answers)
    if (one.chosen[advice] != one.chosen[newest])
      text += fmt::format("{}: advised {}, x{:.3f}\n", one.text, one.chosen[advice],
                          (1 + one.regret[newest]) / (1 + one.regret[advice]));
  return text;
}

}  // namespace stackx::bench
