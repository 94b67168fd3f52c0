#include "resolver/sampler.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "resolver/tables/wide.hpp"

namespace stackx::resolver {
namespace {

std::vector<Chosen> draw_from(Space& space, std::uint64_t count, std::uint64_t seed) {
  specs::Random random(seed);
  std::vector<Chosen> drawn;
  for (const auto& rank : distinct_ranks(random, space.count(), count))
    drawn.push_back(space.at(rank));
  return drawn;
}

// One space for each provider of the name and one for the stacks without; empty if nobody can hold
// it.
std::vector<std::shared_ptr<Space>> strata(const Problem& problem, const std::string& by,
                                           const SpaceFor& space) {
  std::vector<std::shared_ptr<Space>> spaces;
  const auto slot = std::ranges::find(problem.slots, by, &Slot::name);
  if (slot == problem.slots.end()) return spaces;
  const auto number = static_cast<std::size_t>(slot - problem.slots.begin());
  for (const auto& holder : slot->holders)
    spaces.push_back(space(Stratum{number, holder.component}));
  spaces.push_back(space(Stratum{number, {}}));
  return spaces;
}

// In how many components two stacks differ.
std::size_t distance(const Chosen& a, const Chosen& b) {
  std::size_t different = 0;
  for (std::size_t c = 0; c < a.size(); ++c) different += a[c] != b[c];
  return different;
}

std::size_t nearest_distance(const Chosen& stack, const std::vector<Chosen>& others) {
  std::size_t nearest = stack.size() + 1;
  for (const auto& other : others) nearest = std::min(nearest, distance(stack, other));
  return nearest;
}

}  // namespace

// As below() of wide.hpp draws.
BigInt below(specs::Random& random, const BigInt& bound) {
  const BigInt most = bound - 1;
  const unsigned bits = most.is_zero() ? 0 : boost::multiprecision::msb(most) + 1;
  const unsigned words = std::max(1u, (bits + 63) / 64);
  const unsigned unused = words * 64 - bits;
  while (true) {
    BigInt value = 0;
    for (unsigned i = 0; i < words; ++i) {
      const std::uint64_t word = random.next();
      const bool last = i + 1 == words;
      const std::uint64_t kept = !last          ? word
                                 : unused == 64 ? 0
                                                : word & (~std::uint64_t{0} >> unused);
      value |= BigInt(kept) << (64 * i);
    }
    if (value < bound) return value;
  }
}

std::vector<BigInt> distinct_ranks(specs::Random& random, const BigInt& bound,
                                   std::uint64_t count) {
  std::set<BigInt> ranks;
  for (BigInt last = bound - count; last < bound;) {
    const BigInt own = last++;
    if (!ranks.insert(below(random, last)).second) ranks.insert(own);
  }
  return {ranks.begin(), ranks.end()};
}

std::vector<std::uint64_t> equal_shares(const std::vector<BigInt>& sizes, std::uint64_t count) {
  std::vector<std::uint64_t> shares(sizes.size());
  while (count > 0) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] > shares[i]) open.push_back(i);
    if (open.empty()) break;
    const std::uint64_t each = std::max<std::uint64_t>(1, count / open.size());
    for (const auto i : open) {
      const BigInt room = sizes[i] - shares[i];
      std::uint64_t part = std::min(each, count);
      if (room < part) part = static_cast<std::uint64_t>(room);
      shares[i] += part;
      count -= part;
    }
  }
  return shares;
}

std::vector<Chosen> draw(const Problem& problem, const SpaceFor& space,
                         const specs::SamplerSpec& sampler) {
  using Kind = specs::SamplerSpec::Kind;
  std::vector<Chosen> drawn;
  if (sampler.kind == Kind::all) {
    space({})->each([&](const Chosen& chosen) { return drawn.push_back(chosen), true; });
    return drawn;
  }
  std::vector<std::shared_ptr<Space>> spaces;
  if (sampler.kind == Kind::stratified) spaces = strata(problem, sampler.by, space);
  if (spaces.empty()) spaces.push_back(space({}));

  std::vector<BigInt> sizes;
  for (const auto& one : spaces) sizes.push_back(one->count());
  const auto shares = equal_shares(sizes, sampler.count);
  for (std::size_t i = 0; i < spaces.size(); ++i)
    std::ranges::move(
        draw_from(*spaces[i], shares[i], specs::derive_seed(sampler.seed, "ranks", i)),
        std::back_inserter(drawn));
  specs::Random random(specs::derive_seed(sampler.seed, "order"));
  random.shuffle(drawn);
  return drawn;
}

std::vector<Chosen> draw_apart(Space& space, std::uint64_t count, std::uint64_t seed) {
  constexpr std::size_t draws = 64, least_used = 4;
  const BigInt all = space.count();
  if (all <= count) count = static_cast<std::uint64_t>(all);
  specs::Random random(seed);
  std::vector<Chosen> taken;
  VersionScores unused;  // minus how often each version was taken
  for (const auto& versions : space.shares()) unused.emplace_back(versions.size());
  while (taken.size() < count) {
    std::vector<Chosen> candidates;
    for (std::size_t i = 0; i < draws; ++i) candidates.push_back(space.draw(random));
    // At most taken.size() of the best are taken already.
    const std::size_t wanted = taken.empty() ? 0 : candidates.size() + least_used;
    std::size_t looked_at = 0;
    if (wanted > 0)
      space.best(unused, [&](const Chosen& stack, Score) {
        if (nearest_distance(stack, taken) > 0) candidates.push_back(stack);
        return ++looked_at <= taken.size() + least_used && candidates.size() < wanted;
      });
    auto& best = *std::ranges::max_element(
        candidates, {}, [&](const Chosen& stack) { return nearest_distance(stack, taken); });
    if (nearest_distance(best, taken) == 0) continue;  // only repetitions: draw again
    for (std::size_t c = 0; c < best.size(); ++c)
      if (best[c] >= 0) --unused[c][static_cast<std::size_t>(best[c])];
    taken.push_back(std::move(best));
  }
  return taken;
}

}  // namespace stackx::resolver
