#include "resolver/network/factors.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace stackx::resolver {
namespace {

// Classes made ever finer. They are numbered as they come up.
class Refinement {
 public:
  // `a`, which has `count` classes, becomes the common refinement with `b`, which has `width`.
  void refine(Classes& a, Index& count, const Classes& b, Index width) {
    if (width == 1 || count == a.size()) return;
    number_.assign(std::size_t{count} * width, 0);
    count = 0;
    for (std::size_t e = 0; e < a.size(); ++e) {
      Index& known = number_[std::size_t{a[e]} * width + b[e]];
      if (known == 0) known = ++count;
      a[e] = known - 1;
    }
  }

 private:
  std::vector<Index> number_;  // by class of both, from 1
};

Classes numbered(const std::vector<std::string>& rows) {
  std::unordered_map<std::string_view, Index> known;
  Classes classes;
  for (const auto& row : rows)
    classes.push_back(known.try_emplace(row, static_cast<Index>(known.size())).first->second);
  return classes;
}

}  // namespace

Index count_of(const Classes& classes) {
  return classes.empty() ? 0 : *std::ranges::max_element(classes) + 1;
}

Factors::Factors(const Network& network, Shape shape, Trust trust)
    : shape_(shape), trust_(trust), relations_(network.relations.size()), of_(network.variables.size()) {
  for (const auto& variable : network.variables) {
    Extended extended{variable.size(), {}};
    for (std::size_t v = 0; v < variable.size(); ++v)
      if (variable.needs[v]) extended.unsupported.push_back(static_cast<std::int32_t>(v));
    extended_.push_back(std::move(extended));
  }
  for (const auto& relation : network.relations) {
    for (const auto variable : {relation.first, relation.second})
      of_[variable].push_back(factors_.size());
    factors_.push_back(std::make_shared<const Factor>(factor_of(relation)));
  }
}

Factor Factors::factor_of(const Relation& relation) const {
  const auto &first = extended_[relation.first], &second = extended_[relation.second];
  const auto allowed = [&](std::size_t e, std::size_t f) {
    const std::size_t v = first.value(e), w = second.value(f);
    return relation.allowed[v][w] && !(first.is_none(e) && relation.first_supported[v][w]) &&
           !(second.is_none(f) && relation.second_supported[v][w]);
  };
  std::vector<std::string> rows(first.total()), columns(second.total());
  std::size_t pairs = 0;
  for (std::size_t e = 0; e < first.total(); ++e)
    for (std::size_t f = 0; f < second.total(); ++f) {
      const char bit = allowed(e, f) ? '1' : '0';
      rows[e] += bit;
      columns[f] += bit;
      pairs += bit == '1';
    }
  Factor factor;
  factor.scope = {static_cast<Index>(relation.first), static_cast<Index>(relation.second)};
  factor.class_of = {numbered(rows), numbered(columns)};
  factor.density = static_cast<double>(pairs) / static_cast<double>(first.total() * second.total());
  factor.classes = {count_of(factor.class_of[0]), count_of(factor.class_of[1])};
  factor.allowed.assign(factor.classes[0], std::vector<bool>(factor.classes[1]));
  for (std::size_t e = 0; e < first.total(); ++e)
    for (std::size_t f = 0; f < second.total(); ++f)
      factor.allowed[factor.class_of[0][e]][factor.class_of[1][f]] = rows[e][f] == '1';
  return factor;
}

// Of joint values of the scope, about the part that its relations allow.
double Factors::density_within(const std::vector<Index>& scope) const {
  double density = 1;
  for (std::size_t i = 0; i < scope.size(); ++i)
    for (const auto f : of_[scope[i]]) {
      const auto& factor = *factors_[f];
      if (factor.bucket || factor.scope[0] != scope[i]) continue;
      if (std::ranges::find(scope, factor.scope[1]) != scope.end()) density *= factor.density;
    }
  return density;
}

// Of joint classes, the part that has an entry. Roots: what relations forbid is partly the same.
double Factors::part_of_entries(double related, double messages) const {
  // In a table, memory is saved within groups of the scope only (Group).
  if (shape_ == Shape::table) return std::sqrt(std::sqrt(related));
  // Least squares over 179 messages of more than 10^4 entries: off by a factor of two as a rule,
  // where relations alone are off by four. But what is searched by this estimate is where it errs,
  // so that sometimes the other finds the better order (counting/rehearsal.hpp).
  if (trust_ == Trust::messages) return std::pow(related, 0.2) * std::sqrt(messages);
  return std::pow(related, 0.3);
}

Candidate Factors::candidate(std::size_t x) const {
  Candidate result;
  result.own.assign(extended_[x].total(), 0);
  Index own_classes = 1;
  Refinement refinement;
  double messages = 1, density = 1;
  for (const auto f : of_[x]) {
    const auto& factor = *factors_[f];
    if (factor.bucket) messages += 1, result.gain += factor.entries, density *= factor.density;
    for (std::size_t i = 0; i < factor.scope.size(); ++i) {
      const Index y = factor.scope[i];
      if (y == x) {
        refinement.refine(result.own, own_classes, factor.class_of[i], factor.classes[i]);
        continue;
      }
      const auto at =
          static_cast<std::size_t>(std::ranges::find(result.scope, y) - result.scope.begin());
      if (at == result.scope.size()) {
        result.scope.push_back(y);
        result.class_of.push_back(factor.class_of[i]);
        result.classes.push_back(factor.classes[i]);
      } else {
        refinement.refine(result.class_of[at], result.classes[at], factor.class_of[i],
                          factor.classes[i]);
      }
    }
  }
  for (const auto classes : result.classes) result.joint *= classes;
  const double part = part_of_entries(density_within(result.scope), density);
  result.entries = std::max(1.0, result.joint * part);
  result.operations = result.entries * messages * (shape_ == Shape::table ? own_classes : 1);
  return result;
}

void Factors::eliminate(std::size_t x, const Candidate& candidate) {
  Factor left;
  left.scope = candidate.scope;
  left.class_of = candidate.class_of;
  left.classes = candidate.classes;
  left.bucket = static_cast<Index>(factors_.size() - relations_);
  left.entries = candidate.entries;
  left.density = std::min(1.0, candidate.entries / candidate.joint);
  const auto consumed = of_[x];
  for (const auto f : consumed)
    for (const auto y : factors_[f]->scope) std::erase(of_[y], f);
  for (const auto y : left.scope) of_[y].push_back(factors_.size());
  factors_.push_back(std::make_shared<const Factor>(std::move(left)));
}

}  // namespace stackx::resolver
