// check() on random worlds against an oracle that is written from the headers alone: brute force over all assignments,
// numbers instead of specifiers, many concrete drivers instead of classes of them.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>
#include <sstream>

#include "advisor/check/check.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "tests/advisor/known.hpp"
#include "tests/cases.hpp"

namespace check_property_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using specs::Json;
using specs::Random;
using Texts = std::vector<std::string>;

namespace {

// Versions as numbers, and ranges as people read them.

using Number = std::vector<int>;

Number number(const std::string& text) {
  Number result;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '.');) result.push_back(std::stoi(part));
  while (!result.empty() && result.back() == 0) result.pop_back();
  return result;
}
Number just_after(Number one) {
  one.resize(6);
  one.back() = 1;
  return one;
}
bool starts_with(const Number& one, const Number& prefix) {
  return one.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), one.begin());
}

struct Clause {
  std::string operation, text;  // ">=", "2.5"; "=*" is ==2.*
  bool holds(const Number& version) const {
    const auto bound = number(text);
    if (operation == "==") return version == bound;
    if (operation == "!=") return version != bound;
    if (operation == ">=") return version >= bound;
    if (operation == "<=") return version <= bound;
    if (operation == ">") return version > bound;
    if (operation == "<") return version < bound;
    if (operation == "=*") return starts_with(version, bound);
    return version >= bound && starts_with(version, {bound.front()});  // ~=2.5
  }
  std::string written() const { return operation == "=*" ? "==" + text + ".*" : operation + text; }
};

struct Range {
  std::vector<Clause> clauses;
  bool holds(const Number& version) const {
    return std::ranges::all_of(clauses, [&](const auto& one) { return one.holds(version); });
  }
  std::string written() const {
    Texts texts;
    for (const auto& one : clauses) texts.push_back(one.written());
    return fmt::format("{}", fmt::join(texts, ","));
  }
};

// A world, as its author knows it.

struct Need {
  std::string written, name;  // another name of the package, and its own
  Range range;
  bool here = true;  // its marker holds
};
struct Release {
  std::string version;
  bool installable = true;  // has a wheel for this Python
  bool read = true;         // somebody read what it requires
  std::vector<Need> needs;
  Json json;
};
struct Build {
  std::string cuda;
  Texts cubins, ptx;
  std::string minimum;
  bool known() const { return cuda == "none" || !cubins.empty() || !ptx.empty() || !minimum.empty(); }
};
struct Fact {
  std::string of;
  Texts versions;  // or
  Range range;
  std::optional<Build> build;
  std::map<std::string, Range> needs;
  bool soft = false;
};
struct Cuda {
  std::string driver, minor;
};
struct Drivers {
  std::map<std::string, Cuda> cuda;
  std::string since, last;
};
struct World {
  std::map<std::string, std::vector<Release>> packages;  // oldest first
  std::map<std::string, std::string> aliases;            // other name -> name
  std::vector<Fact> facts;                               // later ones win
  Drivers drivers;
  std::string capability, driver;  // "": no GPU; any driver
  std::vector<Need> roots, constraints;
};

const Texts kVersions{"1", "1.5", "2", "2.5", "3"};
const Texts kDrivers{"418.39", "450.80.02", "470", "470.57", "515.43", "525.60.13", "535", "560.28", "570.26", "575.51.03"};
const Texts kCapabilities{"3.7", "5.0", "6.1", "7.0", "7.5", "8.0", "8.6", "9.0", "10.0", "12.0"};
const Texts kCudas{"11.7", "11.8", "12.1", "12.6", "12.8"};

template <typename T>
const T& one_of(Random& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}
bool chance(Random& random, double share) { return random.unit() < share; }
Texts some_of(Random& random, Texts values, std::size_t least, std::size_t most) {
  random.shuffle(values);
  values.resize(least + random.below(most - least + 1));
  return values;
}

class Maker {
 public:
  Maker(std::uint64_t seed, Known& known) : random_(seed), known_(known) {}

  World run() {
    names_ = some_of(random_, {"torch", "tensorflow", "alpha", "beta", "gamma"}, 2, 5);
    if (chance(random_, 0.3)) world_.aliases["alef"] = names_.front();
    make_packages();
    if (chance(random_, 0.85)) world_.capability = one_of(random_, kCapabilities);
    make_facts();
    if (chance(random_, 0.5)) world_.driver = chance(random_, 0.8) ? one_of(random_, kDrivers) : "600.1";
    for (auto count = 1 + random_.below(3); count > 0; --count) world_.roots.push_back(need(0.05, 0.5));
    if (chance(random_, 0.2)) {
      world_.constraints.push_back(need(0.1, 0.9));
      world_.constraints.back().written = world_.constraints.back().name;
    }
    return std::move(world_);
  }

 private:
  Range range(double share) {
    if (!chance(random_, share)) return {};
    static const Texts operations{"==", "==", "!=", ">=", ">=", "<=", ">", "<", "<", "=*"};
    Range result{{{one_of(random_, operations), one_of(random_, kVersions)}}};
    if (chance(random_, 0.2)) result.clauses.push_back({one_of(random_, operations), one_of(random_, kVersions)});
    if (chance(random_, 0.05)) result = {{{"~=", chance(random_, 0.5) ? "1.5" : "2.5"}}};
    return result;
  }

  // `elsewhere`: how often of what no catalog holds
  Need need(double elsewhere, double restricted) {
    Need result;
    result.name = chance(random_, elsewhere) ? one_of(random_, Texts{"numpy", "pillow"}) : one_of(random_, names_);
    result.written = result.name;
    for (const auto& [alias, name] : world_.aliases)
      if (name == result.name && chance(random_, 0.5)) result.written = alias;
    result.range = range(restricted);
    return result;
  }

  std::vector<Need> needs(const std::string& of) {
    std::vector<Need> result;
    for (auto count = random_.below(4); count > 0; --count) {
      auto one = need(0.25, 0.6);
      if (one.name != of) result.push_back(std::move(one));
    }
    return result;
  }

  Release release(const std::string& of, const std::string& version) {
    Release result{version, true, true, needs(of), Json::object()};
    if (chance(random_, 0.5)) {
      result.json["wheels"]["any"] = "py3-none";
    } else {
      const bool old = chance(random_, 0.4), here = !old || chance(random_, 0.7);
      result.json["wheels"]["manylinux1_x86_64"] = fmt::format("{}{}", old ? "cp310-cp310 " : "", here ? "cp311-cp311" : "cp310-abi9");
      result.installable = here;
    }
    if (chance(random_, 0.1)) {
      const bool fits = chance(random_, 0.5);
      result.json["python"] = fits ? ">=3.8" : ">=3.12";
      result.installable = result.installable && fits;
    }
    result.read = !chance(random_, 0.05);
    auto list = Json::array();
    for (auto& one : result.needs) {
      std::string marker;
      if (chance(random_, 0.1)) {
        one.here = chance(random_, 0.5);
        marker = one.here ? "; python_version >= \"3.11\"" : "; python_version < \"3.11\"";
      }
      list.push_back(one.written + one.range.written() + marker);
    }
    if (result.read) result.json["requires"] = list;
    return result;
  }

  // Versions of the user's own: pure Python, one requirement a name, in the order of names.
  Release own_release(const std::string& of, const std::string& version) {
    Release result{version, true, true, {}, Json::object()};
    std::map<std::string, Need> sorted;
    for (auto& one : needs(of))
      if (std::ranges::none_of(sorted, [&](const auto& other) { return other.second.name == one.name; })) sorted[one.written] = one;
    result.json["requires"] = Json::object();
    for (auto& [written, one] : sorted) {
      result.json["requires"][written] = one.range.clauses.empty() ? "*" : one.range.written();
      result.needs.push_back(one);
    }
    if (chance(random_, 0.1)) {
      result.installable = chance(random_, 0.5);
      result.json["requires"]["python"] = result.installable ? "<3.12" : "<3.11";
    }
    return result;
  }

  void make_packages() {
    for (const auto& name : names_) {
      std::map<std::string, Release> listed;
      for (const auto& version : some_of(random_, kVersions, 1, 3)) listed.emplace(version, release(name, version));
      const bool only_own = chance(random_, 0.05);
      if (only_own) listed.clear();
      auto json = Json::object();
      for (const auto& [version, one] : listed) json[version] = one.json;
      if (!only_own) known_.package(name, json.dump());
      if (only_own || chance(random_, 0.25)) {
        const auto version = one_of(random_, kVersions);
        listed.insert_or_assign(version, own_release(name, version));
        own_[name] = {{"kind", "package"}, {"versions", {{version, listed.at(version).json}}}};
      }
      for (auto& [version, one] : listed) world_.packages[name].push_back(std::move(one));
      std::ranges::sort(world_.packages[name], {}, [](const auto& one) { return number(one.version); });
    }
    for (const auto& [alias, name] : world_.aliases) {
      if (!own_.contains(name)) own_[name] = {{"kind", "package"}, {"versions", Json::object()}};
      own_[name]["aliases"] = {alias};
    }
  }

  Build build() {
    if (chance(random_, 0.1)) return {"none", {}, {}, ""};
    Build result{one_of(random_, kCudas), {}, {}, ""};
    if (chance(random_, 0.1)) result.cuda = "any";
    if (chance(random_, 0.1)) result.minimum = one_of(random_, kCapabilities);
    if (chance(random_, 0.8)) result.cubins = some_of(random_, kCapabilities, 3, 8);
    if (chance(random_, 0.3)) result.ptx = some_of(random_, kCapabilities, 1, 2);
    return result;
  }

  static Json json(const Fact& fact) {
    Json result{{"of", fact.of}};
    if (fact.versions.empty())
      result["versions"] = fact.range.clauses.empty() ? "*" : fact.range.written();
    else
      result["versions"] = fact.versions;
    if (fact.build) {
      Json one{{"cuda", fact.build->cuda}, {"cubins", fact.build->cubins}, {"ptx", fact.build->ptx}};
      if (!fact.build->minimum.empty()) one["minimum"] = fact.build->minimum;
      result["built_for"] = one;
    }
    for (const auto& [name, range] : fact.needs) result["requires"][name] = range.written();
    if (fact.soft) result["soft"] = true;
    return result;
  }

  Fact fact(const std::string& of) {
    Fact result;
    result.of = of;
    if (chance(random_, 0.7))
      for (const auto& one : world_.packages.at(of)) {
        if (chance(random_, 0.7)) result.versions.push_back(one.version);
      }
    if (result.versions.empty()) result.range = range(0.5);
    if (chance(random_, 0.9)) result.build = build();
    if (chance(random_, 0.15))
      if (const auto one = need(0.2, 1); one.name != of) result.needs[one.name] = one.range;
    result.soft = chance(random_, 0.05);
    return result;
  }

  void make_facts() {
    Texts shipped, own;
    for (const auto& name : names_)
      for (auto count = random_.below(4); count > 0; --count) {
        world_.facts.push_back(fact(name));
        shipped.push_back(json(world_.facts.back()).dump());
      }
    make_drivers(shipped);
    if (chance(random_, 0.4)) {
      world_.facts.push_back(fact(one_of(random_, names_)));
      own.push_back(json(world_.facts.back()).dump());
    }
    known_.facts(fmt::format("{}", fmt::join(shipped, ", ")));
    if (!own.empty() || !own_.empty()) known_.overlay(fmt::format("{}", fmt::join(own, ", ")), Json(own_).dump());
  }

  void make_drivers(Texts& facts) {
    std::map<std::string, std::string> minor;  // of a major: one rule
    for (const char* major : {"11", "12"})
      if (chance(random_, 0.7)) minor[major] = one_of(random_, kDrivers);
    for (const auto& cuda : kCudas) {
      if (chance(random_, 0.2)) continue;
      Cuda one{chance(random_, 0.9) ? one_of(random_, kDrivers) : "", chance(random_, 0.8) ? minor[cuda.substr(0, 2)] : ""};
      Json json{{"of", "cuda"}, {"versions", {cuda}}, {"driver", nullptr}};
      if (!one.driver.empty()) json["driver"] = one.driver;
      if (!one.minor.empty()) json["minor"] = one.minor;
      world_.drivers.cuda[cuda] = one;
      facts.push_back(json.dump());
    }
    if (world_.capability.empty()) return;
    if (chance(random_, 0.5)) {
      world_.drivers.since = one_of(random_, kDrivers);
      facts.push_back(Json{{"of", "driver"}, {"gpu", {world_.capability}}, {"since", world_.drivers.since}}.dump());
    }
    if (chance(random_, 0.3)) {
      world_.drivers.last = one_of(random_, Texts{"418", "470", "535", "580"});
      facts.push_back(Json{{"of", "driver"}, {"branch", world_.drivers.last}, {"last_for", {world_.capability}}}.dump());
    }
  }

  Random random_;
  Known& known_;
  World world_;
  Texts names_;
  std::map<std::string, Json> own_;
};

// What must come out.

struct Expected {
  Answer answer = Answer::unknown;
  bool installable = false;
  std::map<std::string, std::string> chosen;  // of what a catalog holds
  std::vector<Number> drivers;                // of those that are tried, where the answer is yes
};

class Oracle {
 public:
  explicit Oracle(const World& world) : world_(world) {}

  Expected run() {
    for (const auto& root : world_.roots)
      if (const auto held = world_.packages.find(root.name);
          held != world_.packages.end() &&
          std::ranges::none_of(held->second, [&](const auto& one) { return root.range.holds(number(one.version)); }))
        return {};
    discover();
    add_open();
    expected_.installable = choose({});
    if (!expected_.installable) {
      expected_.answer = Answer::no;
      return expected_;
    }
    for (const auto& [name, candidate] : chosen_)
      if (candidate->release) expected_.chosen[name] = candidate->release->version;
    judge();
    return expected_;
  }

  static std::vector<Number> tried_drivers() {
    std::vector<Number> result{{}, {390}, {600, 1}, {9999}};
    auto texts = kDrivers;
    for (const char* next : {"419", "471", "536", "581"}) texts.emplace_back(next);
    for (const auto& text : texts) {
      result.push_back(number(text));
      result.push_back(just_after(number(text)));
      auto below = number(text);
      --below.back();
      below.push_back(999);
      result.push_back(below);
    }
    return result;
  }

 private:
  struct Candidate {
    Number version;
    const Release* release = nullptr;  // none: of what no catalog holds
    std::vector<Need> needs;
  };

  // The last fact that says something decides.
  Fact about(const std::string& name, const std::string& version) const {
    Fact whole;
    for (const auto& one : world_.facts) {
      if (one.of != name) continue;
      const bool meant = one.versions.empty() ? one.range.holds(number(version))
                                              : std::ranges::find(one.versions, version) != one.versions.end();
      if (!meant) continue;
      if (one.build) whole.build = one.build;
      if (!one.needs.empty()) whole.needs = one.needs;
      whole.soft = whole.soft || one.soft;
    }
    return whole;
  }

  std::vector<Need> needs_of(const std::string& name, const Release& release) const {
    std::vector<Need> result;
    if (!release.read) return result;
    for (const auto& one : release.needs)
      if (one.here) result.push_back(one);
    for (const auto& [other, range] : about(name, release.version).needs) result.push_back({other, other, range, true});
    return result;
  }

  // Breadth first: who is asked for, then what each of the versions that somebody allows needs, old ones first.
  void discover() {
    std::deque<Need> waiting;
    std::set<std::pair<std::string, std::string>> seen;
    const auto want = [&](const Need& one) {
      if (seen.insert({one.name, one.range.written()}).second) waiting.push_back(one);
    };
    for (const auto& root : world_.roots) want(root);
    for (; !waiting.empty(); waiting.pop_front()) {
      const auto wish = waiting.front();
      if (std::ranges::find(order_, wish.name) == order_.end()) order_.push_back(wish.name);
      auto& candidates = candidates_[wish.name];
      const auto held = world_.packages.find(wish.name);
      if (held == world_.packages.end()) continue;
      for (const auto& release : held->second) {
        const auto version = number(release.version);
        const auto same = [&](const auto& one) { return one.version == version; };
        if (!wish.range.holds(version) || std::ranges::any_of(candidates, same)) continue;
        candidates.push_back({version, &release, needs_of(wish.name, release)});
        for (const auto& one : candidates.back().needs) want(one);
      }
    }
  }

  // All that is asked of a package by anything that could be installed.
  std::vector<Range> demands(const std::string& name) const {
    std::vector<Range> result;
    for (const auto* list : {&world_.roots, &world_.constraints})
      for (const auto& one : *list)
        if (one.name == name) result.push_back(one.range);
    for (const auto& [other, candidates] : candidates_)
      for (const auto& candidate : candidates)
        for (const auto& one : candidate.needs)
          if (one.name == name) result.push_back(one.range);
    return result;
  }

  // Any version may exist of what no catalog holds; it matters where no version suits all.
  void add_open() {
    for (const auto& name : order_) {
      if (world_.packages.contains(name)) continue;
      std::set<Number> points{{}};
      const auto ranges = demands(name);
      for (const auto& range : ranges)
        for (const auto& clause : range.clauses) {
          const auto bound = number(clause.text);
          auto next = bound;
          ++next.back();
          points.insert({bound, just_after(bound), next, {bound.front() + 1}});
        }
      const bool silent = std::ranges::any_of(points, [&](const auto& point) {
        return std::ranges::all_of(ranges, [&](const auto& range) { return range.holds(point); });
      });
      if (silent)
        silent_.insert(name);
      else
        for (const auto& point : points) candidates_[name].push_back({point, nullptr, {}});
    }
    std::erase_if(order_, [&](const auto& name) { return silent_.contains(name); });
    for (auto& [name, candidates] : candidates_) {
      std::erase_if(candidates, [](const auto& one) { return one.release && !one.release->installable; });
      std::ranges::sort(candidates, std::ranges::greater(), &Candidate::version);
    }
  }

  bool allows(const Need& need) const {
    if (silent_.contains(need.name)) return true;
    const auto found = chosen_.find(need.name);
    return found == chosen_.end() || need.range.holds(found->second->version);  // or not decided yet
  }

  bool consistent() const {
    for (const auto& root : world_.roots)
      if (!allows(root)) return false;
    for (const auto& [name, candidate] : chosen_) {
      for (const auto& one : candidate->needs)
        if (!allows(one)) return false;
      for (const auto& one : world_.constraints)
        if (one.name == name && !one.range.holds(candidate->version)) return false;
    }
    return true;
  }

  // What is needed and not decided yet, in the order of discovery.
  Texts next_level() const {
    std::set<std::string> needed;
    for (const auto& root : world_.roots) needed.insert(root.name);
    for (const auto& [name, candidate] : chosen_)
      for (const auto& one : candidate->needs) needed.insert(one.name);
    Texts level;
    for (const auto& name : order_)
      if (needed.contains(name) && !chosen_.contains(name)) level.push_back(name);
    return level;
  }

  // Level by level, the newest first: what is found first is the choice.
  bool choose(const Texts& level) {
    if (!consistent()) return false;
    if (level.empty()) {
      const auto next = next_level();
      return next.empty() || choose(next);
    }
    const auto& name = level.front();
    for (const auto& candidate : candidates_[name]) {
      chosen_[name] = &candidate;
      if (choose(Texts(level.begin() + 1, level.end()))) return true;
    }
    chosen_.erase(name);
    return false;
  }

  bool asked(const std::string& name) const {
    return std::ranges::any_of(world_.roots, [&](const auto& one) { return one.name == name; });
  }

  // What somebody who names it wants a GPU for.
  static bool is_framework(const std::string& name) { return name == "torch" || name == "tensorflow"; }

  enum class Reach { none, cubin, ptx };
  Reach reach(const Build& build) const {
    const auto device = number(world_.capability + ".0");  // 9.0 and 9 alike
    const auto major = [](const Number& one) { return one.front(); };
    for (const auto& text : build.cubins)
      if (const auto one = number(text); major(one) == major(device) && one <= device) return Reach::cubin;
    if (!build.minimum.empty() && number(build.minimum) <= device) return Reach::cubin;
    for (const auto& text : build.ptx)
      if (number(text) <= device) return Reach::ptx;
    return Reach::none;
  }

  std::string least_driver(const std::string& cuda, Reach reach) const {
    if (cuda == "any") return "";
    if (const auto found = world_.drivers.cuda.find(cuda); found != world_.drivers.cuda.end()) {
      if (reach == Reach::cubin && !found->second.minor.empty()) return found->second.minor;
      if (!found->second.driver.empty()) return found->second.driver;
    }
    for (const auto& [release, one] : world_.drivers.cuda)
      if (release.substr(0, 2) == cuda.substr(0, 2) && !one.minor.empty()) return one.minor;
    return "";
  }

  void judge() {
    const bool none_held = std::ranges::none_of(world_.roots, [&](const auto& one) { return world_.packages.contains(one.name); });
    if (world_.capability.empty()) {
      expected_.answer = none_held ? Answer::unknown : Answer::yes;
      return;
    }
    std::vector<Number> least;
    std::set<std::string> for_cpus, used, unstated;
    bool runs = true, framework_used = false;
    for (const auto& [name, version] : expected_.chosen) {
      const auto fact = about(name, version);
      if (fact.build && fact.build->known() && fact.build->cuda != "none") {
        framework_used = framework_used || is_framework(name);
        if (fact.soft) continue;
        used.insert(name);
        const auto how = reach(*fact.build);
        runs = runs && how != Reach::none;
        if (const auto one = least_driver(fact.build->cuda, how); !one.empty()) least.push_back(number(one));
      } else if (fact.build && fact.build->known()) {
        for_cpus.insert(name);
      } else if (std::ranges::any_of(world_.facts, [&](const auto& one) { return one.of == name && one.build && one.build->cuda != "none"; })) {
        unstated.insert(name);
      }
    }
    for (const auto& driver : world_.driver.empty() ? tried_drivers() : std::vector<Number>{number(world_.driver)}) {
      const bool known = world_.drivers.since.empty() || driver >= number(world_.drivers.since);
      const bool still = world_.drivers.last.empty() || driver.empty() || driver.front() <= std::stoi(world_.drivers.last);
      if (known && still && std::ranges::all_of(least, [&](const auto& one) { return driver >= one; })) expected_.drivers.push_back(driver);
    }
    runs = runs && !expected_.drivers.empty();
    const bool idle = std::ranges::any_of(for_cpus, [&](const auto& name) {
      return used.empty() || (is_framework(name) && (asked(name) || !framework_used));
    });
    expected_.answer = !runs || idle ? Answer::no : !unstated.empty() || used.empty() ? Answer::unknown : Answer::yes;
  }

  const World& world_;
  std::map<std::string, std::vector<Candidate>> candidates_;
  Texts order_;
  std::set<std::string> silent_;
  std::map<std::string, const Candidate*> chosen_;
  Expected expected_;
};

// As a specifier, for what says which drivers do.
bool says(const std::string& ranges, const Number& driver) {
  if (ranges == "any") return true;
  const auto version = *specs::Version::parse(driver.empty() ? "0" : fmt::format("{}", fmt::join(driver, ".")), specs::Versioning::pep440);
  std::size_t begin = 0;
  while (begin < ranges.size()) {
    const auto end = std::min(ranges.find(" or ", begin), ranges.size());
    const auto range = specs::SpecifierSet::parse(ranges.substr(begin, end - begin), specs::Versioning::pep440);
    REQUIRE(range);
    if (range->contains(version)) return true;
    begin = end + 4;
  }
  return false;
}

std::string contents(const Known& known) {
  std::string all;
  for (const auto& one : std::filesystem::recursive_directory_iterator(known.path())) {
    if (!one.is_regular_file()) continue;
    std::ifstream in(one.path());
    all += one.path().lexically_relative(known.path()).string() + ": " + std::string(std::istreambuf_iterator<char>(in), {}) + "\n";
  }
  return all;
}

std::map<std::string, std::string> held(const World& world, const Checked& checked) {
  std::map<std::string, std::string> result;
  for (const auto& [name, version] : checked.stack.components)
    if (world.packages.contains(name)) result[name] = version;
  return result;
}

Question question_of(const World& world) {
  const auto texts = [](const std::vector<Need>& needs) {
    Texts result;
    for (const auto& one : needs) result.push_back(one.written + one.range.written());
    return result;
  };
  auto result = world.capability.empty() ? question(texts(world.roots)) : on_gpu(texts(world.roots), world.capability, world.driver);
  result.constraints = question(texts(world.constraints)).asked;
  return result;
}

std::string asked_of(const World& world) {
  std::string text = fmt::format("compute capability \"{}\", driver \"{}\":", world.capability, world.driver);
  for (const auto& one : world.roots) text += " " + one.written + one.range.written();
  for (const auto& one : world.constraints) text += " -c " + one.written + one.range.written();
  return text;
}

}  // namespace

TEST_CASE("check: random worlds, as brute force has them") {
  std::map<Answer, int> seen;
  const auto count = stackx::test::cases(300, 5000);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Known known;
    const auto world = Maker(specs::derive_seed(7, "check", seed), known).run();
    const auto expected = Oracle(world).run();
    const auto files = contents(known), asked = asked_of(world);
    CAPTURE(seed, files, asked);
    Checked checked;
    REQUIRE_NOTHROW(checked = known.check(question_of(world)));
    CAPTURE(checked.text, checked.because);
    ++seen[expected.answer];
    REQUIRE(std::string(to_string(checked.answer)) == to_string(expected.answer));
    REQUIRE(held(world, checked) == expected.chosen);
    if (expected.answer != Answer::yes || world.capability.empty() || !world.driver.empty()) continue;
    CAPTURE(checked.driver);
    for (const auto& driver : Oracle::tried_drivers()) {
      CAPTURE(driver);
      REQUIRE(says(checked.driver, driver) == (std::ranges::find(expected.drivers, driver) != expected.drivers.end()));
    }
  }
  // The worlds are worth asking about.
  for (const auto answer : {Answer::yes, Answer::no, Answer::unknown}) {
    CAPTURE(to_string(answer));
    CHECK(seen[answer] > static_cast<int>(count) / 20);
  }
}

}  // namespace check_property_tests
