#include "resolver/tables/space.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "resolver/tables/best.hpp"

namespace stackx::resolver {
namespace {

class EmptySpace : public Space {
 public:
  explicit EmptySpace(const Problem& problem) {
    for (const auto& component : problem.components)
      shares_.emplace_back(component.versions.size());
  }
  BigInt count() const override { return 0; }
  std::vector<std::vector<BigInt>> shares() const override { return shares_; }
  void each(const Visit&) override {}
  Chosen at(BigInt) override { return {}; }
  Chosen draw(specs::Random&) override { return {}; }
  void best(const VersionScores&, const VisitScored&) override {}
  std::vector<Bits> beside(const std::vector<Held>&) override {
    std::vector<Bits> nothing;
    for (const auto& versions : shares_) nothing.emplace_back(versions.size());
    return nothing;
  }
  Chosen guided(const std::vector<Held>&, const Pick&) override { return {}; }
  std::optional<bool> holds(const Chosen&) const override { return false; }

 private:
  std::vector<std::vector<BigInt>> shares_;
};

// Networks of components only, with one value a version: a choice is judged relation by relation.
class Direct {
 public:
  static std::optional<Direct> of(const Network& network,
                                  const std::vector<std::size_t>& versions) {
    Direct direct;
    direct.network_ = &network;
    for (const auto count : versions) direct.value_of_.emplace_back(count + 1, no_value);
    direct.variable_of_.assign(versions.size(), no_value);
    for (std::size_t x = 0; x < network.variables.size(); ++x) {
      const auto& variable = network.variables[x];
      if (variable.kind != Variable::Kind::component) return {};
      direct.variable_of_[variable.index] = x;
      for (std::size_t v = 0; v < variable.size(); ++v) {
        auto held = variable.versions[v];
        if (held.empty()) held.push_back(-1);
        for (const auto version : held) {
          auto& value = direct.value_of_[variable.index][static_cast<std::size_t>(version + 1)];
          if (value != no_value) return {};
          value = v;
        }
      }
    }
    return direct;
  }

  bool holds(const Chosen& chosen) const {
    std::vector<std::size_t> values(network_->variables.size());
    std::vector<bool> lacks(values.size());
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      const auto value = value_of_[c][static_cast<std::size_t>(chosen[c] + 1)];
      if (value == no_value) return false;
      values[variable_of_[c]] = value;
      lacks[variable_of_[c]] = network_->variables[variable_of_[c]].needs[value];
    }
    for (const auto& relation : network_->relations) {
      const auto v = values[relation.first], w = values[relation.second];
      if (!relation.allowed[v][w]) return false;
      if (relation.first_supported[v][w]) lacks[relation.first] = false;
      if (relation.second_supported[v][w]) lacks[relation.second] = false;
    }
    return std::ranges::none_of(lacks, std::identity{});
  }

 private:
  static constexpr std::size_t no_value = static_cast<std::size_t>(-1);
  const Network* network_ = nullptr;
  std::vector<std::size_t> variable_of_;            // by component
  std::vector<std::vector<std::size_t>> value_of_;  // by component and version + 1
};

template <typename Number>
class SpaceOf : public Space {
 public:
  SpaceOf(const Problem& problem, Network network, Plan plan, std::size_t entries)
      : network_(std::move(network)), plan_(std::move(plan)), tables_(network_, plan_, entries) {
    for (const auto& component : problem.components) versions_.push_back(component.versions.size());
  }

  std::optional<bool> holds(const Chosen& chosen) const override {
    if (!direct_) return {};
    return direct_->holds(chosen);
  }

  // Comes first. Nothing, or the bucket whose table is too large.
  std::optional<std::size_t> fill(std::size_t circuit_bytes) {
    const auto too_large = tables_.compute({});
    direct_ = Direct::of(network_, versions_);
    if (!too_large) circuit_.emplace(network_, plan_, tables_, circuit_bytes);
    return too_large;
  }
  const Network& network() const { return network_; }
  const Plan& plan() const { return plan_; }

  BigInt count() const override { return to_big(tables_.total()); }

  std::vector<std::vector<BigInt>> shares() const override {
    std::vector<std::vector<BigInt>> result;
    for (const auto count : versions_) result.emplace_back(count);
    const auto by_value = tables_.shares();
    for (std::size_t x = 0; x < by_value.size(); ++x)
      for (std::size_t v = 0; v < network_.variables[x].versions.size(); ++v)
        for (const auto version : network_.variables[x].versions[v])
          result[network_.variables[x].index][static_cast<std::size_t>(version)] +=
              to_big(by_value[x][v]);
    return result;
  }

  void each(const Visit& visit) override {
    if (is_zero(tables_.total())) return;
    Lister(*this, visit).run();
  }

  Chosen at(BigInt rank) override {
    Chosen chosen(versions_.size(), -1);
    std::vector<NodeRef> pending(circuit_->roots().rbegin(), circuit_->roots().rend());
    BigInt rest = count();
    while (!pending.empty()) {
      const auto node = std::move(pending.back());
      pending.pop_back();
      const auto open = circuit_->open(node);
      rest /= to_big(node->count);
      const BigInt within = rank / rest;
      std::size_t a = 0;
      while (to_big(open->upto[a]) <= within) ++a;
      const BigInt before = a == 0 ? BigInt(0) : BigInt(to_big(open->upto[a - 1]));
      const auto& members = circuit_->members(*node, *open.get(), a);
      const BigInt block = (to_big(open->upto[a]) - before) / members.size();
      const BigInt member = (within - before) / block;
      set(chosen, *node, members[static_cast<std::size_t>(member)]);
      rank -= (before + member * block) * rest;
      rest *= block;
      push_children(pending, *node, *open.get(), a);
    }
    return chosen;
  }

  Chosen draw(specs::Random& random) override {
    Chosen chosen(versions_.size(), -1);
    std::vector<NodeRef> pending(circuit_->roots().rbegin(), circuit_->roots().rend());
    while (!pending.empty()) {
      const auto node = std::move(pending.back());
      pending.pop_back();
      const auto open = circuit_->open(node);
      const auto& upto = open->upto;
      const auto a =
          upto.size() == 1
              ? 0
              : static_cast<std::size_t>(
                    std::ranges::upper_bound(upto, below(random, node->count)) - upto.begin());
      const auto& members = circuit_->members(*node, *open.get(), a);
      set(chosen, *node, members.size() == 1 ? members[0] : members[random.below(members.size())]);
      push_children(pending, *node, *open.get(), a);
    }
    return chosen;
  }

  void best(const VersionScores& scores, const VisitScored& visit) override {
    if (is_zero(tables_.total())) return;
    Best<Number>(*circuit_, network_, plan_, scores).each(Chosen(versions_.size(), -1), visit);
  }

  std::vector<Bits> beside(const std::vector<Held>& held) override {
    const auto by_value = under(evidence_of(held)).shares();
    std::vector<Bits> result;
    for (const auto count : versions_) result.emplace_back(count);
    for (std::size_t x = 0; x < by_value.size(); ++x)
      for (std::size_t v = 0; v < network_.variables[x].versions.size(); ++v)
        if (!is_zero(by_value[x][v]))
          for (const auto version : network_.variables[x].versions[v])
            result[network_.variables[x].index].set(static_cast<std::size_t>(version));
    for (const auto& one : held) {
      auto& versions = result[one.component];
      const bool possible = versions[static_cast<std::size_t>(one.version)];
      versions.reset().set(static_cast<std::size_t>(one.version), possible);
    }
    return result;
  }

  Chosen guided(const std::vector<Held>& held, const Pick& pick) override {
    const auto evidence = evidence_of(held);
    Circuit<Number> circuit(network_, plan_, under(evidence), 0, evidence);
    Chosen chosen(versions_.size(), -1);
    std::vector<std::int32_t> versions;
    std::vector<std::pair<std::size_t, std::int32_t>> choices;  // alternative, version
    std::vector<NodeRef> pending(circuit.roots().rbegin(), circuit.roots().rend());
    while (!pending.empty()) {
      const auto node = std::move(pending.back());
      pending.pop_back();
      const auto open = circuit.open(node);
      const auto component = circuit.component(*node);
      const auto wanted =
          std::ranges::find(held, static_cast<std::size_t>(component), &Held::component);
      versions.clear();
      choices.clear();
      for (std::size_t a = 0; a < open->option.size(); ++a)
        for (const auto version : circuit.members(*node, *open.get(), a))
          if (wanted == held.end() || wanted->version == version) {
            choices.emplace_back(a, version);
            versions.push_back(version);
          }
      const std::size_t at = component < 0 || versions.size() == 1
                                 ? 0
                                 : pick(static_cast<std::size_t>(component), versions);
      if (component >= 0) chosen[static_cast<std::size_t>(component)] = choices[at].second;
      push_children(pending, *node, *open.get(), choices[at].first);
    }
    return chosen;
  }

 private:
  using Node = typename Circuit<Number>::Node;
  using NodeRef = typename Circuit<Number>::NodeRef;
  using Expansion = typename Circuit<Number>::Expansion;

  void set(Chosen& chosen, const Node& node, std::int32_t version) const {
    if (const auto component = circuit_->component(node); component >= 0)
      chosen[static_cast<std::size_t>(component)] = version;
  }

  // So that the first child is decided next.
  void push_children(std::vector<NodeRef>& pending, const Node& node, const Expansion& open,
                     std::size_t alternative) const {
    const std::size_t count = circuit_->children(node);
    for (std::size_t m = count; m-- > 0;) pending.push_back(open.children[alternative * count + m]);
  }

  // Only values with the versions held.
  Evidence evidence_of(const std::vector<Held>& held) const {
    Evidence evidence(network_.variables.size());
    for (const auto& one : held)
      for (std::size_t x = 0; x < network_.variables.size(); ++x) {
        const auto& variable = network_.variables[x];
        if (variable.kind != Variable::Kind::component || variable.index != one.component) continue;
        evidence[x] = Bits(variable.size());
        for (std::size_t v = 0; v < variable.size(); ++v)
          evidence[x][v] =
              std::ranges::find(variable.versions[v], one.version) != variable.versions[v].end();
      }
    return evidence;
  }

  const Tables<Number>& under(const Evidence& evidence) {
    if (!other_tables_)
      other_tables_.emplace(network_, plan_, std::numeric_limits<std::size_t>::max());
    other_tables_->compute(evidence);
    return *other_tables_;
  }

  // Walks all choices, depth first.
  class Lister {
   public:
    Lister(SpaceOf& space, const Visit& visit)
        : space_(space),
          visit_(visit),
          chosen_(space.versions_.size(), -1),
          pending_(space.circuit_->roots().rbegin(), space.circuit_->roots().rend()) {}

    bool run() {
      if (pending_.empty()) return visit_(chosen_);
      const NodeRef node = std::move(pending_.back());
      pending_.pop_back();
      const auto open = space_.circuit_->open(node);
      const std::size_t below = pending_.size();
      const auto component = space_.circuit_->component(*node);
      std::int32_t ignored = -1;
      std::int32_t& version =
          component < 0 ? ignored : chosen_[static_cast<std::size_t>(component)];
      bool more = true;
      for (std::size_t a = 0; more && a < open->option.size(); ++a)
        for (const auto member : space_.circuit_->members(*node, *open.get(), a)) {
          version = member;
          space_.push_children(pending_, *node, *open.get(), a);
          more = pending_.empty() ? visit_(chosen_) : run();
          pending_.resize(below);
          if (!more) break;
        }
      version = -1;
      pending_.push_back(node);
      return more;
    }

   private:
    SpaceOf& space_;
    const Visit& visit_;
    Chosen chosen_;
    std::vector<NodeRef> pending_;
  };

  Network network_;
  Plan plan_;
  std::optional<Direct> direct_;
  Tables<Number> tables_;
  std::optional<Tables<Number>> other_tables_;  // under evidence
  std::optional<Circuit<Number>> circuit_;
  std::vector<std::size_t> versions_;  // by component: how many
};

std::vector<std::size_t> cluster(const Network& network, const Bucket& bucket) {
  std::set<std::size_t> components;
  const auto add = [&](Index x) {
    if (network.variables[x].kind == Variable::Kind::component)
      components.insert(network.variables[x].index);
  };
  add(bucket.variable);
  for (const auto x : bucket.scope) add(x);
  return {components.begin(), components.end()};
}

constexpr double bytes_a_place = 3.0 / 16;  // table.hpp

// Half of the memory is for the tables' entries, a quarter for choices once found.
template <typename Number>
std::expected<std::unique_ptr<Space>, Entangled> space_of(const Problem& problem, Network network,
                                                          Plan plan, std::size_t number_bytes,
                                                          std::size_t bytes) {
  const double frame = plan.places * bytes_a_place;
  if (frame > static_cast<double>(bytes) / 4)
    return std::unexpected(Entangled{cluster(network, plan.buckets[plan.widest]), frame * 4});
  const auto entries = bytes / 2 / number_bytes;
  auto space =
      std::make_unique<SpaceOf<Number>>(problem, std::move(network), std::move(plan), entries);
  if (const auto bucket = space->fill(bytes / 4))
    return std::unexpected(Entangled{cluster(space->network(), space->plan().buckets[*bucket]),
                                     static_cast<double>(bytes)});
  return space;
}

}  // namespace

std::expected<std::unique_ptr<Space>, Entangled> make_space(const Problem& problem,
                                                            std::size_t bytes,
                                                            const std::optional<Stratum>& stratum) {
  Network network = network_of(problem, stratum);
  if (!reduce(network)) return std::make_unique<EmptySpace>(problem);
  Plan plan = make_plan(network);
  return make_space(problem, std::move(network), std::move(plan), bytes);
}

std::expected<std::unique_ptr<Space>, Entangled> make_space(const Problem& problem, Network network,
                                                            Plan plan, std::size_t bytes) {
  const std::size_t words = (plan.bits + 63) / 64;
  const auto with = [&]<typename Number>(std::size_t number_bytes) {
    return space_of<Number>(problem, std::move(network), std::move(plan), number_bytes, bytes);
  };
  if (words <= 1) return with.template operator()<Wide<1>>(8);
  if (words <= 2) return with.template operator()<Wide<2>>(16);
  if (words <= 3) return with.template operator()<Wide<3>>(24);
  if (words <= 4) return with.template operator()<Wide<4>>(32);
  if (words <= 6) return with.template operator()<Wide<6>>(48);
  if (words <= 12) return with.template operator()<Wide<12>>(96);
  return with.template operator()<BigInt>(sizeof(BigInt) + words * 8);
}

}  // namespace stackx::resolver
