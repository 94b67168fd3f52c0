#include "resolver/listed_space.hpp"

#include <algorithm>

#include "resolver/sat/space.hpp"

namespace stackx::resolver {
namespace {

class ListedSpace : public Space {
 public:
  ListedSpace(const Problem& problem, std::vector<Chosen> stacks) : stacks_(std::move(stacks)) {
    for (const auto& component : problem.components) versions_.push_back(component.versions.size());
    std::ranges::sort(stacks_, std::ranges::greater{});
  }

  BigInt count() const override { return stacks_.size(); }

  std::vector<std::vector<BigInt>> shares() const override {
    std::vector<std::vector<BigInt>> shares;
    for (const auto count : versions_) shares.emplace_back(count);
    for (const auto& stack : stacks_)
      for (std::size_t c = 0; c < stack.size(); ++c)
        if (stack[c] >= 0) ++shares[c][static_cast<std::size_t>(stack[c])];
    return shares;
  }

  void each(const Visit& visit) override {
    for (const auto& stack : stacks_)
      if (!visit(stack)) return;
  }

  Chosen at(BigInt rank) override { return stacks_[static_cast<std::size_t>(rank)]; }
  Chosen draw(specs::Random& random) override { return stacks_[random.below(stacks_.size())]; }

  void best(const VersionScores& scores, const VisitScored& visit) override {
    const auto score = [&](const Chosen* stack) {
      Score sum = 0;
      for (std::size_t c = 0; c < stack->size(); ++c)
        if ((*stack)[c] >= 0) sum += scores[c][static_cast<std::size_t>((*stack)[c])];
      return sum;
    };
    std::vector<const Chosen*> ranked;
    for (const auto& stack : stacks_) ranked.push_back(&stack);
    std::ranges::stable_sort(ranked, std::ranges::greater{}, score);
    for (const auto* stack : ranked)
      if (!visit(*stack, score(stack))) return;
  }

  std::vector<Bits> beside(const std::vector<Held>& held) override {
    std::vector<Bits> result;
    for (const auto count : versions_) result.emplace_back(count);
    for (const auto& stack : stacks_)
      if (agrees(stack, held))
        for (std::size_t c = 0; c < stack.size(); ++c)
          if (stack[c] >= 0) result[c].set(static_cast<std::size_t>(stack[c]));
    return result;
  }

  Chosen guided(const std::vector<Held>& held, const Pick& pick) override {
    std::vector<const Chosen*> left;
    for (const auto& stack : stacks_)
      if (agrees(stack, held)) left.push_back(&stack);
    for (std::size_t c = 0; c < versions_.size() && left.size() > 1; ++c) {
      std::vector<std::int32_t> versions;
      for (const auto* stack : left) versions.push_back((*stack)[c]);
      std::ranges::sort(versions);
      versions.erase(std::ranges::unique(versions).begin(), versions.end());
      const auto version = versions[versions.size() == 1 ? 0 : pick(c, versions)];
      std::erase_if(left, [&](const Chosen* stack) { return (*stack)[c] != version; });
    }
    return *left.front();
  }

  std::optional<bool> holds(const Chosen& chosen) const override {
    return std::ranges::binary_search(stacks_, chosen, std::ranges::greater{});
  }

 private:
  static bool agrees(const Chosen& stack, const std::vector<Held>& held) {
    return std::ranges::all_of(
        held, [&](const Held& one) { return stack[one.component] == one.version; });
  }

  std::vector<Chosen> stacks_;
  std::vector<std::size_t> versions_;  // by component: how many
};

}  // namespace

std::unique_ptr<Space> listed_space(const Problem& problem, std::size_t most) {
  std::vector<Chosen> stacks;
  SatSpace(problem).each([&](const Chosen& stack) {
    stacks.push_back(stack);
    return stacks.size() <= most;
  });
  if (stacks.size() > most) return nullptr;
  return std::make_unique<ListedSpace>(problem, std::move(stacks));
}

}  // namespace stackx::resolver
