#include "resolver/counting/exact.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "resolver/tables/wide.hpp"

namespace stackx::resolver {
namespace {

// Of a bucket's own classes: the versions they stand for; what counts as unsupported is taken away.
std::vector<std::int64_t> weights_of(const Network& network, const Plan& plan,
                                     const Bucket& bucket) {
  const auto& variable = network.variables[bucket.variable];
  const auto versions = [&](std::size_t value) {
    return variable.versions.empty()
               ? std::int64_t{1}
               : static_cast<std::int64_t>(
                     std::max<std::size_t>(1, variable.versions[value].size()));
  };
  std::vector<std::int64_t> weights(bucket.own_classes);
  for (std::size_t v = 0; v < variable.size(); ++v) weights[bucket.own_class_of[v]] += versions(v);
  const auto& unsupported = plan.extended[bucket.variable];
  for (std::size_t i = 0; i < unsupported.size(); ++i)
    weights[bucket.own_class_of[variable.size() + i]] -=
        versions(static_cast<std::size_t>(unsupported[i]));
  return weights;
}

BigInt number_of(const Trie& trie) {
  if (trie.numbers.size() == 0) return 0;
  BigInt result = static_cast<std::int64_t>(trie.numbers[trie.number - 1]);
  for (std::size_t i = trie.number - 1; i-- > 0;) result = result * (BigInt(1) << 64) + trie.numbers[i];
  return result;
}

}  // namespace

std::expected<Counted, Joined> exact_count(const Network& network, const Plan& plan,
                                          const Budget& budget) {
  std::vector<Trie> tries(plan.buckets.size());
  std::size_t alive = 0;
  Counted result{1, {}};
  for (std::size_t b = 0; b < tries.size(); ++b) {
    const auto& bucket = plan.buckets[b];
    std::vector<const Trie*> read;
    for (const auto& message : bucket.messages) read.push_back(&tries[message.bucket]);
    const auto joined = join(bucket, weights_of(network, plan, bucket), read,
                             budget.bytes - std::min(budget.bytes, alive), budget, tries[b]);
    if (joined != Joined::done) return std::unexpected(joined);
    alive += tries[b].bytes();

    for (const auto& message : bucket.messages) {
      alive -= tries[message.bucket].bytes();
      tries[message.bucket] = {};
    }
    result.entries.push_back(tries[b].numbers.size() / tries[b].number);
    if (bucket.scope.empty() || result.entries.back() == 0) result.count *= number_of(tries[b]);
    if (result.count == 0) break;
  }
  return result;
}

}  // namespace stackx::resolver
