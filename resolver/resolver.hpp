// Exact answers about the stacks of a project: is there one, how many, why not, which.
//
// A stack maps components to versions such that (a) every root requirement and pin holds, (b) every
// requirement of every selected version holds, (c) no conflict holds, (d) everything selected is
// reachable from the roots along satisfied requirements. What that means in the corners:
//
// - A name is held by the component of that name and by every selected version that provides it.
//   At most one component holds a name in a stack, required or not.
// - Conditions are judged on the whole stack: a conditional requirement whose condition holds there
//   leads to what it requires, as a plain one does, even where the condition holds only thanks to
//   that. A cycle of requirements that no root reaches supports nothing.
// - A requirement of a component on a name that it holds itself is met by itself. A conflict is
//   with other components only. A missing attribute satisfies nothing.
// - Leaving out a requirement, conflict, pin or root never makes a project unsolvable. So a clash
//   none of whose clauses can be left out explains why there is no stack.
//
// The engine behind this interface may change; the meaning and the answers may not. Today's
// eliminates the components one after the other (network/, tables/), once a project, and answers
// every question from the tables that this leaves. Only a project whose components are so entangled
// that the tables do not fit into memory cannot be counted; it can still be solved and explained.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/score.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/error.hpp"
#include "specs/hardware/hardware.hpp"
#include "specs/project/project.hpp"

namespace stackx::resolver {

using BigInt = boost::multiprecision::cpp_int;
using specs::Score;

// One thing that a project or a catalog demands, or that a question asks for: this version; or that versions were left out
// of the catalog, for the reason in `text`.
struct Clause {
  enum class Kind { root, hardware, pin, requirement, condition, conflict, asked, left_out };
  Kind kind = Kind::root;
  std::string component;              // who demands it; empty for roots, hardware, pins and asked
  std::vector<std::string> versions;  // in which of its versions: all that say the same
  std::string text;                   // "cpu.isa contains avx2"
};

// A clause of a clash in words, and those that come into play through it.
struct Reason {
  std::string text;
  std::vector<Reason> leads_to;
};

// Why there is no stack, or none with the version asked for: clashing clauses, none of which can be
// left out.
struct Unsolvable {
  std::vector<Clause> clauses;     // the clash
  std::vector<std::string> clash;  // each clause in words, with the versions that the others leave
  std::vector<Reason> tree;        // the same, from the roots down
  std::vector<std::string> so;     // which demands on a component exclude each other
  std::vector<std::string> notes;  // what the clauses do not say: who provides a virtual component
  std::vector<std::string> fixes;  // roots, hardware and pins that give a stack when left out
  std::string text() const;        // for a person
};

struct Limits {
  std::size_t bytes = std::size_t{4} << 30;  // what the engine may keep
  double seconds = 60;                       // what counting beyond that may take
};

// The tables of these components would outgrow the limit.
class TooEntangled : public Error {
 public:
  TooEntangled(const std::string& message, std::vector<std::string> components)
      : Error(ErrorCode::bad_input, message), components_(std::move(components)) {}
  const std::vector<std::string>& components() const { return components_; }

 private:
  std::vector<std::string> components_;
};

// How many stacks there are: counted to the end, or both proven.
struct StackCount {
  BigInt low, high;
  std::size_t counted = 1;  // parts of the space, each of them exactly
  std::size_t bounded = 0;  // parts that are between none and what an easier project has
  bool is_exact() const { return low == high; }
};

struct ComponentVersions {
  std::string name;
  std::vector<std::string> versions;  // as the catalog writes them, ascending
};

// A stack in numbers: for each of Resolver::components() the place of its version, or -1.
using Choice = std::vector<std::int32_t>;

// Of stacks that cannot be counted exactly.
struct ApproximateCount {
  BigInt estimate;
  BigInt low, high;  // hold the count with this confidence
  double confidence = 1;
  bool exact = false;  // then all three are the count
};

struct Cover {
  std::vector<specs::Stack> stacks;
  std::uint64_t combinations = 0;  // all that are valid; each is held by one of the stacks
};

// What needs the engine's tables throws TooEntangled where these would outgrow the limit: all but
// the names, the raw combinations, count_or_bounds(), enumerate(), explain(), count_approximately()
// and graph().
class Resolver {
 public:
  // `project.hardware` names versions that exist in `catalog` ("host" already replaced: see
  // bind_host); else Error(bad_input). Nothing of either is referred to afterwards.
  Resolver(const specs::Project& project, const specs::Catalog& catalog, Limits limits = {});
  ~Resolver();
  Resolver(Resolver&&) noexcept;
  Resolver& operator=(Resolver&&) noexcept;

  // Reachable from the roots, by name; virtual ones are none.
  const std::vector<ComponentVersions>& components() const;
  // The product of their numbers of versions; what has none can only be absent, and counts as one.
  BigInt raw_combinations() const;
  BigInt count() const;
  // Needs no tables. Bounds where Limits::seconds end first: how far apart depends on the machine.
  StackCount count_or_bounds() const;

  // For each component and version (of all components reachable) the number of stacks that hold it.
  std::map<std::string, std::map<std::string, BigInt>> shares() const;

  // Nothing if there is a stack.
  std::optional<Unsolvable> explain() const;
  // Why the version is in no stack; nothing if it is in one. Throws Error(bad_input) for components
  // and versions that the project does not know.
  std::optional<Unsolvable> explain(const std::string& component, const std::string& version) const;

  // From an easier project whose tables fit. The same for the same seed on every machine.
  ApproximateCount count_approximately(std::uint64_t seed) const;

  // The versions, what they require, and which are excluded and why, in Graphviz' language.
  std::string graph() const;

  // Calls `visit` with every stack once, in an order that is the same on every machine, until it
  // returns false. Without tables (TooEntangled) a SAT solver finds them, in another order, more
  // slowly the longer the list.
  void enumerate(const std::function<bool(const Choice&)>& visit) const;
  specs::Stack stack(const Choice& choice) const;

  // Independent uniform draws (a stack may come twice); the same on every machine. None if there is
  // no stack.
  void draw(std::uint64_t count, std::uint64_t seed,
            const std::function<void(const Choice&)>& visit) const;

  // Different stacks (all, if there are fewer) for a campaign. Uniform: every such set is equally
  // likely, in random order. Stratified: stacks without a provider of `by` are a stratum of their
  // own.
  std::vector<specs::Stack> sample(const specs::SamplerSpec& sampler) const;
  // Different stacks that are far apart: they differ in many components.
  std::vector<specs::Stack> apart(std::uint64_t count, std::uint64_t seed) const;

  // Stacks by descending sum of the scores of their versions, equals in the order of enumerate(),
  // until `visit` returns false.
  void best(const specs::Scores& scores,
            const std::function<bool(const Choice&, Score)>& visit) const;
  // What makes best() list the latest stacks first: minus one for each later version of the
  // component that is in any stack.
  specs::Scores lateness() const;

  // Stacks that hold every valid combination of `strength` (1 to 3) versions.
  Cover cover(unsigned strength, std::uint64_t seed) const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

// Replaces hardware "host" by the machine at hand: adds its entry as a version of the component to
// the catalog, or merges it into the entry of the same name: attributes detected here beat those of
// a table. Known are cpu, gpu and driver.
void bind_host(specs::Project& project, specs::Catalog& catalog, const specs::Host& host,
               std::size_t gpu = 0);

// What the project's campaign inspects: the stacks that it lists, with the project's hardware, each of them valid;
// else what its sampler draws. Throws Error(bad_input) that names the stack and what is wrong with it.
std::vector<specs::Stack> campaign_stacks(const Resolver& resolver, const specs::Project& project,
                                          const specs::Catalog& catalog);

// Checks one stack against the meaning above, straight from the definition and independent of any
// engine: what is wrong with it, or nothing. Used by tests and before an inspection.
std::optional<std::string> violation(const specs::Project& project, const specs::Catalog& catalog,
                                     const specs::Stack& stack);

}  // namespace stackx::resolver
