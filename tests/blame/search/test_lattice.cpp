// Closed sets against the definition, on random orders.
#include <algorithm>
#include <catch2/catch.hpp>

#include "blame/search/lattice.hpp"
#include "specs/random.hpp"

using namespace stackx;
using namespace stackx::blame;

namespace {

// Each group needs some before it, and what these need.
std::vector<Groups> random_needs(std::size_t size, specs::Random& random) {
  std::vector<Groups> needs(size);
  for (std::size_t group = 1; group < size; ++group) {
    std::vector<bool> all(size, false);
    for (std::size_t other = 0; other < group; ++other)
      if (random.below(6) == 0) {
        all[other] = true;
        for (const auto further : needs[other]) all[further] = true;
      }
    for (std::size_t other = 0; other < group; ++other)
      if (all[other]) needs[group].push_back(other);
  }
  return needs;
}

std::vector<Subset> closed_sets(const Lattice& lattice) {
  std::vector<Subset> result;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << lattice.size()); ++bits) {
    Subset subset(lattice.size());
    for (std::size_t group = 0; group < lattice.size(); ++group) subset[group] = ((bits >> group) & 1) != 0;
    if (lattice.is_closed(subset)) result.push_back(subset);
  }
  return result;
}

bool contains(const Subset& a, const Subset& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (b[i] && !a[i]) return false;
  return true;
}

}  // namespace

TEST_CASE("the least set with a group, the largest without it, and all of them") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    specs::Random random(seed);
    const Lattice lattice(random_needs(1 + random.below(9), random));
    const auto closed = closed_sets(lattice);
    CHECK(lattice.stacks(closed.size()).size() == closed.size());
    CHECK(lattice.stacks(closed.size() - 1).empty());
    for (std::size_t group = 0; group < lattice.size(); ++group) {
      const auto least = lattice.with(lattice.none(), {group}), most = lattice.without(lattice.all(), {group});
      CHECK(least[group]);
      CHECK_FALSE(most[group]);
      CHECK(lattice.is_closed(least));
      CHECK(lattice.is_closed(most));
      for (const auto& set : closed) CHECK((set[group] ? contains(set, least) : contains(most, set)));
    }
  }
}

TEST_CASE("a way adds one group at a time, and every set on it is closed") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    specs::Random random(seed);
    const Lattice lattice(random_needs(12, random));
    const auto low = lattice.with(lattice.none(), {random.below(12)});
    const auto high = lattice.with(low, {random.below(12), random.below(12), random.below(12)});
    auto reached = low;
    for (const auto group : lattice.way(low, high, seed)) {
      CHECK_FALSE(reached[group]);
      reached[group] = true;
      CHECK(lattice.is_closed(reached));
    }
    CHECK(reached == high);
  }
}

TEST_CASE("where nothing needs anything, a logarithm of splits separates every two groups") {
  for (const std::size_t size : {1, 2, 3, 7, 8, 40}) {
    const Lattice lattice{std::vector<Groups>(size)};
    const auto splits = lattice.separating();
    CHECK(splits.size() <= 6);
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < a; ++b) CHECK(std::ranges::any_of(splits, [&](const Subset& split) { return split[a] != split[b]; }));
  }
}
