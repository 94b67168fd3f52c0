// What can be said about a network before any search: arc consistency, and values that are alike.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "resolver/network/network.hpp"

namespace stackx::resolver {
namespace {

Rows transposed(const Rows& rows) {
  Rows result(rows.empty() ? 0 : rows.front().size(), Bits(rows.size()));
  for (std::size_t v = 0; v < rows.size(); ++v)
    for (auto w = rows[v].find_first(); w != Bits::npos; w = rows[v].find_next(w)) result[w].set(v);
  return result;
}

// A relation as one of its variables sees it.
struct Side {
  std::size_t other;
  Rows allowed;   // [own][other]
  Rows supports;  // [own][other]: the other's value supports ours
};

class Reducer {
 public:
  explicit Reducer(Network& network)
      : network_(network), sides_(network.variables.size()), queued_(network.variables.size()) {
    for (auto& relation : network_.relations) {
      for (std::size_t v = 0; v < relation.allowed.size(); ++v) {
        relation.first_supported[v] &= relation.allowed[v];
        relation.second_supported[v] &= relation.allowed[v];
      }
      sides_[relation.first].push_back(
          {relation.second, relation.allowed, relation.first_supported});
      sides_[relation.second].push_back(
          {relation.first, transposed(relation.allowed), transposed(relation.second_supported)});
    }
  }

  bool make_consistent() {
    for (std::size_t x = 0; x < sides_.size(); ++x) queue(x);
    while (!waiting_.empty()) {
      const std::size_t x = waiting_.front();
      waiting_.pop_front();
      queued_[x] = false;
      if (!filter(x)) continue;
      if (possible(x).none()) return false;
      for (const auto& side : sides_[x]) queue(side.other);
      queue(x);
    }
    return true;
  }

  // Values that are always there support without being asked: what they support needs no other.
  void grant_certain_support() {
    for (std::size_t x = 0; x < sides_.size(); ++x)
      for (const auto& side : sides_[x]) {
        const auto& other = network_.variables[side.other];
        if (other.possible.count() != 1) continue;
        const auto certain = other.possible.find_first();
        for (auto v = possible(x).find_first(); v != Bits::npos; v = possible(x).find_next(v))
          if (side.supports[v][certain]) network_.variables[x].needs[v] = false;
      }
  }

 private:
  Bits& possible(std::size_t x) { return network_.variables[x].possible; }

  void queue(std::size_t x) {
    if (queued_[x]) return;
    queued_[x] = true;
    waiting_.push_back(x);
  }

  // Removes values without a partner or support; true if there were any.
  bool filter(std::size_t x) {
    bool changed = false;
    const auto& needs = network_.variables[x].needs;
    for (auto v = possible(x).find_first(); v != Bits::npos; v = possible(x).find_next(v)) {
      const bool partners = std::ranges::all_of(sides_[x], [&](const Side& side) {
        return side.allowed[v].intersects(possible(side.other));
      });
      const bool supported = !needs[v] || std::ranges::any_of(sides_[x], [&](const Side& side) {
        return side.supports[v].intersects(possible(side.other));
      });
      if (partners && supported) continue;
      possible(x).reset(v);
      changed = true;
    }
    return changed;
  }

  Network& network_;
  std::vector<std::vector<Side>> sides_;
  std::deque<std::size_t> waiting_;
  std::vector<bool> queued_;
};

// Leaves what is still possible: values, and what relations say of these.
class Shrinker {
 public:
  explicit Shrinker(Network& network) : network_(network) {}

  void run() {
    for (auto& relation : network_.relations) shrink(relation);
    std::erase_if(network_.relations, [&](const Relation& relation) { return is_idle(relation); });
    for (std::size_t x = 0; x < network_.variables.size(); ++x) shrink(network_.variables[x]);
  }

 private:
  Bits& possible(std::size_t x) { return network_.variables[x].possible; }

  static Rows kept(Rows&& rows, const Bits& first, const Bits& second) {
    if (first.all() && second.all()) return std::move(rows);
    Rows result;
    for (auto v = first.find_first(); v != Bits::npos; v = first.find_next(v)) {
      Bits& row = result.emplace_back(second.count());
      std::size_t at = 0;
      for (auto w = second.find_first(); w != Bits::npos; w = second.find_next(w), ++at)
        if (rows[v][w]) row.set(at);
    }
    return result;
  }

  void shrink(Relation& relation) {
    const Bits &first = possible(relation.first), &second = possible(relation.second);
    relation.allowed = kept(std::move(relation.allowed), first, second);
    relation.first_supported = kept(std::move(relation.first_supported), first, second);
    relation.second_supported = kept(std::move(relation.second_supported), first, second);
    // Support that nobody needs any more says nothing.
    std::size_t at = 0;
    for (auto v = first.find_first(); v != Bits::npos; v = first.find_next(v), ++at)
      if (!network_.variables[relation.first].needs[v]) relation.first_supported[at].reset();
    at = 0;
    for (auto w = second.find_first(); w != Bits::npos; w = second.find_next(w), ++at)
      if (!network_.variables[relation.second].needs[w])
        for (auto& row : relation.second_supported) row.reset(at);
  }

  static bool is_idle(const Relation& relation) {
    const auto empty = [](const Bits& row) { return row.none(); };
    return std::ranges::all_of(relation.allowed, [](const Bits& row) { return row.all(); }) &&
           std::ranges::all_of(relation.first_supported, empty) &&
           std::ranges::all_of(relation.second_supported, empty);
  }

  static void shrink(Variable& variable) {
    std::size_t size = 0;
    for (auto v = variable.possible.find_first(); v != Bits::npos;
         v = variable.possible.find_next(v), ++size) {
      variable.needs[size] = variable.needs[v];
      if (!variable.versions.empty()) variable.versions[size] = variable.versions[v];
    }
    variable.needs.resize(size);
    if (!variable.versions.empty()) variable.versions.resize(size);
    variable.possible = Bits(size).set();
  }

  Network& network_;
};

// Joins values of components that every relation treats alike. Other variables have none: each of
// their values stands for a different state of components.
class Joiner {
 public:
  explicit Joiner(Network& network) : network_(network) {}

  void run() {
    std::vector<std::vector<std::string>> rows(network_.variables.size());
    for (std::size_t x = 0; x < rows.size(); ++x) {
      const auto& variable = network_.variables[x];
      for (std::size_t v = 0; v < variable.size(); ++v) {
        rows[x].push_back(variable.needs[v] ? "n" : "-");
        if (variable.versions.empty() || variable.versions[v].empty())
          rows[x].back() += std::to_string(v);  // like no other
      }
    }
    for (const auto& relation : network_.relations)
      for (const auto* table :
           {&relation.allowed, &relation.first_supported, &relation.second_supported})
        for (std::size_t v = 0; v < table->size(); ++v)
          for (std::size_t w = 0; w < (*table)[v].size(); ++w) {
            const char bit = (*table)[v][w] ? '1' : '0';
            rows[relation.first][v] += bit;
            rows[relation.second][w] += bit;
          }
    for (std::size_t x = 0; x < rows.size(); ++x) join(x, rows[x]);
  }

 private:
  void join(std::size_t x, const std::vector<std::string>& rows) {
    auto& variable = network_.variables[x];
    std::unordered_map<std::string_view, std::size_t> known;
    Bits first(variable.size());
    for (std::size_t v = 0; v < variable.size(); ++v) {
      const auto [at, is_new] = known.try_emplace(rows[v], v);
      if (is_new) {
        first.set(v);
        continue;
      }
      auto& versions = variable.versions[at->second];
      versions.insert(versions.end(), variable.versions[v].begin(), variable.versions[v].end());
    }
    if (first.all()) return;
    for (auto& versions : variable.versions) std::ranges::sort(versions);
    variable.possible = first;
  }

  Network& network_;
};

}  // namespace

bool reduce(Network& network) {
  Reducer reducer(network);
  if (!reducer.make_consistent()) return false;
  reducer.grant_certain_support();
  Shrinker(network).run();
  Joiner(network).run();
  Shrinker(network).run();
  return true;
}

}  // namespace stackx::resolver
