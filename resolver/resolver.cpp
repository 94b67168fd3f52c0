#include "resolver/resolver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "resolver/counting/approximate_count.hpp"
#include "resolver/counting/slices.hpp"
#include "resolver/cover.hpp"
#include "resolver/explain/excluded.hpp"
#include "resolver/explain/explain.hpp"
#include "resolver/graph.hpp"
#include "resolver/listed_space.hpp"
#include "resolver/sampler.hpp"
#include "resolver/sat/space.hpp"
#include "resolver/tables/space.hpp"

namespace stackx::resolver {

// The compiled problem, and its space from the first question that needs it.
struct Resolver::Engine {
  Problem problem;
  Limits limits;
  std::shared_ptr<Space> everything;
  bool too_many = false;  // stacks to list, as far as tried
  std::optional<StackCount> counted = {};
  // Kept where versions were left out of the catalog, which an explanation may name.
  std::optional<std::pair<specs::Project, specs::Catalog>> given = {};

  // Grows from one call to the next.
  WithLeftOut with_left_out() const {
    if (!given) return {};
    return [this, names = std::set<std::string>()](const std::set<std::string>& more) mutable -> std::optional<Problem> {
      const auto before = names.size();
      for (const auto& name : more)
        if (!given->second.components.at(name).left_out.empty()) names.insert(name);
      if (names.size() == before) return {};
      return compile(given->first, given->second, names);
    };
  }

  // Entangled components that leave few stacks are listed.
  Space& space() {
    constexpr std::size_t few = 10'000;
    if (everything) return *everything;
    try {
      everything = make({});
    } catch (const TooEntangled&) {
      if (!too_many) everything = listed_space(problem, few);
      too_many = !everything;
      if (!everything) throw;
    }
    return *everything;
  }

  // From the tables, which other questions need as well, where they are small.
  StackCount count() {
    if (counted) return *counted;
    if (!everything) make_small_space();
    if (everything) {
      const auto exact = everything->count();
      return counted.emplace(exact, exact);
    }
    Network network = network_of(problem);
    reduce(network);  // or the space would be small
    return counted.emplace(count_in_slices(network, limits));
  }

  void make_small_space() {
    constexpr double small = 1e7;  // entries
    Network network = network_of(problem);
    if (!reduce(network)) {
      everything = make({});
      return;
    }
    Plan plan = make_plan(network);
    if (plan.entries > small) return;
    if (auto made = make_space(problem, std::move(network), std::move(plan), limits.bytes))
      everything = *std::move(made);
  }

  std::shared_ptr<Space> make(const std::optional<Stratum>& stratum) const {
    auto space = make_space(problem, limits.bytes, stratum);
    if (space) return *std::move(space);
    std::vector<std::string> names;
    for (const auto c : space.error().components) names.push_back(problem.components[c].name);
    constexpr double gib = 1 << 30;
    throw TooEntangled(
        fmt::format(
            "{} depend on each other in too many ways to be counted exactly: the tables would "
            "take more than {:.3g} GiB, and {:.3g} GiB are allowed. Pin one of these components to "
            "fewer "
            "versions, or allow more memory",
            fmt::join(names, ", "), space.error().bytes / gib,
            static_cast<double>(limits.bytes) / gib),
        names);
  }

  specs::Stack stack(const Chosen& chosen) const {
    specs::Stack stack;
    for (std::size_t c = 0; c < chosen.size(); ++c)
      if (chosen[c] >= 0)
        stack.components.emplace_hint(
            stack.components.end(), problem.components[c].name,
            problem.components[c].versions[static_cast<std::size_t>(chosen[c])]);
    return stack;
  }

  std::vector<specs::Stack> stacks(const std::vector<Chosen>& chosen) const {
    std::vector<specs::Stack> stacks;
    for (const auto& one : chosen) stacks.push_back(stack(one));
    return stacks;
  }
};

namespace {

void check_not_left_out(const specs::Catalog& catalog, const std::string& name, const std::string& version) {
  const auto* component = catalog.find(name);
  if (!component) return;
  for (const auto& group : component->left_out)
    for (const auto& one : group.versions)
      if (one.text() == version)
        throw bad_input(fmt::format("{} {} was left out of the catalog: {}{}", name, version, group.why,
                                    group.to_have.empty() ? "" : fmt::format(" (to have it: {})", group.to_have)));
}

}  // namespace

Resolver::Resolver(const specs::Project& project, const specs::Catalog& catalog, Limits limits)
    : engine_(new Engine{compile(project, catalog), limits, nullptr, false}) {
  const auto lacks = [&](const ComponentVersions& component) { return !catalog.find(component.name)->left_out.empty(); };
  if (std::ranges::any_of(engine_->problem.components, lacks)) engine_->given.emplace(project, catalog);
}
Resolver::~Resolver() = default;
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;

const std::vector<ComponentVersions>& Resolver::components() const {
  return engine_->problem.components;
}

BigInt Resolver::raw_combinations() const {
  BigInt product = 1;
  for (const auto& component : engine_->problem.components)
    product *= std::max<std::size_t>(component.versions.size(), 1);
  return product;
}

BigInt Resolver::count() const { return engine_->space().count(); }

StackCount Resolver::count_or_bounds() const { return engine_->count(); }

std::optional<Unsolvable> Resolver::explain() const {
  return resolver::explain(engine_->problem, engine_->with_left_out());
}

std::optional<Unsolvable> Resolver::explain(const std::string& component,
                                            const std::string& version) const {
  if (engine_->given) check_not_left_out(engine_->given->second, component, version);
  return explain_version(engine_->problem, component, version);
}

ApproximateCount Resolver::count_approximately(std::uint64_t seed) const {
  return approximate_count(engine_->problem, seed, engine_->limits.bytes);
}

// Versions that no stack holds for a reason further away than excluded() looks are marked as well,
// where the shares are to be had.
std::string Resolver::graph() const {
  const auto& problem = engine_->problem;
  auto reasons = excluded(problem);
  try {
    const auto shares = engine_->space().shares();
    for (std::size_t c = 0; c < shares.size(); ++c)
      for (std::size_t v = 0; v < shares[c].size(); ++v)
        if (shares[c][v] == 0 && reasons[c][v].empty())
          reasons[c][v] =
              fmt::format("in no stack: see --explain {}=={}", problem.components[c].name,
                          problem.components[c].versions[v]);
  } catch (const TooEntangled&) {
    // The graph says what can be said without.
  }
  return dot(problem, version_graph(problem, reasons));
}

void Resolver::enumerate(const std::function<bool(const Choice&)>& visit) const {
  bool counted = true;
  try {
    engine_->space();
  } catch (const TooEntangled&) {
    counted = false;
  }
  if (counted)
    engine_->space().each(visit);
  else
    SatSpace(engine_->problem).each(visit);
}

specs::Stack Resolver::stack(const Choice& choice) const { return engine_->stack(choice); }

void Resolver::draw(std::uint64_t count, std::uint64_t seed,
                    const std::function<void(const Choice&)>& visit) const {
  auto& space = engine_->space();
  if (space.count() == 0) return;
  specs::Random random(seed);
  for (std::uint64_t i = 0; i < count; ++i) visit(space.draw(random));
}

std::vector<specs::Stack> Resolver::sample(const specs::SamplerSpec& sampler) const {
  if (sampler.kind == specs::SamplerSpec::Kind::cover)
    return cover(static_cast<unsigned>(sampler.strength), sampler.seed).stacks;
  const auto space = [&](const std::optional<Stratum>& stratum) {
    engine_->space();
    return stratum ? engine_->make(stratum) : engine_->everything;
  };
  return engine_->stacks(resolver::draw(engine_->problem, space, sampler));
}

std::vector<specs::Stack> Resolver::apart(std::uint64_t count, std::uint64_t seed) const {
  return engine_->stacks(draw_apart(engine_->space(), count, seed));
}

void Resolver::best(const specs::Scores& scores,
                    const std::function<bool(const Choice&, Score)>& visit) const {
  VersionScores by_version;
  for (const auto& component : engine_->problem.components) {
    auto& versions = by_version.emplace_back(component.versions.size());
    const auto found = scores.of.find(component.name);
    if (found == scores.of.end()) continue;
    for (std::size_t v = 0; v < versions.size(); ++v)
      if (const auto score = found->second.find(component.versions[v]);
          score != found->second.end())
        versions[v] = score->second;
  }
  engine_->space().best(by_version, visit);
}

specs::Scores Resolver::lateness() const {
  specs::Scores scores;
  const auto shares = engine_->space().shares();
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const auto& component = engine_->problem.components[c];
    Score later = 0;
    for (std::size_t v = shares[c].size(); v-- > 0;) {
      scores.of[component.name][component.versions[v]] = -later;
      if (shares[c][v] > 0) ++later;
    }
  }
  return scores;
}

Cover Resolver::cover(unsigned strength, std::uint64_t seed) const {
  const auto covered = resolver::cover(engine_->space(), engine_->problem, strength, seed);
  return {engine_->stacks(covered.rows), covered.combinations};
}

std::map<std::string, std::map<std::string, BigInt>> Resolver::shares() const {
  std::map<std::string, std::map<std::string, BigInt>> result;
  const auto shares = engine_->space().shares();
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const auto& component = engine_->problem.components[c];
    auto& versions = result[component.name];
    for (std::size_t v = 0; v < shares[c].size(); ++v)
      versions[component.versions[v]] = shares[c][v];
  }
  return result;
}

}  // namespace stackx::resolver
