// What lies between two ends, against the definition read aloud: all states, each judged by itself.
#include <catch2/catch.hpp>

#include <algorithm>

#include "blame/between/packages.hpp"
#include "resolver/resolver.hpp"
#include "specs/random.hpp"
#include "tests/blame/between/groups_in_words.hpp"
#include "tests/cases.hpp"

namespace between_packages_tests {

using namespace stackx;
using namespace stackx::blame;
using test::message;
using test::names;
using test::Names;
using Catch::Matchers::Contains;

namespace {

constexpr const char* platform = "linux x86_64";

// What a version requires: "b >=2; extra == 'x'".
using Requires = std::map<std::string, std::map<std::string, std::vector<std::string>>>;  // name -> version -> requirements

End end_of(const std::string& text, std::map<std::string, std::string> packages,
           std::map<std::string, std::set<std::string>> extras = {}, const std::string& python = "") {
  End end;
  end.text = text;
  end.packages = std::move(packages);
  end.extras = std::move(extras);
  end.python = python;
  return end;
}

LockedPackages known(const std::vector<End>& ends, const Pythons& pythons, const Requires& all) {
  LockedPackages result;
  for (const auto& end : ends)
    for (const auto& [name, version] : end.packages) {
      pypi::Facts facts;
      if (const auto of = all.find(name); of != all.end())
        if (const auto found = of->second.find(version); found != of->second.end())
          for (const auto& text : found->second) facts.dependencies.push_back(*specs::parse_dependency(text));
      auto& package = result[name][version];
      package.on.assign(pythons.size(), OnPython{facts});
      package.artifacts = {{specs::ArtifactType::wheel, name + "-" + version + "-py3-none-any.whl", "00", 1, {}, {}, {}, {}}};
    }
  return result;
}

Between between(const End& old_end, const End& new_end, const Requires& all) {
  const auto pythons = pythons_of(old_end, new_end, "3.11", platform);
  return between_locked(old_end, new_end, pythons, known({old_end, new_end}, pythons, all));
}

}  // namespace

TEST_CASE("between packages: what requires each other changes together, what leads it first") {
  const auto all = between(
      end_of("OLD", {{"torch", "2.3.1"}, {"triton", "2.3.1"}, {"numpy", "1.26.4"}, {"six", "1.16.0"}}),
      end_of("NEW", {{"torch", "2.4.0"}, {"triton", "3.0.0"}, {"numpy", "2.0.0"}, {"six", "1.16.0"}}),
      {{"torch", {{"2.3.1", {"triton==2.3.1", "six", "numpy<2"}}, {"2.4.0", {"triton==3.0.0; python_version >= '3.8'", "gone"}}}},
       {"triton", {{"2.3.1", {"six>=1"}}}}});
  CHECK(names(all) == Names{{"torch", "triton"}, {"numpy"}});
  CHECK(all.groups[0].because == std::vector<std::string>{"torch 2.3.1 requires triton ==2.3.1", "torch 2.4.0 requires triton ==3.0.0"});
  CHECK(all.groups[1].needs == std::vector<std::size_t>{0});
  CHECK(all.valid_stacks == "3");
  CHECK(all.notes == std::vector<std::string>{"required and at neither end: gone"});
  CHECK(all.stack({true, false}).components ==
        std::map<std::string, std::string>{
            {"numpy", "1.26.4"}, {"python", "3.11"}, {"six", "1.16.0"}, {"torch", "2.4.0"}, {"triton", "3.0.0"}});
  CHECK_FALSE(resolver::violation(all.project, all.catalog, all.stack({true, false})));
  const auto wrong = resolver::violation(all.project, all.catalog, all.stack({false, true}));
  REQUIRE(wrong);
  CHECK(*wrong == "torch 2.3.1 needs numpy ==1.26.4");
  CHECK(all.catalog.find("torch")->find("2.4.0")->artifacts.size() == 1);
}

TEST_CASE("between packages: what is at one end alone belongs to the one that requires it, is shared, or free") {
  const Requires all{{"torch", {{"2", {"nccl", "jinja"}}}}, {"jax", {{"2", {"jinja"}}}}, {"nccl", {{"2", {"driver-api"}}}}};
  const auto found = between(end_of("OLD", {{"torch", "1"}, {"jax", "1"}}),
                             end_of("NEW", {{"torch", "2"}, {"jax", "2"}, {"nccl", "2"}, {"jinja", "2"}, {"driver-api", "2"},
                                            {"rich", "2"}}), all);
  CHECK(names(found) == Names{{"jinja"}, {"jax"}, {"rich"}, {"torch", "driver-api", "nccl"}});
  CHECK(found.groups[3].because == std::vector<std::string>{"torch 2 requires nccl", "driver-api 2 is there for nccl 2 alone",
                                                            "nccl 2 requires driver-api", "nccl 2 is there for torch 2 alone"});
  CHECK(found.groups[1].needs == std::vector<std::size_t>{0});
  CHECK(found.groups[3].needs == std::vector<std::size_t>{0});
  CHECK(found.valid_stacks == "10");  // jinja old: neither of both; new: any; and rich as it likes
  CHECK_FALSE(found.stack({true, false, false, false}).components.contains("rich"));
  CHECK(found.stack({true, false, true, false}).components.contains("rich"));
}

TEST_CASE("between packages: what an end breaks itself holds for nobody, and is told") {
  const auto found = between(end_of("OLD", {{"tf", "1"}, {"numpy", "1.26"}}), end_of("new.lock", {{"tf", "2"}, {"numpy", "2.1"}}),
                             {{"tf", {{"2", {"numpy<2", "numpy>=1"}}}}});
  CHECK(found.notes == std::vector<std::string>{"new.lock breaks: tf 2 requires numpy <2; nothing is held to it"});
  CHECK(found.valid_stacks == "4");
  const auto both = between(end_of("OLD", {{"tf", "1"}, {"numpy", "1.26"}}), end_of("NEW", {{"tf", "1"}, {"numpy", "2.1"}}),
                            {{"tf", {{"1", {"numpy<1"}}}}});
  CHECK(both.notes == std::vector<std::string>{"OLD and NEW break: tf 1 requires numpy <1; nothing is held to it"});
}

TEST_CASE("between packages: local builds are told apart") {
  const auto found = between(end_of("OLD", {{"torch", "2.4.0"}, {"vision", "1"}}),
                             end_of("NEW", {{"torch", "2.4.0+cu121"}, {"vision", "2"}}), {{"vision", {{"1", {"torch===2.4.0"}}}}});
  CHECK(names(found) == Names{{"vision"}, {"torch"}});
  CHECK(found.valid_stacks == "3");
}

TEST_CASE("between packages: equal versions in other words are no change") {
  const auto found = between(end_of("OLD", {{"a", "1.0"}, {"b", "1"}}), end_of("NEW", {{"a", "1.0.0"}, {"b", "2"}}), {});
  REQUIRE(found.changes.size() == 1);
  CHECK(found.changes[0].component == "b");
}

TEST_CASE("between packages: an extra that the other end did not ask for ties versions together") {
  const Requires all{{"jax", {{"1", {"jaxlib", "cuda; extra == 'cuda'"}}, {"2", {"jaxlib"}}}}, {"app", {{"2", {"jax[cuda]"}}}}};
  const auto found = between(end_of("OLD", {{"jax", "1"}, {"jaxlib", "1"}, {"app", "1"}}),
                             end_of("NEW", {{"jax", "2"}, {"jaxlib", "2"}, {"app", "2"}}), all);
  CHECK(found.groups.at(1).because.empty());
  CHECK(names(found) == Names{{"jax"}, {"app"}, {"jaxlib"}});
  CHECK(found.groups[1].needs == std::vector<std::size_t>{0});
}

TEST_CASE("between packages: what a version has no wheel for goes with the Python") {
  const auto old_end = end_of("OLD", {{"numpy", "1.21.0"}, {"six", "1"}, {"tomli", "2"}}, {}, "3.9");
  const auto new_end = end_of("NEW", {{"numpy", "2.1.0"}, {"six", "2"}}, {}, "3.13.1");
  const auto pythons = pythons_of(old_end, new_end, "", platform);
  REQUIRE(pythons.size() == 2);
  auto locked = known({old_end, new_end}, pythons, {{"six", {{"1", {"tomli; python_version < '3.11'"}}}}});
  locked.at("numpy").at("1.21.0").on[1].fault = "has no wheel for Python 3.13.1";
  locked.at("six").at("2").on[0].fault = "requires Python >=3.10";
  const auto found = between_locked(old_end, new_end, pythons, locked);
  CHECK(names(found) == Names{{"numpy"}, {"python"}, {"six", "tomli"}});
  CHECK(found.groups[1].needs == std::vector<std::size_t>{0});
  CHECK(found.groups[2].needs == std::vector<std::size_t>{0, 1});
  CHECK(found.stack({true, true, false}).components.at("python") == "3.13.1");
  CHECK(*resolver::violation(found.project, found.catalog, found.stack({false, true, false})) ==
        "numpy 1.21.0 needs python ==3.9");
}

TEST_CASE("between packages: of two words for one Python the more exact counts") {
  const auto python = [](const std::string& a, const std::string& b) {
    std::string result;
    for (const auto& one : pythons_of(end_of("", {}, {}, a), end_of("", {}, {}, b), "3.12", platform)) result += one.python() + " ";
    return result;
  };
  CHECK(python("3.11", "3.11.2") == "3.11.2 ");
  CHECK(python("3.11.2", "3.11") == "3.11.2 ");
  CHECK(python("", "3.9") == "3.9 ");
  CHECK(python("", "") == "3.12 ");
  CHECK(python("3.1", "3.11") == "3.1 3.11 ");
  CHECK(python("3.11.2", "3.11.4") == "3.11.2 3.11.4 ");
}

TEST_CASE("between packages: two ends that are the same have nothing between them") {
  const auto found = between(end_of("A", {{"a", "1"}}), end_of("B", {{"a", "1"}}), {});
  CHECK(found.changes.empty());
  CHECK(found.valid_stacks == "1");
  CHECK(found.stack({}).components == std::map<std::string, std::string>{{"a", "1"}, {"python", "3.11"}});
}

namespace {

// The definition, over all states; what is valid, of one Python.
class Oracle {
 public:
  Oracle(const End& old_end, const End& new_end, const Requires& all, const Between& found)
      : ends_{old_end, new_end}, all_(all), changes_(found.changes) {
    for (const bool end : {false, true}) find_extras(end);
    if (change("python")) return;
    for (std::size_t state = 0; state < states(); ++state)
      if (holds(state)) valid_.push_back(state);
    while (add_presence()) {
    }
  }

  std::size_t states() const { return std::size_t{1} << changes_.size(); }
  const std::vector<std::size_t>& valid() const { return valid_; }
  bool always_equal(std::size_t a, std::size_t b) const {
    return std::ranges::all_of(valid_, [&](std::size_t s) { return is_new(s, a) == is_new(s, b); });
  }
  bool needs(std::size_t a, std::size_t b) const {  // where a is new, b is
    return std::ranges::all_of(valid_, [&](std::size_t s) { return !is_new(s, a) || is_new(s, b); });
  }

  // Would pip check be content, but for what an end breaks itself? Extras as far as somebody in the stack asks for them.
  bool is_right(std::size_t state) const {
    std::set<std::pair<std::string, std::string>> asked;
    for (const auto& [name, version] : packages())
      if (const auto held = version_in(state, name); !held.empty()) {
        asked.emplace(name, "");
        for (const bool end : {false, true})
          if (is_at(end, name, held))
            for (const auto& extra : own(end, name))
              if (!is_at(!end, name, held) || own(!end, name).contains(extra)) asked.emplace(name, extra);
      }
    for (std::size_t before = 0; before != asked.size();) {
      before = asked.size();
      for (const auto& [name, extra] : std::set(asked))
        for (const auto& one : dependencies(state, name, version_in(state, name), extra)) {
          if (version_in(state, one.name).empty() || is_broken_anyhow(name, version_in(state, name), extra, one)) continue;
          asked.emplace(one.name, "");
          for (const auto& other : one.extras) asked.emplace(one.name, other);
        }
    }
    for (const auto& [name, extra] : asked)
      for (const auto& one : dependencies(state, name, version_in(state, name), extra))
        if (one.name != name && !is_met(state, one) && !is_broken_anyhow(name, version_in(state, name), extra, one)) return false;
    return true;
  }

 private:
  static bool is_new(std::size_t state, std::size_t change) { return state >> change & 1; }
  std::map<std::string, int> packages() const {
    std::map<std::string, int> result;
    for (const auto& end : ends_)
      for (const auto& [name, version] : end.packages) result[name];
    return result;
  }
  std::optional<std::size_t> change(const std::string& name) const {
    const auto found = std::ranges::find(changes_, name, &Change::component);
    return found == changes_.end() ? std::nullopt : std::optional<std::size_t>(found - changes_.begin());
  }
  std::string at(bool end, const std::string& name) const {
    const auto found = ends_[end].packages.find(name);
    return found == ends_[end].packages.end() ? "" : found->second;
  }
  bool is_at(bool end, const std::string& name, const std::string& version) const { return !version.empty() && at(end, name) == version; }
  std::string version_in(std::size_t state, const std::string& name) const {
    const auto which = change(name);
    return at(which ? is_new(state, *which) : false, name);
  }
  std::size_t end_state(bool end) const { return end ? states() - 1 : 0; }
  std::set<std::string> own(bool end, const std::string& name) const {
    const auto found = ends_[end].extras.find(name);
    return found == ends_[end].extras.end() ? std::set<std::string>{} : found->second;
  }

  // Those of that state's Python.
  const std::vector<specs::Dependency>& dependencies(std::size_t state, const std::string& name, const std::string& version,
                                                     const std::string& extra) const {
    const auto which = change("python");
    const auto [known, is_first] = dependencies_.try_emplace({which && is_new(state, *which), name, version, extra});
    if (is_first) known->second = find_dependencies(state, name, version, extra);
    return known->second;
  }
  std::vector<specs::Dependency> find_dependencies(std::size_t state, const std::string& name, const std::string& version,
                                                   const std::string& extra) const {
    std::vector<specs::Dependency> result;
    const auto of = all_.find(name);
    if (of == all_.end() || !of->second.contains(version)) return result;
    for (const auto& text : of->second.at(version)) {
      auto one = *specs::parse_dependency(text);
      if (is_in_force(state, one, extra)) result.push_back(std::move(one));
    }
    return result;
  }
  bool is_in_force(std::size_t state, const specs::Dependency& one, const std::string& extra) const {
    const auto which = change("python");
    const auto& python = ends_[which && is_new(state, *which)].python;
    const auto plain = specs::MarkerEnvironment::for_python(python.empty() ? "3.11" : python, platform);
    auto with_extra = plain;
    with_extra.variables["extra"] = extra;
    return one.holds(with_extra) && (extra.empty() || !one.holds(plain));
  }

  void find_extras(bool end) {
    auto& asked = extras_[end];
    for (const auto& [name, extras] : ends_[end].extras)
      if (!at(end, name).empty()) asked[name].insert(extras.begin(), extras.end());
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, version] : ends_[end].packages) {
        auto with = asked[name];
        with.insert("");
        for (const auto& extra : with)
          for (const auto& one : dependencies(end_state(end), name, version, extra))
            if (!at(end, one.name).empty())
              for (const auto& other : one.extras) more |= asked[one.name].insert(other).second;
      }
    }
  }
  bool in_force(const std::string& name, const std::string& version, const std::string& extra) const {
    for (const bool end : {false, true})
      if (is_at(end, name, version)) {
        const auto found = extras_[end].find(name);
        if (found == extras_[end].end() || !found->second.contains(extra)) return false;
      }
    return true;
  }

  bool is_met(std::size_t state, const specs::Dependency& one) const {
    if (packages().count(one.name) == 0) return true;
    const auto held = version_in(state, one.name);
    return !held.empty() && one.versions.contains(*specs::Version::parse(held, specs::Versioning::pep440));
  }
  bool is_broken(const std::string& owner, const std::string& version, const specs::Dependency& one) const {
    for (const bool end : {false, true})
      if (is_at(end, owner, version) && !is_met(end_state(end), one)) return true;
    return false;
  }
  // For the definition of right: whoever is said to demand it, an end that has all that leads to it breaks it.
  bool is_broken_anyhow(const std::string& name, const std::string& version, const std::string& extra, const specs::Dependency& one) const {
    for (const bool end : {false, true}) {
      const auto found = extras_[end].find(name);
      const bool asked = extra.empty() || (found != extras_[end].end() && found->second.contains(extra));
      const auto state = end_state(end);
      if (asked && is_at(end, name, version) && is_in_force(state, one, extra) && !is_met(state, one)) return true;
    }
    return false;
  }

  bool holds(std::size_t state) const {
    for (const auto& [name, nothing] : packages()) {
      const auto version = version_in(state, name);
      if (version.empty()) continue;
      std::set<std::string> extras{""};
      for (const auto& asked : extras_)
        if (const auto found = asked.find(name); found != asked.end()) extras.insert(found->second.begin(), found->second.end());
      for (const auto& extra : extras) {
        std::set<std::pair<std::string, std::string>> seen;
        if ((extra.empty() || in_force(name, version, extra)) && !holds(state, name, name, extra, seen)) return false;
      }
    }
    return true;
  }

  // Of what `name` requires under the extra thanks to `owner`; what is direct of it is noted.
  bool holds(std::size_t state, const std::string& owner, const std::string& name, const std::string& extra,
             std::set<std::pair<std::string, std::string>>& seen) const {
    if (!seen.emplace(name, extra).second) return true;
    for (const auto& one : dependencies(state, name, version_in(state, name), extra)) {
      if (packages().count(one.name) == 0) continue;
      if (one.name != name) {
        if (is_broken(owner, version_in(state, owner), one)) continue;
        direct_.insert({owner, version_in(state, owner), one.name});
        if (!is_met(state, one)) return false;
      }
      const auto held = version_in(state, one.name);
      for (const auto& other : one.extras)
        if (!in_force(one.name, held, other) && (change(one.name) || !holds(state, owner, one.name, other, seen))) return false;
    }
    return true;
  }

  bool add_presence() {
    for (std::size_t c = 0; c < changes_.size(); ++c) {
      if (!changes_[c].is_one_sided()) continue;
      const bool end = changes_[c].old_version.empty();
      std::vector<std::size_t> together;
      bool loose = true;
      for (std::size_t i = 0; i < changes_.size(); ++i)
        if (always_equal(c, i)) {
          together.push_back(i);
          loose = loose && changes_[i].is_one_sided() && changes_[i].old_version.empty() == end;
        }
      std::set<std::size_t> by;
      for (const auto& [owner, version, required] : direct_)
        if (const auto i = change(owner), r = change(required);
            i && r && is_at(end, owner, version) && always_equal(c, *r) && !always_equal(c, *i))
          by.insert(*i);
      if (!loose || by.empty() || !std::ranges::all_of(by, [&](std::size_t i) { return always_equal(i, *by.begin()); })) continue;
      std::erase_if(valid_, [&](std::size_t s) { return is_new(s, c) == end && is_new(s, *by.begin()) != end; });
      return true;
    }
    return false;
  }

  End ends_[2];
  const Requires& all_;
  std::vector<Change> changes_;
  std::map<std::string, std::set<std::string>> extras_[2];
  mutable std::map<std::tuple<bool, std::string, std::string, std::string>, std::vector<specs::Dependency>> dependencies_;
  mutable std::set<std::tuple<std::string, std::string, std::string>> direct_;  // owner, its version, required
  std::vector<std::size_t> valid_;
};

struct MadeUp {
  End old_end, new_end;
  Requires all;
};

// `markers`: some requirements hold for one Python alone.
MadeUp make_up(std::uint64_t seed, bool markers = false) {
  specs::Random random(seed);
  const auto one_of = [&](std::uint64_t n) { return random.below(n) == 0; };
  MadeUp result{end_of("OLD", {}), end_of("NEW", {}), {}};
  const auto count = 3 + random.below(8);
  const auto density = 1 + random.below(3);
  std::vector<std::string> names;
  std::uint64_t changes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = names.emplace_back(1, static_cast<char>('a' + i));
    const auto kind = random.below(8);  // added, removed, unchanged, changed
    if (kind >= 2) result.old_end.packages[name] = "1";
    if (kind != 2) result.new_end.packages[name] = kind == 3 || kind == 4 ? "1" : "2";
    changes += kind != 3 && kind != 4;
  }
  if (changes == 0) result.new_end.packages[names[0]] = "3";
  for (const auto& name : names)
    for (const char* version : {"1", "2"})
      for (const auto& other : names) {
        if (!one_of(2 + 2 * density)) continue;
        std::string text = other;
        if (one_of(3)) text += one_of(2) ? "[x]" : "[y]";
        static constexpr const char* ranges[] = {"", "", ">=1", "==1", "==2", "<2", ">=2", "!=1"};
        // Mostly what its own end has, or hardly anything would hold.
        text += one_of(3) ? ranges[random.below(8)] : one_of(2) ? "" : "==" + std::string(version);
        std::string marker;
        if (one_of(3)) marker = one_of(2) ? "extra == 'x'" : "extra == 'y'";
        if (markers && one_of(3))
          marker += (marker.empty() ? "" : " and ") + std::string("python_version ") + (one_of(2) ? "<" : ">=") + " '3.10'";
        if (!marker.empty()) text += "; " + marker;
        result.all[name][version].push_back(text);
      }
  for (auto* end : {&result.old_end, &result.new_end})
    for (const auto& name : names)
      if (one_of(6)) end->extras[name].insert(one_of(2) ? "x" : "y");
  return result;
}

specs::Stack stack_of(const Between& all, const MadeUp& made_up, std::size_t state) {
  specs::Stack stack{{{"python", made_up.old_end.python.empty() ? "3.11" : made_up.old_end.python}}};
  for (const auto& [name, version] : made_up.old_end.packages) stack.components[name] = version;
  for (std::size_t i = 0; i < all.changes.size(); ++i) {
    const auto& version = all.changes[i].version(state >> i & 1);
    if (version.empty())
      stack.components.erase(all.changes[i].component);
    else
      stack.components[all.changes[i].component] = version;
  }
  return stack;
}

}  // namespace

TEST_CASE("between packages: groups, needs and count are those of the definition") {
  std::size_t stacks = 0, of = 0, groups = 0, changes = 0, with_notes = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(300, 20'000); ++seed) {
    const auto made_up = make_up(seed);
    const auto found = between(made_up.old_end, made_up.new_end, made_up.all);
    const Oracle oracle(made_up.old_end, made_up.new_end, made_up.all, found);
    INFO("seed " << seed);
    REQUIRE(found.valid_stacks == std::to_string(oracle.valid().size()));

    std::vector<std::size_t> group_of(found.changes.size(), found.groups.size());
    for (std::size_t g = 0; g < found.groups.size(); ++g)
      for (const auto i : found.groups[g].changes) group_of[i] = g;
    for (std::size_t a = 0; a < found.changes.size(); ++a)
      for (std::size_t b = 0; b < found.changes.size(); ++b) {
        REQUIRE((group_of[a] == group_of[b]) == oracle.always_equal(a, b));
        const auto& needs = found.groups.at(group_of[a]).needs;
        REQUIRE((group_of[a] == group_of[b] || std::ranges::binary_search(needs, group_of[b])) == oracle.needs(a, b));
        for (const auto other : needs) REQUIRE(other < group_of[a]);
      }

    std::size_t next = 0;
    for (std::size_t state = 0; state < oracle.states(); ++state) {
      const bool valid = next < oracle.valid().size() && oracle.valid()[next] == state;
      next += valid;
      const auto stack = stack_of(found, made_up, state);
      REQUIRE(resolver::violation(found.project, found.catalog, stack).has_value() == !valid);
      if (!valid) continue;
      REQUIRE(oracle.is_right(state));
      std::vector<bool> is_new;
      for (const auto& group : found.groups) is_new.push_back(state >> group.changes.front() & 1);
      REQUIRE(found.stack(is_new) == stack);
    }
    stacks += oracle.valid().size(), of += oracle.states();
    groups += found.groups.size(), changes += found.changes.size(), with_notes += !found.notes.empty();
  }
  // What is made up is neither all free nor all one.
  CHECK(stacks > of / 50);
  CHECK(stacks < of / 2);
  CHECK(groups > changes / 4);
  CHECK(groups < changes * 19 / 20);
  CHECK(with_notes > 20);
}

// Three together are strengthened to two: which stacks that costs is nobody's promise, that each of them is right is.
TEST_CASE("between packages: with two Pythons every stack between is right on its own") {
  std::size_t stacks = 0, right = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(100, 5'000); ++seed) {
    auto made_up = make_up(seed, true);
    made_up.old_end.python = "3.9";
    made_up.new_end.python = "3.11";
    const auto pythons = pythons_of(made_up.old_end, made_up.new_end, "", platform);
    auto locked = known({made_up.old_end, made_up.new_end}, pythons, made_up.all);
    specs::Random random(seed);
    std::set<std::pair<std::string, std::string>> without;  // a wheel for the other Python
    for (const bool is_new : {false, true})
      for (const auto& [name, version] : (is_new ? made_up.new_end : made_up.old_end).packages)
        if (locked.at(name).size() > 1 && random.below(5) == 0) {
          without.emplace(name, version);
          locked.at(name).at(version).on[!is_new] = {std::nullopt, "has no wheel"};
        }
    const auto found = between_locked(made_up.old_end, made_up.new_end, pythons, locked);
    const Oracle oracle(made_up.old_end, made_up.new_end, made_up.all, found);
    INFO("seed " << seed);
    std::size_t count = 0;
    for (std::size_t state = 0; state < oracle.states(); ++state) {
      auto stack = stack_of(found, made_up, state);
      const bool is_ours = !resolver::violation(found.project, found.catalog, stack);
      const bool on_new = stack.components.at("python") == "3.11";
      const bool has_wheels = std::ranges::none_of(without, [&](const auto& one) {
        const auto held = stack.components.find(one.first);
        return held != stack.components.end() && held->second == one.second &&
               (on_new ? made_up.new_end : made_up.old_end).packages.at(one.first) != one.second;
      });
      const bool is_right = has_wheels && oracle.is_right(state);
      right += is_right;
      if (!is_ours) continue;
      ++count;
      REQUIRE(is_right);
    }
    REQUIRE(found.valid_stacks == std::to_string(count));
    stacks += count;
  }
  CHECK(stacks > right / 4);
}

}  // namespace between_packages_tests
