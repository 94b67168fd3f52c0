#include "resolver/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "specs/random.hpp"

namespace stackx::resolver {
namespace {

using Classes = std::vector<Index>;  // by extended value

Index count_of(const Classes& classes) {
  return classes.empty() ? 0 : *std::ranges::max_element(classes) + 1;
}

// The common refinement.
Classes joined(const Classes& a, const Classes& b) {
  if (a.empty()) return b;
  const std::size_t width = count_of(b);
  std::vector<Index> number(count_of(a) * width, 0);
  Classes result(a.size());
  Index next = 0;
  for (std::size_t e = 0; e < a.size(); ++e) {
    Index& known = number[a[e] * width + b[e]];
    if (known == 0) known = ++next;
    result[e] = known - 1;
  }
  return result;
}

// A relation or a message while it waits for its first variable to be eliminated.
struct Factor {
  std::vector<Index> scope;
  std::vector<Classes> class_of;
  std::optional<Index> bucket;             // of a message
  std::vector<std::vector<bool>> allowed;  // of a relation: by class of the first and the second
  double entries = 0;
};

// By class of rows: extended values that a relation's other side cannot tell apart.
struct Extended {
  std::size_t size;
  std::vector<std::int32_t> unsupported;
  std::size_t total() const { return size + unsupported.size(); }
  std::size_t value(std::size_t e) const {
    return e < size ? e : static_cast<std::size_t>(unsupported[e - size]);
  }
  bool is_none(std::size_t e) const { return e >= size; }
};

class Planner {
 public:
  explicit Planner(const Network& network) : network_(network) {
    for (const auto& variable : network.variables) {
      Extended extended{variable.size(), {}};
      for (std::size_t v = 0; v < variable.size(); ++v)
        if (variable.needs[v]) extended.unsupported.push_back(static_cast<std::int32_t>(v));
      extended_.push_back(std::move(extended));
    }
    for (const auto& relation : network.relations) relations_.push_back(factor_of(relation));
  }

  Plan best() {
    auto plan = *attempt(0, std::numeric_limits<double>::infinity());
    const auto attempts = static_cast<std::uint64_t>(std::clamp(plan.operations / 1e6, 1.0, 60.0));
    for (std::uint64_t seed = 1; seed < attempts; ++seed)
      if (auto other = attempt(seed, plan.operations)) plan = std::move(*other);
    for (const auto& extended : extended_) plan.extended.push_back(extended.unsupported);
    double bits = 2;
    for (const auto& variable : network_.variables) {
      double choices = 0;
      for (const auto& versions : variable.versions)
        choices += std::max<double>(1, static_cast<double>(versions.size()));
      if (choices > 1) bits += std::log2(choices);
    }
    plan.bits = static_cast<std::size_t>(bits);
    return plan;
  }

 private:
  struct Candidate {
    std::vector<Index> scope;
    std::vector<Classes> class_of;
    Classes own;
    double entries = 1, operations = 0, gain = 0;
  };

  Factor factor_of(const Relation& relation) const {
    const auto &first = extended_[relation.first], &second = extended_[relation.second];
    const auto allowed = [&](std::size_t e, std::size_t f) {
      const std::size_t v = first.value(e), w = second.value(f);
      return relation.allowed[v][w] && !(first.is_none(e) && relation.first_supported[v][w]) &&
             !(second.is_none(f) && relation.second_supported[v][w]);
    };
    std::vector<std::string> rows(first.total()), columns(second.total());
    for (std::size_t e = 0; e < first.total(); ++e)
      for (std::size_t f = 0; f < second.total(); ++f) {
        const char bit = allowed(e, f) ? '1' : '0';
        rows[e] += bit;
        columns[f] += bit;
      }
    Factor factor;
    factor.scope = {static_cast<Index>(relation.first), static_cast<Index>(relation.second)};
    factor.class_of = {numbered(rows), numbered(columns)};
    factor.allowed.assign(count_of(factor.class_of[0]),
                          std::vector<bool>(count_of(factor.class_of[1])));
    for (std::size_t e = 0; e < first.total(); ++e)
      for (std::size_t f = 0; f < second.total(); ++f)
        factor.allowed[factor.class_of[0][e]][factor.class_of[1][f]] = rows[e][f] == '1';
    return factor;
  }

  static Classes numbered(const std::vector<std::string>& rows) {
    std::unordered_map<std::string_view, Index> known;
    Classes classes;
    for (const auto& row : rows)
      classes.push_back(known.try_emplace(row, static_cast<Index>(known.size())).first->second);
    return classes;
  }

  // One greedy order; nothing if it costs more than `limit`.
  std::optional<Plan> attempt(std::uint64_t seed, double limit) {
    specs::Random random(seed);
    factors_ = relations_;
    const std::size_t count = network_.variables.size();
    of_.assign(count, {});
    for (std::size_t f = 0; f < factors_.size(); ++f)
      for (const auto variable : factors_[f].scope) of_[variable].push_back(f);
    std::vector<Candidate> candidates(count);
    std::vector<double> cost(count);
    const auto judge = [&](std::size_t x) {
      const auto& one = candidates[x] = candidate(x);
      const double price = seed % 2 == 0 ? one.entries : std::max(1.0, one.entries - one.gain);
      const double noise = seed == 0 ? 0 : random.unit() * 0.15 * static_cast<double>(1 + seed % 4);
      cost[x] = std::log2(price + 1) * (1 + noise);
    };
    std::vector<std::size_t> left(count);
    for (std::size_t x = 0; x < count; ++x) {
      left[x] = x;
      judge(x);
    }
    Plan plan;
    while (!left.empty()) {
      const auto next = std::ranges::min_element(left, {}, [&](std::size_t x) { return cost[x]; });
      const std::size_t x = *next;
      left.erase(next);
      auto chosen = std::move(candidates[x]);
      plan.operations += chosen.operations;
      plan.entries += chosen.entries;
      if (plan.operations > limit) return {};
      const auto scope = chosen.scope;
      plan.buckets.push_back(eliminate(x, std::move(chosen)));
      if (plan.buckets.back().entries > plan.buckets[plan.widest].entries)
        plan.widest = plan.buckets.size() - 1;
      for (const auto y : scope) judge(y);
    }
    return plan;
  }

  Candidate candidate(std::size_t x) const {
    Candidate result;
    result.own.assign(extended_[x].total(), 0);
    double messages = 1;
    for (const auto f : of_[x]) {
      const auto& factor = factors_[f];
      if (factor.bucket) messages += 1, result.gain += factor.entries;
      for (std::size_t i = 0; i < factor.scope.size(); ++i) {
        const Index y = factor.scope[i];
        if (y == x) {
          result.own = joined(result.own, factor.class_of[i]);
          continue;
        }
        const auto at = std::ranges::find(result.scope, y) - result.scope.begin();
        if (static_cast<std::size_t>(at) == result.scope.size()) {
          result.scope.push_back(y);
          result.class_of.emplace_back();
        }
        auto& classes = result.class_of[static_cast<std::size_t>(at)];
        classes = joined(classes, factor.class_of[i]);
      }
    }
    for (const auto& classes : result.class_of) result.entries *= count_of(classes);
    result.operations = result.entries * count_of(result.own) * messages;
    return result;
  }

  Bucket eliminate(std::size_t x, Candidate chosen) {
    const auto number = static_cast<Index>(factors_.size() - relations_.size());
    auto consumed = of_[x];
    order_scope(chosen, consumed);
    Bucket bucket;
    bucket.variable = static_cast<Index>(x);
    bucket.scope = chosen.scope;
    bucket.class_of = chosen.class_of;
    for (const auto& classes : bucket.class_of) bucket.classes.push_back(count_of(classes));
    bucket.stride.resize(bucket.scope.size());
    double entries = 1;
    for (std::size_t i = bucket.scope.size(); i-- > 0;) {
      bucket.stride[i] = static_cast<Index>(bucket.entries);
      bucket.entries *= bucket.classes[i];
      entries *= bucket.classes[i];
    }
    if (entries > 1e18) bucket.entries = static_cast<std::size_t>(1e18);
    bucket.own_class_of = chosen.own;
    bucket.own_classes = count_of(chosen.own);
    bucket.words = (bucket.own_classes + 63) / 64;
    bucket.allows.resize(bucket.scope.size());
    for (const auto f : consumed) {
      if (factors_[f].bucket)
        bucket.messages.push_back(message(bucket, factors_[f]));
      else
        add_relation(bucket, factors_[f]);
    }
    Factor left{bucket.scope, bucket.class_of, number, {}, entries};
    for (const auto f : consumed)
      for (const auto y : factors_[f].scope) std::erase(of_[y], f);
    for (const auto y : left.scope) of_[y].push_back(factors_.size());
    factors_.push_back(std::move(left));
    return bucket;
  }

  // Variables that messages mention come first: what is outermost in the loops over the scope is
  // multiplied once for everything inside.
  void order_scope(Candidate& chosen, const std::vector<std::size_t>& consumed) const {
    std::vector<std::size_t> order(chosen.scope.size());
    std::vector<std::size_t> mentions(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      for (const auto f : consumed)
        if (factors_[f].bucket)
          mentions[i] +=
              static_cast<std::size_t>(std::ranges::count(factors_[f].scope, chosen.scope[i]));
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](auto i) { return mentions[i]; });
    Candidate sorted = chosen;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.scope[i] = chosen.scope[order[i]];
      sorted.class_of[i] = chosen.class_of[order[i]];
    }
    chosen = std::move(sorted);
  }

  static std::size_t place_of(const Bucket& bucket, Index variable) {
    return static_cast<std::size_t>(std::ranges::find(bucket.scope, variable) -
                                    bucket.scope.begin());
  }

  // From classes of the bucket to those of a factor, at the variable in place `place`.
  static std::vector<Index> translated(const Bucket& bucket, std::size_t place,
                                       const Classes& into) {
    const bool own = place == bucket.own();
    const auto& from = own ? bucket.own_class_of : bucket.class_of[place];
    std::vector<Index> result(own ? bucket.own_classes : bucket.classes[place]);
    for (std::size_t e = 0; e < from.size(); ++e) result[from[e]] = into[e];
    return result;
  }

  Message message(const Bucket& bucket, const Factor& factor) const {
    Message message;
    message.bucket = *factor.bucket;
    for (std::size_t i = 0; i < factor.scope.size(); ++i) {
      const auto place = place_of(bucket, factor.scope[i]);
      message.position.push_back(static_cast<Index>(place));
      message.class_of.push_back(translated(bucket, place, factor.class_of[i]));
    }
    return message;
  }

  void add_relation(Bucket& bucket, const Factor& factor) const {
    const bool own_first = factor.scope[0] == bucket.variable;
    const std::size_t other = own_first ? 1 : 0;
    const auto place = place_of(bucket, factor.scope[other]);
    const auto own = translated(bucket, bucket.own(), factor.class_of[1 - other]);
    const auto theirs = translated(bucket, place, factor.class_of[other]);
    auto& allows = bucket.allows[place];
    for (const auto k : theirs) {
      auto& set = allows.emplace_back(bucket.words);
      for (Index t = 0; t < bucket.own_classes; ++t)
        if (own_first ? factor.allowed[own[t]][k] : factor.allowed[k][own[t]])
          set[t / 64] |= Word{1} << (t % 64);
    }
  }

  const Network& network_;
  std::vector<Extended> extended_;
  std::vector<Factor> relations_;
  std::vector<Factor> factors_;               // relations, then messages as they are made
  std::vector<std::vector<std::size_t>> of_;  // by variable: waiting factors
};

}  // namespace

Plan make_plan(const Network& network) { return Planner(network).best(); }

}  // namespace stackx::resolver
