// The messages of a plan as tables of numbers (table.hpp: sparse), and what can be read off them at once: the
// number of solutions, and how many of them hold each value.
//
// Evidence leaves only some values of some variables; computing again under other evidence keeps
// the plan. The shares are the derivatives of the count by the weight of each value, found in one
// pass back through the tables.
#pragma once

#include <algorithm>

#include "resolver/tables/walk.hpp"
#include "resolver/tables/wide.hpp"

namespace stackx::resolver {

// By variable the values left; an empty set leaves all.
using Evidence = std::vector<Bits>;

template <typename Number>
class Tables {
 public:
  // Keeps at most about `most` entries.
  Tables(const Network& network, const Plan& plan, std::size_t most)
      : network_(&network),
        plan_(&plan),
        most_(most),
        tables_(plan.buckets.size()),
        weights_(tables_.size()) {}

  // Nothing, or the bucket whose table became too large.
  std::optional<std::size_t> compute(const Evidence& evidence) {
    std::size_t left = most_;
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      weigh(b, evidence);
      if (!Forward(*this, b, left).run()) return b;
      left -= tables_[b].size();
    }
    return {};
  }

  // The product of the roots' tables, which have at most one entry each.
  Number total() const {
    Number product(1);
    for (std::size_t b = 0; b < tables_.size(); ++b)
      if (is_root(b)) product *= root(b);
    return product;
  }

  // Zero where a relation forbids the joint classes.
  Number entry(std::size_t bucket, const std::vector<Index>& joint) const {
    const auto place = plan_->buckets[bucket].at(joint);
    const auto entry = place ? tables_[bucket].find(*place) : Table<Number>::none;
    return entry == Table<Number>::none ? Number(0) : tables_[bucket][entry];
  }

  // By variable and value: the solutions that hold it, for one of the versions it stands for.
  std::vector<std::vector<Number>> shares() const {
    std::vector<std::vector<Number>> derivatives(tables_.size());
    std::vector<std::vector<Number>> by_weight(tables_.size());
    Number before(1);
    std::vector<Number> after(tables_.size() + 1, Number(1));
    for (std::size_t b = tables_.size(); b-- > 0;)
      after[b] = is_root(b) ? after[b + 1] * root(b) : after[b + 1];
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      if (!is_root(b)) continue;
      if (tables_[b].size() > 0) derivatives[b] = {before * after[b + 1]};
      before *= root(b);
    }
    for (std::size_t b = tables_.size(); b-- > 0;) {
      by_weight[b].assign(plan_->buckets[b].own_classes, Number(0));
      for (const auto& message : plan_->buckets[b].messages)
        derivatives[message.bucket].assign(tables_[message.bucket].size(), Number(0));
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
    Forward(Tables& tables, std::size_t b, std::size_t most)
        : Walk<Number>(*tables.plan_, b, tables.tables_),
          most_(most),
          table_(tables.tables_[b]),
          weights_(tables.weights_[b]),
          products_(this->depths() * this->bucket_.own_classes) {}

    // False if there are more than `most` entries.
    bool run() {
      table_.clear(this->bucket_);
      for (Index t = 0; t < this->bucket_.own_classes; ++t)
        if (is_zero(weights_[t])) this->mask(0)[t / 64] &= ~(Word{1} << (t % 64));
      multiply(0, weights_.data());
      return table_.size() <= most_;
    }

   private:
    // The products of what is known at `depth`, then on.
    void multiply(std::size_t depth, const Number* products) {
      if (table_.size() > most_) return;
      for (const auto m : this->complete(depth)) {
        Number* own = products_.data() + depth * this->bucket_.own_classes;
        if (!multiply_by(this->row(depth, m), depth, products, own)) return;
        products = own;
      }
      if (depth + 1 < this->depths()) {
        this->each_class(depth, [&] { multiply(depth + 1, products); });
        return;
      }
      Number sum(0);
      this->each_own(depth, [&](std::size_t t) { sum += products[t]; });
      if (!is_zero(sum)) table_.push(this->place(), this->joint(), std::move(sum));
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
          if (const auto entry = row.find(t); entry != Table<Number>::none)
            into[t] = products[t] * row[entry];
          else
            mask[w] &= ~(Word{1} << bit);
        }
        any |= mask[w];
      }
      return any != 0;
    }

    std::size_t most_;
    Table<Number>& table_;
    const std::vector<Number>& weights_;
    std::vector<Number> products_;
  };

  class Back : Walk<Number> {
   public:
    Back(const Tables& tables, std::size_t b, std::vector<std::vector<Number>>& derivatives,
         std::vector<Number>& by_weight)
        : Walk<Number>(*tables.plan_, b, tables.tables_),
          derivatives_(derivatives),
          own_table_(tables.tables_[b]),
          own_derivatives_(derivatives[b]),
          by_weight_(by_weight),
          weights_(tables.weights_[b]),
          rows_(this->bucket_.messages.size()),
          entries_(rows_.size()),
          before_(rows_.size() + 1) {}

    void run() { descend(0); }

   private:
    void descend(std::size_t depth) {
      if (depth + 1 < this->depths()) {
        this->each_class(depth, [&] { descend(depth + 1); });
        return;
      }
      const auto entry = own_table_.find(this->place());
      if (entry == Table<Number>::none) return;  // and nothing below it is in a solution
      const Number& derivative = own_derivatives_[entry];
      if (is_zero(derivative)) return;
      for (std::size_t m = 0; m < rows_.size(); ++m) rows_[m] = this->row(depth, m);
      this->each_own(depth, [&](std::size_t t) { pass_on(t, derivative); });
    }

    void pass_on(std::size_t t, const Number& derivative) {
      before_[0] = derivative;
      for (std::size_t m = 0; m < rows_.size(); ++m) {
        entries_[m] = rows_[m].find(t);
        if (entries_[m] == Table<Number>::none) return;
        before_[m + 1] = before_[m] * rows_[m][entries_[m]];
      }
      by_weight_[t] += before_.back();
      if (is_zero(weights_[t])) return;
      Number after = weights_[t];
      for (std::size_t m = rows_.size(); m-- > 0;) {
        derivatives_[this->bucket_.messages[m].bucket][entries_[m]] += before_[m] * after;
        after *= rows_[m][entries_[m]];
      }
    }

    std::vector<std::vector<Number>>& derivatives_;
    const Table<Number>& own_table_;
    const std::vector<Number>& own_derivatives_;
    std::vector<Number>& by_weight_;
    const std::vector<Number>& weights_;
    std::vector<typename Walk<Number>::Row> rows_;
    std::vector<std::size_t> entries_;  // by message
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

  Number root(std::size_t b) const { return tables_[b].size() > 0 ? tables_[b][0] : Number(0); }

  const Network* network_;
  const Plan* plan_;
  std::size_t most_;
  std::vector<Table<Number>> tables_;
  std::vector<std::vector<Number>> weights_;  // by bucket and own class
};

}  // namespace stackx::resolver
