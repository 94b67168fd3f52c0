// The messages of a plan as dense tables of numbers, and what can be read off them at once: the
// number of solutions, and how many of them hold each value.
//
// Evidence leaves only some values of some variables; computing again under other evidence keeps
// the plan. The shares are the derivatives of the count by the weight of each value, found in one
// pass back through the tables.
#pragma once

#include <algorithm>

#include "resolver/walk.hpp"
#include "resolver/wide.hpp"

namespace stackx::resolver {

// By variable the values left; an empty set leaves all.
using Evidence = std::vector<Bits>;

template <typename Number>
class Tables {
 public:
  Tables(const Network& network, const Plan& plan)
      : network_(&network), plan_(&plan), tables_(plan.buckets.size()), weights_(tables_.size()) {
    compute({});
  }

  void compute(const Evidence& evidence) {
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      weigh(b, evidence);
      sum(b);
    }
  }

  Number total() const {
    Number product(1);
    for (std::size_t b = 0; b < tables_.size(); ++b)
      if (plan_->buckets[b].scope.empty()) product *= tables_[b].front();
    return product;
  }

  // Zero where a relation forbids the joint classes.
  Number entry(std::size_t bucket, const std::vector<Index>& joint) const {
    const auto at = plan_->buckets[bucket].at(joint);
    return at ? tables_[bucket][*at] : Number(0);
  }

  // By variable and value: the solutions that hold it, for one of the versions it stands for.
  std::vector<std::vector<Number>> shares() const {
    std::vector<std::vector<Number>> derivatives(tables_.size());
    std::vector<std::vector<Number>> by_weight(tables_.size());
    Number before(1);
    std::vector<Number> after(tables_.size() + 1, Number(1));
    for (std::size_t b = tables_.size(); b-- > 0;)
      after[b] = is_root(b) ? after[b + 1] * tables_[b].front() : after[b + 1];
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      derivatives[b].assign(tables_[b].size(), Number(0));
      if (!is_root(b)) continue;
      derivatives[b].front() = before * after[b + 1];
      before *= tables_[b].front();
    }
    for (std::size_t b = tables_.size(); b-- > 0;) {
      by_weight[b].assign(plan_->buckets[b].own_classes, Number(0));
      Back(*this, b, derivatives, by_weight[b]).run();
      derivatives[b] = {};
    }
    std::vector<std::vector<Number>> result(network_->variables.size());
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      const auto& bucket = plan_->buckets[b];
      const auto& variable = network_->variables[bucket.variable];
      auto& numbers = result[bucket.variable];
      for (std::size_t v = 0; v < variable.size(); ++v)
        numbers.push_back(by_weight[b][bucket.own_class_of[v]]);
      const auto& unsupported = plan_->extended[bucket.variable];
      for (std::size_t i = 0; i < unsupported.size(); ++i)
        numbers[static_cast<std::size_t>(unsupported[i])] -=
            by_weight[b][bucket.own_class_of[variable.size() + i]];
    }
    return result;
  }

 private:
  class Forward : Walk<Number> {
   public:
    Forward(Tables& tables, std::size_t b)
        : Walk<Number>(*tables.plan_, b, tables.tables_),
          table_(tables.tables_[b]),
          weights_(tables.weights_[b]),
          products_(this->depths() * this->bucket_.own_classes) {}

    void run() {
      table_.assign(this->bucket_.entries, Number(0));
      for (Index t = 0; t < this->bucket_.own_classes; ++t)
        if (is_zero(weights_[t])) this->mask(0)[t / 64] &= ~(Word{1} << (t % 64));
      multiply(0, weights_.data());
    }

   private:
    // The products of what is known at `depth`, then on.
    void multiply(std::size_t depth, const Number* products) {
      for (const auto m : this->complete(depth)) {
        Number* own = &products_[depth * this->bucket_.own_classes];
        if (!multiply_by(this->row(depth, m), depth, products, own)) return;
        products = own;
      }
      if (depth + 1 < this->depths()) {
        this->each_class(depth, [&] { multiply(depth + 1, products); });
        return;
      }
      Number sum(0);
      this->each_own(depth, [&](std::size_t t) { sum += products[t]; });
      table_[this->entry()] = std::move(sum);
    }

    // False if all products are zero.
    bool multiply_by(const typename Walk<Number>::Row& row, std::size_t depth,
                     const Number* products, Number* into) {
      Word* mask = this->mask(depth);
      Word any = 0;
      for (std::size_t w = 0; w < this->bucket_.words; ++w) {
        for (Word left = mask[w]; left; left &= left - 1) {
          const auto bit = static_cast<std::size_t>(std::countr_zero(left));
          const std::size_t t = w * 64 + bit;
          into[t] = products[t] * row[t];
          if (is_zero(into[t])) mask[w] &= ~(Word{1} << bit);
        }
        any |= mask[w];
      }
      return any != 0;
    }

    std::vector<Number>& table_;
    const std::vector<Number>& weights_;
    std::vector<Number> products_;
  };

  class Back : Walk<Number> {
   public:
    Back(const Tables& tables, std::size_t b, std::vector<std::vector<Number>>& derivatives,
         std::vector<Number>& by_weight)
        : Walk<Number>(*tables.plan_, b, tables.tables_),
          derivatives_(derivatives),
          own_derivatives_(derivatives[b]),
          by_weight_(by_weight),
          weights_(tables.weights_[b]),
          rows_(this->bucket_.messages.size()),
          before_(rows_.size() + 1) {}

    void run() { descend(0); }

   private:
    void descend(std::size_t depth) {
      if (depth + 1 < this->depths()) {
        this->each_class(depth, [&] { descend(depth + 1); });
        return;
      }
      const Number& derivative = own_derivatives_[this->entry()];
      if (is_zero(derivative)) return;
      for (std::size_t m = 0; m < rows_.size(); ++m) rows_[m] = this->row(depth, m);
      this->each_own(depth, [&](std::size_t t) { pass_on(t, derivative); });
    }

    void pass_on(std::size_t t, const Number& derivative) {
      before_[0] = derivative;
      for (std::size_t m = 0; m < rows_.size(); ++m) before_[m + 1] = before_[m] * rows_[m][t];
      by_weight_[t] += before_.back();
      if (is_zero(weights_[t])) return;
      Number after = weights_[t];
      for (std::size_t m = rows_.size(); m-- > 0;) {
        derivatives_[this->bucket_.messages[m].bucket][rows_[m].entry(t, this->start_of(m))] +=
            before_[m] * after;
        after *= rows_[m][t];
      }
    }

    std::vector<std::vector<Number>>& derivatives_;
    const std::vector<Number>& own_derivatives_;
    std::vector<Number>& by_weight_;
    const std::vector<Number>& weights_;
    std::vector<typename Walk<Number>::Row> rows_;
    std::vector<Number> before_;
  };

  bool is_root(std::size_t b) const { return plan_->buckets[b].scope.empty(); }

  void weigh(std::size_t b, const Evidence& evidence) {
    const auto& bucket = plan_->buckets[b];
    const auto& variable = network_->variables[bucket.variable];
    const bool all = evidence.empty() || evidence[bucket.variable].empty();
    std::vector<std::int64_t> weights(bucket.own_classes);
    const auto add = [&](std::size_t value, std::size_t extended, std::int64_t sign) {
      if (!all && !evidence[bucket.variable][value]) return;
      const std::size_t versions =
          variable.versions.empty() ? 1 : std::max<std::size_t>(1, variable.versions[value].size());
      weights[bucket.own_class_of[extended]] += sign * static_cast<std::int64_t>(versions);
    };
    for (std::size_t v = 0; v < variable.size(); ++v) add(v, v, 1);
    const auto& unsupported = plan_->extended[bucket.variable];
    for (std::size_t i = 0; i < unsupported.size(); ++i)
      add(static_cast<std::size_t>(unsupported[i]), variable.size() + i, -1);
    weights_[b].assign(weights.begin(), weights.end());
  }

  void sum(std::size_t b) { Forward(*this, b).run(); }

  const Network* network_;
  const Plan* plan_;
  std::vector<std::vector<Number>> tables_;
  std::vector<std::vector<Number>> weights_;  // by bucket and own class
};

}  // namespace stackx::resolver
