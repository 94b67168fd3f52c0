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
// The engine behind this interface may change; the meaning and the answers may not. Today's is a
// memoised search over partial stacks (diagram.hpp), which beyond a limit of memory becomes plain
// enumeration.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "specs/hardware.hpp"
#include "specs/project.hpp"
#include "specs/stack.hpp"

namespace stackx::resolver {

using BigInt = boost::multiprecision::cpp_int;

// One thing that a project or a catalog demands.
struct Clause {
  enum class Kind { root, hardware, pin, requirement, condition, conflict };
  Kind kind = Kind::root;
  std::string component;              // who demands it; empty for roots, hardware and pins
  std::vector<std::string> versions;  // in which of its versions: all that say the same
  std::string text;                   // "cpu.isa contains avx2"
};

// Why there is no stack: clashing clauses, none of which can be left out.
struct Unsolvable {
  std::vector<Clause> clauses;     // the clash
  std::vector<std::string> clash;  // each clause in words, with the versions that the others leave
  std::vector<std::string> notes;  // what the clauses do not say: who provides a virtual component
  std::vector<std::string> fixes;  // roots, hardware and pins that give a stack when left out
  std::string text() const;        // for a person
};

struct Limits {
  std::size_t diagram_bytes = std::size_t{512} << 20;  // what the memoised search may keep
};

class Resolver {
 public:
  // `project.hardware` names versions that exist in `catalog` ("host" already replaced: see
  // bind_host); else Error(bad_input). Nothing of either is referred to afterwards.
  Resolver(const specs::Project& project, const specs::Catalog& catalog, Limits limits = {});
  ~Resolver();
  Resolver(Resolver&&) noexcept;
  Resolver& operator=(Resolver&&) noexcept;

  std::size_t components() const;   // reachable from the roots, virtual ones not counted
  BigInt raw_combinations() const;  // product of their numbers of versions
  BigInt count() const;
  std::optional<Unsolvable> explain() const;  // nothing if there is a stack

  // Calls `visit` with every stack once, in an order that is the same on every machine, until it
  // returns false.
  void enumerate(const std::function<bool(const specs::Stack&)>& visit) const;

  // `count` different stacks (all, if there are fewer), uniformly at random and in random order:
  // the same on every machine. Stratified: stacks without a provider of `by` are a stratum of their
  // own.
  std::vector<specs::Stack> sample(const specs::SamplerSpec& sampler) const;

  // For each component and version (of all components reachable) the number of stacks that hold it.
  std::map<std::string, std::map<std::string, BigInt>> shares() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

// Replaces hardware "host" by the machine at hand: adds its entry as a version of the component to
// the catalog, or merges it into the entry of the same name: attributes detected here beat those of
// a table. Known are cpu, gpu and driver.
void bind_host(specs::Project& project, specs::Catalog& catalog, const specs::Host& host);

// Checks one stack against the meaning above, straight from the definition and independent of any
// engine: what is wrong with it, or nothing. Used by tests and before an inspection.
std::optional<std::string> violation(const specs::Project& project, const specs::Catalog& catalog,
                                     const specs::Stack& stack);

}  // namespace stackx::resolver
