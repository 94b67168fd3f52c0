#include "store/questions/sample.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "specs/random.hpp"
#include "store/packing/measurement.hpp"

namespace stackx::store {
namespace {

struct Choice {
  std::uint64_t order = 0;
  std::int64_t row = 0;
  auto operator<=>(const Choice&) const = default;
};

// The finaliser of splitmix64: neighbouring rounds get unrelated numbers.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

std::uint64_t order_of(std::uint64_t campaign, std::uint64_t round) {
  return mixed(campaign + (round + 1) * 0x9e3779b97f4a7c15ULL);
}

// The `count` smallest behind `after`, by row.
std::vector<Choice> smallest(const Stratum& stratum, const std::optional<Choice>& after, std::uint64_t count) {
  std::priority_queue<Choice> kept;  // the largest on top
  for (const Extent& extent : stratum.extents)
    for (std::int64_t row = extent.first; row <= extent.last; ++row) {
      const auto round = extent.round_of_first + static_cast<std::uint64_t>(row - extent.first);
      const Choice choice{order_of(extent.campaign, round), row};
      if (after && choice <= *after) continue;
      if (kept.size() == count) {
        if (choice > kept.top()) continue;
        kept.pop();
      }
      kept.push(choice);
    }
  std::vector<Choice> result;
  for (; !kept.empty(); kept.pop()) result.push_back(kept.top());
  return result;
}

// How many inspections a series has, where its sums are made; else 0.
std::uint64_t counted(Connection& connection, std::int64_t series) {
  Cursor cursor = connection.prepare(
      "SELECT inspections FROM series WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM stale WHERE series = ?1)");
  cursor << series;
  return cursor.next() ? static_cast<std::uint64_t>(cursor.integer(0)) : 0;
}

void add(Stratum& stratum, const Extent& extent) {
  stratum.extents.push_back(extent);
  stratum.rows += extent.rows();
}

// The same inspections in extents without holes.
Stratum without_holes(Connection& connection, const Stratum& stratum) {
  Stratum result;
  for (const Extent& whole : stratum.extents) {
    Cursor cursor = connection.prepare("SELECT id FROM inspections WHERE id BETWEEN ? AND ? ORDER BY id");
    cursor << whole.first << whole.last;
    std::optional<Extent> run;
    while (cursor.next()) {
      const std::int64_t row = cursor.integer(0);
      if (run && run->last + 1 == row) {
        run->last = row;
        continue;
      }
      if (run) add(result, *run);
      run = {whole.campaign, row, row, whole.round_of_first + static_cast<std::uint64_t>(row - whole.first)};
    }
    if (run) add(result, *run);
  }
  return result;
}

}  // namespace

std::vector<Stratum> strata_of(Connection& connection, const std::vector<std::int64_t>& series,
                               const std::string& campaign, std::uint64_t seed) {
  std::unordered_map<std::string, std::uint64_t> seeds;
  std::vector<Stratum> result;
  for (const std::int64_t one : series) {
    Stratum own, sentinels;
    std::uint64_t places = 0;  // for inspections of the series, in all campaigns
    Cursor cursor = connection.prepare(
        "SELECT a.id, a.block, a.sentinel, c.name, (SELECT min(id) FROM inspections WHERE id BETWEEN a.id * 4096 "
        "AND a.id * 4096 + 4095), (SELECT max(id) FROM inspections WHERE id BETWEEN a.id * 4096 AND a.id * 4096 "
        "+ 4095) FROM arms a CROSS JOIN campaigns c ON c.id = a.campaign WHERE a.series = ?");
    static_assert(rounds_a_block == 4096);
    cursor << one;
    while (cursor.next()) {
      const std::string name = cursor.text(3);
      if (cursor.is_null(4)) continue;
      places += static_cast<std::uint64_t>(cursor.integer(5) - cursor.integer(4) + 1);
      if (!name.starts_with(campaign)) continue;
      const auto [known, is_new] = seeds.try_emplace(name, 0);
      if (is_new) known->second = specs::derive_seed(seed, "sample " + name);
      const std::int64_t first = cursor.integer(4);
      Stratum& stratum = cursor.integer(2) != 0 ? sentinels : own;
      add(stratum, {known->second, first, cursor.integer(5), round_of(cursor.integer(1), first)});
    }
    const std::uint64_t there = counted(connection, one);
    const bool has_holes = places > there + there / 8;
    for (Stratum* stratum : {&own, &sentinels})
      if (stratum->rows > 0) result.push_back(has_holes ? without_holes(connection, *stratum) : std::move(*stratum));
  }
  return result;
}

std::uint64_t rows_of(const std::vector<Stratum>& strata) {
  std::uint64_t rows = 0;
  for (const Stratum& stratum : strata) rows += stratum.rows;
  return rows;
}

std::uint64_t share_of(const std::vector<Stratum>& strata, const Sampling& sampling) {
  std::vector<std::uint64_t> sizes;
  for (const Stratum& stratum : strata) sizes.push_back(stratum.rows);
  std::ranges::sort(sizes);
  std::uint64_t left = sampling.most, share = sampling.most;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    share = left / (sizes.size() - i);
    if (sizes[i] > share) break;
    left -= sizes[i];
  }
  return std::max(sampling.least, std::min(share, sampling.each));
}

std::uint64_t draw(const std::vector<Stratum>& strata, std::uint64_t share,
                   const std::function<bool(std::int64_t row)>& take) {
  std::uint64_t asked = 0;
  for (const Stratum& stratum : strata) {
    auto choices = smallest(stratum, {}, share);
    std::optional<Choice> last;
    if (!choices.empty()) last = std::ranges::max(choices);
    std::ranges::sort(choices, {}, &Choice::row);  // as they lie in the file
    std::uint64_t given = 0;
    for (const Choice& choice : choices) given += take(choice.row);
    asked += choices.size();
    // In place of those that were not there the next ones, looked for in few passes.
    for (std::uint64_t more = 2 * share; given < share && last; more *= 4) {
      choices = smallest(stratum, last, more);
      if (choices.empty()) break;
      last = std::ranges::max(choices);
      std::ranges::sort(choices);
      for (auto choice = choices.begin(); choice != choices.end() && given < share; ++choice, ++asked)
        given += take(choice->row);
    }
  }
  return asked;
}

Excerpt drawn(Connection& connection, SharedRows& shared, const std::vector<Stratum>& strata,
              const Sampling& sampling, const Yardsticks& yardsticks, const std::optional<std::string>& host) {
  Excerpt result;
  result.inspections = rows_of(strata);
  std::uint64_t share = result.inspections;
  if (result.inspections > sampling.most) share = share_of(strata, sampling);
  if (std::ranges::any_of(strata, [&](const Stratum& one) { return one.rows > share; })) {
    result.sampling = sampling;
    result.sampling->each = share;
  }
  const auto take = [&](std::int64_t id) {
    Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS " FROM inspections WHERE id = ?");
    cursor << id;
    if (!cursor.next()) return false;
    Row row = read_row(connection, cursor, shared);
    if (host && row.condition->host->fingerprint != *host) return false;
    result.measurements.push_back(measurement_of(std::move(row), {true, yardsticks}));
    return true;
  };
  result.looked_at = draw(strata, share, take);
  sort_measurements(result.measurements);
  return result;
}

}  // namespace stackx::store
