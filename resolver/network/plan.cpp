#include "resolver/network/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "resolver/network/elimination_order.hpp"

namespace stackx::resolver {
namespace {

constexpr std::size_t most_ranks = 1 << 16;  // joint classes of one group

bool has(const Mask& mask, std::size_t bit) { return mask[bit / 64] >> (bit % 64) & 1; }

// From classes of the bucket to those of a factor.
std::vector<Index> translated(const Classes& from, const Classes& into) {
  std::vector<Index> result(count_of(from));
  for (std::size_t e = 0; e < from.size(); ++e) result[from[e]] = into[e];
  return result;
}

class BucketBuilder {
 public:
  BucketBuilder(const Factors& factors, std::size_t variable, const Candidate& candidate,
                Shape shape)
      : factors_(factors), shape_(shape), consumed_(factors.of(variable)) {
    bucket_.variable = static_cast<Index>(variable);
    bucket_.scope = candidate.scope;
    bucket_.class_of = candidate.class_of;
    bucket_.classes = candidate.classes;
    bucket_.own_class_of = candidate.own;
    bucket_.own_classes = count_of(candidate.own);
    bucket_.words = (bucket_.own_classes + 63) / 64;
  }

  Bucket run() {
    bucket_.allows.resize(bucket_.scope.size());
    for (const auto f : consumed_) {
      if (factors_[f].bucket)
        bucket_.messages.push_back(message(factors_[f]));
      else
        add_relation(factors_[f]);
    }
    add_agreements();
    if (shape_ == Shape::table) add_groups();
    return std::move(bucket_);
  }

 private:
  std::size_t place_of(Index variable) const {
    return static_cast<std::size_t>(std::ranges::find(bucket_.scope, variable) -
                                    bucket_.scope.begin());
  }
  const Classes& classes_at(std::size_t place) const {
    return place == bucket_.own() ? bucket_.own_class_of : bucket_.class_of[place];
  }

  Message message(const Factor& factor) const {
    Message message;
    message.bucket = *factor.bucket;
    for (std::size_t i = 0; i < factor.scope.size(); ++i) {
      const auto place = place_of(factor.scope[i]);
      message.position.push_back(static_cast<Index>(place));
      message.class_of.push_back(translated(classes_at(place), factor.class_of[i]));
    }
    return message;
  }

  void add_relation(const Factor& factor) {
    const bool own_first = factor.scope[0] == bucket_.variable;
    const std::size_t other = own_first ? 1 : 0;
    const auto place = place_of(factor.scope[other]);
    const auto own = translated(bucket_.own_class_of, factor.class_of[1 - other]);
    for (const auto k : translated(classes_at(place), factor.class_of[other])) {
      auto& set = bucket_.allows[place].emplace_back(bucket_.words);
      for (Index t = 0; t < bucket_.own_classes; ++t)
        if (own_first ? factor.allowed[own[t]][k] : factor.allowed[k][own[t]])
          set[t / 64] |= Word{1} << (t % 64);
    }
  }

  // Relations within the scope. Classes may be coarser here than the relation's: a pair is allowed
  // if some of its values are.
  void add_agreements() {
    bucket_.agreements.resize(bucket_.scope.size());
    for (std::size_t i = 0; i < bucket_.scope.size(); ++i)
      for (const auto f : factors_.of(bucket_.scope[i])) {
        const auto& factor = factors_[f];
        if (factor.bucket || factor.scope[0] != bucket_.scope[i]) continue;
        const auto j = place_of(factor.scope[1]);
        if (j == bucket_.scope.size()) continue;
        const auto early = std::min(i, j), late = std::max(i, j);
        Bucket::Agreement agreement{static_cast<Index>(early), {}};
        agreement.allowed.assign(bucket_.classes[early], Mask((bucket_.classes[late] + 63) / 64));
        const auto pairs = [&](const Classes& classes, const Classes& of_factor) {
          std::vector<std::pair<Index, Index>> pairs;
          for (std::size_t e = 0; e < classes.size(); ++e)
            pairs.emplace_back(classes[e], of_factor[e]);
          std::ranges::sort(pairs);
          pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
          return pairs;
        };
        for (const auto& [k, a] : pairs(bucket_.class_of[i], factor.class_of[0]))
          for (const auto& [l, b] : pairs(bucket_.class_of[j], factor.class_of[1]))
            if (factor.allowed[a][b]) {
              const Index at = i < j ? k : l, bit = i < j ? l : k;
              agreement.allowed[at][bit / 64] |= Word{1} << (bit % 64);
            }
        const bool all = std::ranges::all_of(agreement.allowed, [&](const Mask& mask) {
          std::size_t count = 0;
          for (const auto word : mask) count += static_cast<std::size_t>(std::popcount(word));
          return count == bucket_.classes[late];
        });
        if (!all) bucket_.agreements[late].push_back(std::move(agreement));
      }
  }

  void add_groups() {
    bucket_.group.resize(bucket_.scope.size());
    bucket_.stride.resize(bucket_.scope.size());
    double places = 1;
    for (std::size_t first = 0; first < bucket_.scope.size();) {
      std::size_t last = first, joint = 1;
      while (last < bucket_.scope.size() &&
             (last == first || joint * bucket_.classes[last] <= most_ranks))
        joint *= bucket_.classes[last++];
      add_group(first, last, joint);
      places *= static_cast<double>(bucket_.groups.back().count);
      first = last;
    }
    bucket_.places = static_cast<std::size_t>(std::min(places, 1e18));
  }

  void add_group(std::size_t first, std::size_t last, std::size_t joint) {
    Group group{static_cast<Index>(first), static_cast<Index>(last), {}, 0};
    std::size_t stride = joint;
    for (std::size_t i = first; i < last; ++i) {
      stride /= bucket_.classes[i];
      bucket_.group[i] = static_cast<Index>(bucket_.groups.size());
      bucket_.stride[i] = static_cast<Index>(stride);
    }
    group.rank.assign(joint, Group::forbidden);
    std::vector<Index> at(bucket_.scope.size());
    rank_all(group, first, 0, at);
    bucket_.groups.push_back(std::move(group));
  }

  void rank_all(Group& group, std::size_t place, std::size_t joint, std::vector<Index>& at) {
    if (place == group.last) {
      group.rank[joint] = static_cast<Index>(group.count++);
      return;
    }
    for (Index k = 0; k < bucket_.classes[place]; ++k) {
      const bool agrees =
          std::ranges::all_of(bucket_.agreements[place], [&](const Bucket::Agreement& agreement) {
            return agreement.earlier < group.first ||
                   has(agreement.allowed[at[agreement.earlier]], k);
          });
      if (!agrees) continue;
      at[place] = k;
      rank_all(group, place + 1, joint + k * bucket_.stride[place], at);
    }
  }

  const Factors& factors_;
  Shape shape_;
  std::vector<std::size_t> consumed_;
  Bucket bucket_;
};

// How often messages mention each variable of the scope.
std::vector<std::size_t> mentions(const Candidate& candidate, const Factors& factors,
                                  std::size_t variable) {
  std::vector<std::size_t> mentions(candidate.scope.size());
  for (std::size_t i = 0; i < mentions.size(); ++i)
    for (const auto f : factors.of(variable))
      if (factors[f].bucket)
        mentions[i] +=
            static_cast<std::size_t>(std::ranges::count(factors[f].scope, candidate.scope[i]));
  return mentions;
}

// What comes first by `rank`, highest first, is outermost in the loops over the scope.
void order_scope(Candidate& candidate, const std::vector<std::size_t>& rank) {
  std::vector<std::size_t> order(candidate.scope.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](auto i) { return rank[i]; });
  Candidate sorted = candidate;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.scope[i] = candidate.scope[order[i]];
    sorted.class_of[i] = candidate.class_of[order[i]];
    sorted.classes[i] = candidate.classes[order[i]];
  }
  candidate = std::move(sorted);
}

// Every number of solutions is below the product of the choices of all components.
std::size_t bits_of(const Network& network) {
  double bits = 2;
  for (const auto& variable : network.variables) {
    double choices = 0;
    for (const auto& versions : variable.versions)
      choices += std::max<double>(1, static_cast<double>(versions.size()));
    if (choices > 1) bits += std::log2(choices);
  }
  return static_cast<std::size_t>(bits);
}

}  // namespace

std::optional<std::size_t> Bucket::at(const std::vector<Index>& joint) const {
  std::size_t result = 0, i = 0;
  for (const auto& group : groups) {
    std::size_t at = 0;
    for (; i < group.last; ++i) at += std::size_t{joint[i]} * stride[i];
    if (group.rank[at] == Group::forbidden) return {};
    result = result * group.count + group.rank[at];
  }
  return result;
}

Plan make_plan(const Network& network, Shape shape, std::uint64_t attempts) {
  return make_plan(network, shape, elimination_orders(Factors(network, shape), attempts).front());
}

Plan make_plan(const Network& network, Shape shape, const std::vector<std::size_t>& order) {
  Factors factors(network, shape);
  Plan plan;
  for (std::size_t x = 0; x < factors.variables(); ++x)
    plan.extended.push_back(factors.unsupported(x));
  std::vector<std::size_t> turn(order.size());  // by variable: when it is eliminated
  for (std::size_t i = 0; i < order.size(); ++i) turn[order[i]] = i;
  for (const auto x : order) {
    auto candidate = factors.candidate(x);
    if (shape == Shape::table) {
      // What messages mention is multiplied once for everything inside.
      order_scope(candidate, mentions(candidate, factors, x));
    } else {
      std::vector<std::size_t> turns;
      for (const auto y : candidate.scope) turns.push_back(turn[y]);
      order_scope(candidate, turns);
    }
    plan.buckets.push_back(BucketBuilder(factors, x, candidate, shape).run());
    factors.eliminate(x, candidate);
    plan.buckets.back().entries = candidate.entries;
    plan.entries += candidate.entries;
    plan.places += static_cast<double>(plan.buckets.back().places);
    if (plan.buckets.back().places > plan.buckets[plan.widest].places)
      plan.widest = plan.buckets.size() - 1;
  }
  plan.bits = bits_of(network);
  return plan;
}

}  // namespace stackx::resolver
