#include "blame/between/asked_extras.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::blame {
namespace {

// What is in force at one end.
class AtEnd {
 public:
  AtEnd(const End& end, const Pythons& pythons, std::size_t python, const LockedPackages& locked)
      : end_(end), pythons_(pythons), python_(python), locked_(locked) {
    for (const auto& [name, extras] : end.extras) ask(name, extras);
    for (const auto& [name, version] : end.packages) waiting_.emplace_back(name, "");
    while (!waiting_.empty()) {
      const auto [name, extra] = waiting_.back();
      waiting_.pop_back();
      for (const auto* dependency : adds(name, extra)) {
        if (dependency->name != name) required_.insert(dependency->name);
        ask(dependency->name, dependency->extras);
      }
    }
  }

  const AskedExtras& extras() const { return extras_; }
  bool is_required(const std::string& name) const { return required_.contains(name); }
  bool is_asked_for(const std::string& name, const std::string& extra) const {
    const auto found = extras_.find(name);
    return found != extras_.end() && found->second.contains(extra);
  }

  std::vector<const specs::Dependency*> adds(const std::string& name, const std::string& extra) const {
    const auto* facts = facts_of(name);
    return facts ? pypi::holding(*facts, pythons_[python_], extra) : std::vector<const specs::Dependency*>{};
  }

  std::set<std::string> extras_of(const std::string& name) const {
    const auto* facts = facts_of(name);
    return facts ? known_extras(*facts) : std::set<std::string>{};
  }

 private:
  const pypi::Facts* facts_of(const std::string& name) const {
    const auto& facts = locked_.at(name).at(end_.packages.at(name)).on.at(python_).facts;
    return facts ? &*facts : nullptr;
  }

  void ask(const std::string& name, const auto& extras) {
    if (!end_.packages.contains(name)) return;
    for (const auto& extra : extras)
      if (extras_[name].insert(extra).second) waiting_.emplace_back(name, extra);
  }

  const End& end_;
  const Pythons& pythons_;
  std::size_t python_;
  const LockedPackages& locked_;
  AskedExtras extras_;
  std::set<std::string> required_;
  std::vector<std::pair<std::string, std::string>> waiting_;  // a package, an extra of it
};

bool is_met_at(const End& end, const specs::Dependency& dependency) {
  const auto found = end.packages.find(dependency.name);
  if (found == end.packages.end()) return false;
  const auto version = specs::Version::parse(found->second, specs::Versioning::pep440);
  return version && dependency.versions.contains(*version);
}

}  // namespace

// What markers compare `extra` with, as Marker::text() writes it.
std::set<std::string> known_extras(const pypi::Facts& facts) {
  constexpr std::string_view begin = "extra == \"";
  std::set<std::string> result;
  for (const auto& dependency : facts.dependencies) {
    const auto text = dependency.marker ? dependency.marker->text() : "";
    for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
      const auto from = at + begin.size();
      result.insert(text.substr(from, text.find('"', from) - from));
    }
  }
  return result;
}

AskedExtras asked_extras(const End& end, const Pythons& pythons, std::size_t python, const LockedPackages& locked) {
  return AtEnd(end, pythons, python, locked).extras();
}

void add_likely_extras(End& end, const End& other, const Pythons& pythons, std::size_t python, const LockedPackages& locked,
                       std::vector<std::string>& notes) {
  for (bool more = true; more;) {  // what an extra adds may have some of its own
    const AtEnd known(end, pythons, python, locked);
    more = false;
    for (const auto& [name, version] : end.packages)
      for (const auto& extra : known.extras_of(name)) {
        const auto adds = known.adds(name, extra);
        const auto is_orphan = [&](const specs::Dependency* one) {
          return one->name != name && !other.packages.contains(one->name) && !known.is_required(one->name);
        };
        const auto orphan = std::ranges::find_if(adds, is_orphan);
        if (known.is_asked_for(name, extra) || orphan == adds.end() ||
            !std::ranges::all_of(adds, [&](const auto* one) { return is_met_at(end, *one); }))
          continue;
        end.extras[name].insert(extra);
        notes.push_back(fmt::format("{}: {}[{}] is taken to be asked for: all that it adds is there, and nothing else requires {}",
                                    end.text, name, extra, (*orphan)->name));
        more = true;
      }
  }
}

}  // namespace stackx::blame
