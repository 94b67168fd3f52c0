#include "resolver/space.hpp"

#include <unordered_set>
#include <utility>

namespace stackx::resolver {
namespace {

// Calls `visit(selected)` at every leaf until it returns false.
template <typename AtLeaf>
bool enumerate(Search& search, const AtLeaf& visit) {
  const auto step = search.next();
  if (step.next == Search::Next::dead) return true;
  if (step.next == Search::Next::leaf) return visit(search.selected());
  const auto mark = search.mark();
  const auto follow = [&](bool possible) {
    const bool more = !possible || enumerate(search, visit);
    search.undo(mark);
    return more;
  };
  if (step.next == Search::Next::slot)
    return search.candidates(step.index, [&](std::uint32_t component, std::uint32_t version) {
      return follow(search.select(component, version));
    });
  return follow(search.assume(step.index, true)) && follow(search.assume(step.index, false));
}

class FirstStack {
 public:
  explicit FirstStack(const Model& model) : search_(model) {}

  std::optional<Chosen> run() {
    if (!reach_leaf()) return {};
    return search_.selected();
  }

 private:
  // Leaves the search at the leaf when it finds one.
  bool reach_leaf() {
    const auto step = search_.next();
    if (step.next == Search::Next::dead) return false;
    if (step.next == Search::Next::leaf) return true;
    std::string key;
    search_.key(key);
    if (hopeless_.contains(key)) return false;
    const auto mark = search_.mark();
    bool found = false;
    const auto follow = [&](bool possible) {
      found = possible && reach_leaf();
      if (!found) search_.undo(mark);
      return !found;
    };
    if (step.next == Search::Next::slot)
      search_.candidates(step.index, [&](std::uint32_t component, std::uint32_t version) {
        return follow(search_.select(component, version));
      });
    else if (follow(search_.assume(step.index, true)))
      follow(search_.assume(step.index, false));
    if (!found && hopeless_.size() < most_remembered) hopeless_.insert(std::move(key));
    return found;
  }

  static constexpr std::size_t most_remembered = 200'000;
  Search search_;
  std::unordered_set<std::string> hopeless_;
};

}  // namespace

Space::Space(Model model, std::size_t diagram_bytes)
    : model_(std::move(model)), diagram_(Diagram::build(model_, diagram_bytes)) {}

const BigInt& Space::count() const {
  if (diagram_) return diagram_->count();
  if (!count_) {
    std::uint64_t leaves = 0;
    Search search(model_);
    enumerate(search, [&](const Chosen&) { return ++leaves, true; });
    count_ = leaves;
  }
  return *count_;
}

void Space::each(const Visit& visit) const {
  if (diagram_) {
    diagram_->each(visit);
    return;
  }
  Search search(model_);
  enumerate(search, visit);
}

std::vector<Chosen> Space::at(const std::vector<BigInt>& ranks) const {
  std::vector<Chosen> result;
  result.reserve(ranks.size());
  if (diagram_) {
    for (const auto& rank : ranks) result.push_back(diagram_->at(rank));
    return result;
  }
  std::uint64_t rank = 0;
  each([&](const Chosen& chosen) {
    if (result.size() < ranks.size() && ranks[result.size()] == rank) result.push_back(chosen);
    ++rank;
    return result.size() < ranks.size();
  });
  return result;
}

std::vector<std::vector<BigInt>> Space::shares() const {
  if (diagram_) return diagram_->shares();
  std::vector<std::vector<std::uint64_t>> counted;
  for (const auto& component : model_.components) counted.emplace_back(component.versions.size());
  Search search(model_);
  enumerate(search, [&](const Chosen& chosen) {
    for (std::size_t c = 0; c < chosen.size(); ++c)
      if (chosen[c] >= 0) ++counted[c][static_cast<std::size_t>(chosen[c])];
    return true;
  });
  std::vector<std::vector<BigInt>> shares;
  for (const auto& versions : counted) shares.emplace_back(versions.begin(), versions.end());
  return shares;
}

std::optional<Chosen> first_stack(const Model& model) { return FirstStack(model).run(); }

}  // namespace stackx::resolver
