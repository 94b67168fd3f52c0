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

}  // namespace

std::vector<Stratum> strata_of(Connection& connection, const std::vector<std::int64_t>& series,
                               const std::string& campaign, std::uint64_t seed) {
  std::unordered_map<std::string, std::uint64_t> seeds;
  std::vector<Stratum> result;
  for (const std::int64_t one : series) {
    Stratum own, sentinels;
    Cursor cursor = connection.prepare(
        "SELECT a.id, a.block, a.sentinel, c.name, (SELECT min(id) FROM inspections WHERE id BETWEEN a.id * 4096 "
        "AND a.id * 4096 + 4095), (SELECT max(id) FROM inspections WHERE id BETWEEN a.id * 4096 AND a.id * 4096 "
        "+ 4095) FROM arms a CROSS JOIN campaigns c ON c.id = a.campaign WHERE a.series = ?");
    static_assert(rounds_a_block == 4096);
    cursor << one;
    while (cursor.next()) {
      const std::string name = cursor.text(3);
      if (cursor.is_null(4) || !name.starts_with(campaign)) continue;
      const auto [known, is_new] = seeds.try_emplace(name, 0);
      if (is_new) known->second = specs::derive_seed(seed, "sample " + name);
      const std::int64_t first = cursor.integer(4);
      Stratum& stratum = cursor.integer(2) != 0 ? sentinels : own;
      const std::int64_t round = cursor.integer(1) * rounds_a_block + first % rounds_a_block;
      stratum.extents.push_back({known->second, first, cursor.integer(5), static_cast<std::uint64_t>(round)});
      stratum.rows += stratum.extents.back().rows();
    }
    for (Stratum* stratum : {&own, &sentinels})
      if (stratum->rows > 0) result.push_back(std::move(*stratum));
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
    std::optional<Choice> last;
    for (std::uint64_t given = 0; given < share;) {
      auto choices = smallest(stratum, last, share - given);
      if (choices.empty()) break;
      last = std::ranges::max(choices);
      std::ranges::sort(choices, {}, &Choice::row);  // as they lie in the file
      for (const Choice& choice : choices) given += take(choice.row);
      asked += choices.size();
    }
  }
  return asked;
}

Excerpt drawn(Connection& connection, SharedRows& shared, const std::vector<Stratum>& strata,
              const Sampling& sampling, const std::optional<std::string>& host) {
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
    result.measurements.push_back(measurement_of(std::move(row), Conditions::read));
    return true;
  };
  result.looked_at = draw(strata, share, take);
  sort_measurements(result.measurements);
  return result;
}

}  // namespace stackx::store
