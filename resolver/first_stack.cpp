#include "resolver/first_stack.hpp"

#include <unordered_set>
#include <utility>

#include "resolver/search.hpp"

namespace stackx::resolver {
namespace {

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

std::optional<Chosen> first_stack(const Model& model) { return FirstStack(model).run(); }

}  // namespace stackx::resolver
