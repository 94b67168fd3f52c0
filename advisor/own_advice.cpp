#include "advisor/own_advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::advisor {
namespace {

using analysis::components_text;

constexpr std::size_t major_and_minor = 2;

// "cuda 10.0.130 -> 10.1.243, cudnn 7.3.1 -> 7.6.2"
std::string changes(const specs::Stack& from, const specs::Stack& to) {
  std::vector<std::string> words;
  for (const auto& [name, version] : to.components) {
    const auto now = from.components.find(name);
    if (now == from.components.end() || now->second != version)
      words.push_back(fmt::format("{} {} -> {}", name,
                                  now == from.components.end() ? "?" : now->second, version));
  }
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

// Every version of the lock that the row's stack names at all, and one at least.
bool holds_all(const specs::Stack& own, const specs::Stack& row) {
  std::size_t shared = 0;
  for (const auto& [name, version] : own.components) {
    const auto there = row.components.find(name);
    if (there == row.components.end()) continue;
    if (there->second != version) return false;
    if (name != "python") ++shared;  // any stack may have that
  }
  return shared > 0;
}

bool agrees(const specs::Stack& own, const specs::Stack& row) {
  std::size_t shared = 0;
  for (const auto& [name, version] : own.components) {
    const auto there = row.components.find(name);
    if (there == row.components.end() || name == "python") continue;
    if (agreement(version, there->second) < major_and_minor) return false;
    ++shared;
  }
  return shared > 0;
}

// The first change is said first: of what was measured, else of the largest table.
void say_change(OwnAdvice& advice, const std::string& yours, const std::string& change) {
  advice.lines.push_back(yours + " C" + change.substr(1));
  if (advice.change.empty()) advice.change = change;
}

// Whether the lock's stack is among them.
bool of_measured(OwnAdvice& advice, const OwnStack& own, const analysis::Ranking& ranking) {
  const auto& rows = ranking.recommendations;
  const auto mine = std::ranges::find_if(
      rows, [&](const auto& row) { return holds_all(own.named, row.stack); });
  if (mine == rows.end()) {
    if (!rows.empty())
      advice.lines.push_back("None of the stacks measured here holds all versions of yours.");
    return false;
  }
  advice.measured = *mine;
  const auto& best = rows.front();
  const auto yours = fmt::format("Yours was measured: rank {}, {} {}, n={} ({}).", mine->rank,
                                 analysis::number(mine->median), ranking.unit, mine->inspections,
                                 mine->stack.short_id());
  if (!mine->versus_best || mine->versus_best->verdict != analysis::Verdict::slower) {
    advice.lines.push_back(yours + " Stay: no other stack is shown to be " +
                           (ranking.yardstick.is_rate() ? std::string("faster.") : "better in " + ranking.yardstick.noun() + "."));
    return true;
  }
  const auto& compared = *mine->versus_best;
  advice.stay = false;
  say_change(advice, yours, fmt::format(
      "changing {} brings x{:.3f}{}.", changes(mine->stack, best.stack),
      1 / compared.ratio,
      compared.interval ? fmt::format(" [{:.3f}, {:.3f}] over {} shared rounds",
                                      1 / compared.interval->high, 1 / compared.interval->low,
                                      compared.pairs)
                        : ""));
  return true;
}

void of_published(OwnAdvice& advice, const specs::Stack& own, bool runs,
                  const analysis::PublishedGroup& group) {
  const auto mine = std::ranges::find_if(
      group.rows, [&](const auto& row) { return agrees(own, row.stack); });
  if (mine == group.rows.end()) return;
  const auto& best = group.rows.front();
  const auto yours = fmt::format("{}: the published stack nearest to yours is rank {} ({}).",
                                 analysis::group_title(group), mine->rank,
                                 components_text(mine->stack.components));
  const auto& compared = mine->over_shapes;
  if (mine->rank == best.rank || !compared || !compared->interval) {
    advice.lines.push_back(yours + (runs ? " Stay: nothing" : " Nothing") +
                           " published shows another to be faster.");
    return;
  }
  advice.stay = false;
  say_change(advice, yours, fmt::format(
      "changing {} brought x{:.3f} [{:.3f}, {:.3f}] over {} shared shapes (of single published "
      "numbers: no interval over runs).",
      changes(mine->stack, best.stack), 1 / compared->ratio, 1 / compared->interval->high,
      1 / compared->interval->low, compared->shapes));
}

}  // namespace

OwnAdvice own_advice(const OwnStack& own, const NearestStack& valid,
                     const analysis::Ranking& measured,
                     const analysis::PublishedRanking& published) {
  OwnAdvice advice;
  const bool runs = of_measured(advice, own, measured) || valid.differs.empty();
  auto with_libraries = own.named;
  if (const auto cuda = valid.stack.components.find("cuda");
      cuda != valid.stack.components.end())
    with_libraries.components.emplace("cuda", cuda->second);
  for (const auto& group : published.groups) of_published(advice, with_libraries, runs, group);
  if (!runs) {
    advice.stay = false;
    advice.lines.push_back("Yours cannot stay as it is: no valid stack here holds all of its versions.");
  } else if (advice.lines.empty()) {
    advice.lines.push_back("Nobody measured or published a stack like yours: stay until it is.");
  }
  return advice;
}

}  // namespace stackx::advisor
