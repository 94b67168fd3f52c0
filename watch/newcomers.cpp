#include "watch/newcomers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::watch {
namespace {

using Versions = std::map<std::string, std::set<std::string>>;

bool is_known(const Versions& known, const std::string& component, const std::string& version) {
  const auto found = known.find(component);
  return found != known.end() && found->second.contains(version);
}

std::string version_in(const specs::Stack& stack, const std::string& component) {
  const auto found = stack.components.find(component);
  return found == stack.components.end() ? "" : found->second;
}

// The place of a version among ascending ones; of one that is not there any more, of the last before it.
std::size_t place_after(const std::vector<std::string>& ascending, const std::string& version, specs::Versioning scheme) {
  const auto wanted = specs::Version::parse(version, scheme);
  std::size_t place = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i)
    if (const auto one = specs::Version::parse(ascending[i], scheme); wanted && one && *one <= *wanted) place = i + 1;
  return place;
}

struct Candidate {
  std::string component, version;
  std::size_t depth = 0;  // 0: the newest of its component
  bool is_named = false;  // by the project
};

class Finding {
 public:
  Finding(const specs::Stack& advised, const Space& space, const History& history)
      : advised_(advised), space_(space), history_(history), named_(space.named_components(advised)) {}

  std::vector<Candidate> candidates() {
    for (const auto& [component, ascending] : space_.releases()) {
      const auto own = version_in(advised_, component);
      if (!own.empty())
        add_after(component, ascending, own);
      else if (space_.is_alternative(component))
        add_alternative(component, ascending);
    }
    std::ranges::stable_sort(found_, [](const Candidate& a, const Candidate& b) {
      return std::tuple(a.depth, !a.is_named) < std::tuple(b.depth, !b.is_named);
    });
    return std::move(found_);
  }

 private:
  void add_after(const std::string& component, const std::vector<std::string>& ascending, const std::string& own) {
    const auto first = place_after(ascending, own, space_.catalog().find(component)->versioning);
    const auto depth = add(component, ascending, first);
    if (history_.is_empty() && depth == 0 && first >= 2 && is_named(component)) found_.push_back({component, ascending[first - 2], 0, true});
  }

  void add_alternative(const std::string& component, const std::vector<std::string>& ascending) {
    const auto known = history_.versions().find(component);
    if (known == history_.versions().end()) {
      found_.push_back({component, ascending.back(), 0, true});
      return;
    }
    std::size_t first = 0;
    for (const auto& one : known->second)
      first = std::max(first, place_after(ascending, one, space_.catalog().find(component)->versioning));
    add(component, ascending, first);
  }

  std::size_t add(const std::string& component, const std::vector<std::string>& ascending, std::size_t first) {
    std::size_t depth = 0;
    for (auto i = ascending.size(); i > first; --i)
      if (!is_known(history_.versions(), component, ascending[i - 1])) found_.push_back({component, ascending[i - 1], depth++, is_named(component)});
    return depth;
  }

  bool is_named(const std::string& component) const { return std::ranges::find(named_, component) != named_.end(); }

  const specs::Stack& advised_;
  const Space& space_;
  const History& history_;
  std::vector<std::string> named_;
  std::vector<Candidate> found_;
};

bool is_newest(const Space& space, const Change& change) {
  const auto found = space.releases().find(change.component);
  return found != space.releases().end() && found->second.back() == change.after;
}

bool goes_back(const Space& space, const Change& change) {
  const auto* component = space.catalog().find(change.component);
  if (component == nullptr || change.before.empty() || change.after.empty()) return false;
  const auto before = specs::Version::parse(change.before, component->versioning), after = specs::Version::parse(change.after, component->versioning);
  return before && after && *after < *before;
}

}  // namespace

Newcomer newcomer_of(const specs::Stack& advised, const specs::Stack& stack, const Space& space, const Versions& known) {
  Newcomer newcomer{stack, changes(advised, stack), false, false};
  const auto named = space.named_components(stack);
  // What nobody measured stands first, of that what the project names, then what is there in both.
  std::ranges::stable_sort(newcomer.changes, {}, [&](const Change& change) {
    const bool is_new = !change.after.empty() && !is_known(known, change.component, change.after) && space.releases().contains(change.component);
    return std::tuple(!is_new, std::ranges::find(named, change.component) == named.end(), change.after.empty(), change.before.empty());
  });
  if (newcomer.changes.empty()) return newcomer;
  newcomer.is_newest = is_newest(space, newcomer.changes.front());
  newcomer.is_older = goes_back(space, newcomer.changes.front());
  return newcomer;
}

News find_news(const specs::Stack& advised, const Space& space, const History& history, std::size_t most) {
  News news;
  for (const auto& candidate : Finding(advised, space, history).candidates()) {
    const bool is_there = std::ranges::any_of(news.newcomers, [&](const Newcomer& one) {
      return version_in(one.stack, candidate.component) == candidate.version;
    });
    if (is_there) continue;  // it came with another
    if (news.newcomers.size() >= most) {
      news.waiting.push_back(fmt::format("{} {}", candidate.component, candidate.version));
      continue;
    }
    auto newcomer = newcomer_of(advised, space.nearest(advised, candidate.component, candidate.version), space, history.versions());
    if (newcomer.changes.empty() || std::ranges::any_of(news.newcomers, [&](const Newcomer& one) { return one.stack == newcomer.stack; })) continue;
    news.newcomers.push_back(std::move(newcomer));
  }
  return news;
}

}  // namespace stackx::watch
