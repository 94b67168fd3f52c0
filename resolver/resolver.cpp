#include "resolver/resolver.hpp"

#include <utility>

#include "resolver/explain.hpp"
#include "resolver/sampler.hpp"
#include "resolver/space.hpp"

namespace stackx::resolver {

// The compiled problem, and its space from the first question that needs it.
struct Resolver::Engine {
  Problem problem;
  Limits limits;
  std::unique_ptr<Space> everything;

  const Space& space() {
    if (!everything) everything = std::make_unique<Space>(lay_out(problem), limits.diagram_bytes);
    return *everything;
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
};

Resolver::Resolver(const specs::Project& project, const specs::Catalog& catalog, Limits limits)
    : engine_(new Engine{compile(project, catalog), limits, nullptr}) {}
Resolver::~Resolver() = default;
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;

std::size_t Resolver::components() const { return engine_->problem.components.size(); }

BigInt Resolver::raw_combinations() const {
  BigInt product = 1;
  for (const auto& component : engine_->problem.components) product *= component.versions.size();
  return product;
}

BigInt Resolver::count() const { return engine_->space().count(); }

std::optional<Unsolvable> Resolver::explain() const { return resolver::explain(engine_->problem); }

void Resolver::enumerate(const std::function<bool(const specs::Stack&)>& visit) const {
  engine_->space().each([&](const Chosen& chosen) { return visit(engine_->stack(chosen)); });
}

std::vector<specs::Stack> Resolver::sample(const specs::SamplerSpec& sampler) const {
  std::vector<specs::Stack> stacks;
  for (const auto& chosen : draw(engine_->problem, engine_->space(), engine_->limits, sampler))
    stacks.push_back(engine_->stack(chosen));
  return stacks;
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
