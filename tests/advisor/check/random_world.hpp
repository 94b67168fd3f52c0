// Random packages, facts and questions: as numbers, for the oracle, and as the files that check() reads.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "tests/advisor/known.hpp"

namespace check_property_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using specs::Json;
using specs::Random;
using Texts = std::vector<std::string>;

// Versions as numbers, and ranges as people read them.

using Number = std::vector<int>;

inline Number number(const std::string& text) {
  Number result;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '.');) result.push_back(std::stoi(part));
  while (!result.empty() && result.back() == 0) result.pop_back();
  return result;
}
inline Number just_after(Number one) {
  one.resize(6);
  one.back() = 1;
  return one;
}
inline bool starts_with(const Number& one, const Number& prefix) {
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

inline const Texts kVersions{"1", "1.5", "2", "2.5", "3"};
inline const Texts kDrivers{"418.39", "450.80.02", "470", "470.57", "515.43", "525.60.13", "535", "560.28", "570.26", "575.51.03"};
inline const Texts kCapabilities{"3.7", "5.0", "6.1", "7.0", "7.5", "8.0", "8.6", "9.0", "10.0", "12.0"};
inline const Texts kCudas{"11.7", "11.8", "12.1", "12.6", "12.8"};

template <typename T>
const T& one_of(Random& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}
inline bool chance(Random& random, double share) { return random.unit() < share; }
inline Texts some_of(Random& random, Texts values, std::size_t least, std::size_t most) {
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

}  // namespace check_property_tests
