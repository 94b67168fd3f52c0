#include "resolver/sampler.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

namespace stackx::resolver {
namespace {

std::vector<Chosen> draw_from(const Space& space, std::uint64_t count, std::uint64_t seed) {
  specs::Random random(seed);
  return space.at(distinct_ranks(random, space.count(), count));
}

// One space for each provider of the name and one for the stacks without; empty if nobody can hold
// it.
std::vector<std::unique_ptr<Space>> strata(const Problem& problem, const std::string& by,
                                           const Limits& limits) {
  std::vector<std::unique_ptr<Space>> spaces;
  const auto slot = std::ranges::find(problem.slots, by, &Slot::name);
  if (slot == problem.slots.end()) return spaces;
  const std::size_t bytes = limits.diagram_bytes / (slot->holders.size() + 1);  // all live at once
  const auto add = [&](std::optional<std::size_t> holder) {
    Selection selection;
    selection.stratum = {static_cast<std::size_t>(slot - problem.slots.begin()), holder};
    spaces.push_back(std::make_unique<Space>(lay_out(problem, selection), bytes));
  };
  for (const auto& holder : slot->holders) add(holder.component);
  add({});
  return spaces;
}

}  // namespace

BigInt below(specs::Random& random, const BigInt& bound) {
  const auto bits = bound == 1 ? 0u : boost::multiprecision::msb(BigInt(bound - 1)) + 1;
  while (true) {
    BigInt value = 0;
    for (unsigned done = 0; done < bits; done += 64) {
      const unsigned wanted = std::min<unsigned>(64, static_cast<unsigned>(bits) - done);
      value = (value << wanted) | BigInt(random.next() >> (64 - wanted));
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

std::vector<Chosen> draw(const Problem& problem, const Space& everything, const Limits& limits,
                         const specs::SamplerSpec& sampler) {
  using Kind = specs::SamplerSpec::Kind;
  std::vector<Chosen> drawn;
  if (sampler.kind == Kind::all) {
    everything.each([&](const Chosen& chosen) { return drawn.push_back(chosen), true; });
    return drawn;
  }
  const auto parts = sampler.kind == Kind::stratified ? strata(problem, sampler.by, limits)
                                                      : std::vector<std::unique_ptr<Space>>{};
  std::vector<const Space*> spaces;
  for (const auto& part : parts) spaces.push_back(part.get());
  if (spaces.empty()) spaces.push_back(&everything);

  std::vector<BigInt> sizes;
  for (const auto* space : spaces) sizes.push_back(space->count());
  const auto shares = equal_shares(sizes, sampler.count);
  for (std::size_t i = 0; i < spaces.size(); ++i)
    std::ranges::move(
        draw_from(*spaces[i], shares[i], specs::derive_seed(sampler.seed, "ranks", i)),
        std::back_inserter(drawn));
  specs::Random random(specs::derive_seed(sampler.seed, "order"));
  random.shuffle(drawn);
  return drawn;
}

}  // namespace stackx::resolver
