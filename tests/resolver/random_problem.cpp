#include "tests/resolver/random_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "resolver/problem.hpp"
#include "specs/random.hpp"

namespace stackx::test {
namespace {

using specs::Requirement;
using specs::SpecifierSet;
using specs::Version;
using specs::Versioning;

class Generator {
 public:
  explicit Generator(std::uint64_t seed)
      : random_(seed), strict_(static_cast<unsigned>(random_.below(3))) {}

  Problem run() {
    declare();
    for (auto& name : components_)
      for (auto& entry : problem_.catalog.components[name].versions) fill(name, entry);
    roots();
    while (demanding(30)) problem_.project.pins.push_back(requirement(""));
    return std::move(problem_);
  }

 private:
  bool chance(unsigned percent) { return random_.below(100) < percent; }
  std::string number(unsigned most) { return std::to_string(1 + random_.below(most)); }
  template <typename T>
  const T& pick(const std::vector<T>& values) {
    return values[random_.below(values.size())];
  }

  // Loose problems have many stacks, strict ones often none.
  bool demanding(unsigned percent) { return chance(percent * (1 + strict_) / 3); }

  // Components first, so that requirements can name any of them, in any direction.
  void declare() {
    const auto wanted = 2 + random_.below(5);
    std::uint64_t assignments = 1;
    for (std::size_t i = 0; i < wanted; ++i) {
      const auto versions = 1 + (random_.below(8) != 0) + random_.below(3);
      if (assignments * (versions + 1) > 1500) break;
      assignments *= versions + 1;
      const std::string name(1, static_cast<char>('a' + i));
      components_.push_back(name);
      auto& component = problem_.catalog.components[name];
      component.name = name;
      for (std::size_t v = 1; v <= versions; ++v) {
        specs::VersionEntry entry;
        entry.version = *Version::parse(std::to_string(v), Versioning::pep440);
        component.versions.push_back(std::move(entry));
      }
    }
    names_ = components_;
    if (chance(60)) names_.push_back("virtual-x");
    if (chance(25)) names_.push_back("virtual-y");
    if (chance(4 * strict_)) names_.push_back("nobody");
  }

  void fill(const std::string& name, specs::VersionEntry& entry) {
    if (chance(70)) entry.attributes["level"] = number(3);
    if (chance(70)) {
      std::vector<std::string> flags;
      for (const char* flag : {"avx", "amx"})
        if (chance(70)) flags.push_back(flag);
      entry.attributes["flags"] = flags;
    }
    for (const auto& provided : names_)
      if (provided != name && provided != "nobody" &&
          chance(provided.starts_with("virtual") ? 15 + 10 * strict_ : 1))
        entry.provides[provided] = *Version::parse(number(3), Versioning::pep440);
    while (demanding(54)) entry.requires_.push_back(requirement(name));
    while (demanding(24)) entry.conflicts.push_back(requirement(name));
    while (demanding(35)) {
      specs::ConditionalRequirement conditional;
      do conditional.if_.push_back(requirement(name));
      while (chance(25));
      do conditional.then.push_back(requirement(name));
      while (chance(20));
      entry.requires_if.push_back(std::move(conditional));
    }
  }

  void roots() {
    do problem_.project.requires_.push_back(requirement(""));
    while (chance(75 - 20 * strict_));
    if (!chance(25)) return;
    const auto& component = problem_.catalog.components[pick(components_)];
    problem_.project.hardware[component.name] = pick(component.versions).version.text();
  }

  std::string range() {
    switch (random_.below(strict_ == 0 ? 20 : strict_ == 1 ? 12 : 8)) {
      case 0:
        return ">=" + number(3);
      case 1:
        return "<" + std::to_string(2 + random_.below(2));
      case 2:
        return "==" + number(3);
      case 3:
        return "!=" + number(3);
      case 4:
        return ">1,<=" + number(3);
      default:
        return "*";
    }
  }

  // Rarely about the component itself.
  Requirement requirement(const std::string& of) {
    Requirement result;
    do result.component = pick(names_);
    while (result.component == of && !chance(10));
    if (chance(6 + 4 * strict_)) {
      result.attribute = chance(50) ? "level" : "flags";
      if (result.attribute == "flags") {
        const std::string flag = chance(50) ? "avx" : "amx";
        result.constraint.any.push_back({SpecifierSet::any(Versioning::pep440), {flag}});
        result.constraint.text = "contains " + flag;
        return result;
      }
    }
    do {
      const auto text = range();
      result.constraint.any.push_back({*SpecifierSet::parse(text, Versioning::pep440), {}});
      result.constraint.text += (result.constraint.text.empty() ? "" : " or ") + text;
    } while (chance(12));
    return result;
  }

  specs::Random random_;
  unsigned strict_;
  Problem problem_;
  std::vector<std::string> components_, names_;
};

// Makes some versions pre-releases or yanked, and has some requirements name them.
class Shy {
 public:
  explicit Shy(std::uint64_t seed) : random_(~seed) {}

  Problem made(Problem problem) {
    for (auto& [name, component] : problem.catalog.components)
      for (auto& entry : component.versions) {
        if (random_.below(4) == 0) hide(entry);
        change(entry.requires_);
        change(entry.conflicts);
        for (auto& conditional : entry.requires_if) change(conditional.if_), change(conditional.then);
      }
    change(problem.project.requires_);
    change(problem.project.pins);
    for (auto& [name, version] : problem.project.hardware)
      if (!problem.catalog.components.at(name).find(version)) version += "b1";
    return problem;
  }

 private:
  void hide(specs::VersionEntry& entry) {
    if (random_.below(3) == 0) {
      entry.by_name = specs::ByName::yanked;
      return;
    }
    entry.by_name = specs::ByName::prerelease;
    entry.version = *Version::parse(entry.version.text() + "b1", Versioning::pep440);
  }

  void change(std::vector<Requirement>& requirements) {
    constexpr const char* ranges[] = {">=1b1", ">=1b1", ">=2b1", "==1b1", "==2b1", "<=2b1", "!=2b1", "==2.*", "==2", "*", "*"};
    for (auto& requirement : requirements) {
      if (!requirement.attribute.empty() || random_.below(2) != 0) continue;
      const std::string text = ranges[random_.below(std::size(ranges))];
      auto& constraint = requirement.constraint;
      constraint.any.back().range = *SpecifierSet::parse(text, Versioning::pep440);
      constraint.text.clear();
      for (const auto& one : constraint.any)
        constraint.text += (constraint.text.empty() ? "" : " or ") + std::string(one.range.text().empty() ? "*" : one.range.text());
    }
  }

  specs::Random random_;
};

std::string list(const char* word, const std::vector<Requirement>& requirements) {
  std::string result;
  for (const auto& one : requirements) result += fmt::format("    {} {}\n", word, one.text());
  return result;
}

}  // namespace

bool must_be_named(const Problem& problem) {
  return std::ranges::any_of(problem.catalog.components, [](const auto& one) {
    return std::ranges::any_of(one.second.versions,
                               [](const auto& entry) { return entry.by_name != specs::ByName::no; });
  });
}

Problem random_problem(std::uint64_t seed) {
  auto problem = Generator(seed).run();
  return seed % 3 == 1 ? Shy(seed).made(std::move(problem)) : problem;
}

Problem only(const Problem& problem, const std::vector<resolver::Clause>& clauses) {
  using Kind = resolver::Clause::Kind;
  const auto says = [&](Kind kind, const std::string& component, const std::string& version,
                        const std::string& text) {
    return std::ranges::any_of(clauses, [&](const resolver::Clause& clause) {
      return clause.kind == kind && clause.component == component && clause.text == text &&
             (version.empty() ||
              std::ranges::find(clause.versions, version) != clause.versions.end());
    });
  };
  Problem result = problem;
  std::erase_if(result.project.requires_,
                [&](const auto& one) { return !says(Kind::root, "", "", one.text()); });
  std::erase_if(result.project.pins,
                [&](const auto& one) { return !says(Kind::pin, "", "", one.text()); });
  std::erase_if(result.project.hardware, [&](const auto& one) {
    return !says(Kind::hardware, "", "", one.first + " " + one.second);
  });
  for (auto& [name, component] : result.catalog.components)
    for (auto& entry : component.versions) {
      const auto& version = entry.version.text();
      std::erase_if(entry.requires_, [&](const auto& one) {
        return !says(Kind::requirement, name, version, one.text());
      });
      std::erase_if(entry.conflicts, [&](const auto& one) {
        return !says(Kind::conflict, name, version, one.text());
      });
      std::erase_if(entry.requires_if, [&](const auto& one) {
        return !says(Kind::condition, name, version, resolver::condition_text(one));
      });
    }
  return result;
}

std::string text(const Problem& problem) {
  std::string result = "project\n" + list("needs", problem.project.requires_);
  for (const auto& [name, version] : problem.project.hardware)
    result += fmt::format("    hardware {} {}\n", name, version);
  result += list("pin", problem.project.pins);
  for (const auto& [name, component] : problem.catalog.components)
    for (const auto& entry : component.versions) {
      result += fmt::format("{} {}{}\n", name, entry.version.text(),
                            entry.by_name == specs::ByName::no ? "" : std::string(" by name: ") + to_string(entry.by_name));
      for (const auto& [provided, version] : entry.provides)
        result += fmt::format("    provides {} {}\n", provided, version.text());
      for (const auto& [attribute, value] : entry.attributes)
        if (const auto* set = std::get_if<std::vector<std::string>>(&value)) {
          result += fmt::format("    {}", attribute);
          for (const auto& element : *set) result += " " + element;
          result += "\n";
        } else {
          result += fmt::format("    {} {}\n", attribute, std::get<std::string>(value));
        }
      result += list("requires", entry.requires_) + list("conflicts", entry.conflicts);
      for (const auto& conditional : entry.requires_if)
        result += "    " + resolver::condition_text(conditional) + "\n";
    }
  return result;
}

}  // namespace stackx::test
