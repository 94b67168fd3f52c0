// Exact answers about the stacks of a project: is there one, how many, why not, which.
//
// A stack maps components to versions such that (a) every root requirement and pin holds, (b) every requirement of
// every selected version holds, (c) no conflict holds, (d) everything selected is reachable from the roots along
// satisfied requirements. The engine behind this interface may change; the meaning and the answers may not.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "specs/project.hpp"
#include "specs/stack.hpp"

namespace stackx::resolver {

using BigInt = boost::multiprecision::cpp_int;

// Why there is no stack: clashing requirements, none of which can be left out.
struct Unsolvable {
  std::vector<std::string> clash;  // "root: blas *", "mkl 2024.2.2 needs cpu.isa contains avx2", ...
  std::string text() const;        // for a person
};

class Resolver {
 public:
  // `project.hardware` names versions that exist in `catalog` ("host" already replaced: see bind_host).
  Resolver(const specs::Project& project, const specs::Catalog& catalog);
  ~Resolver();
  Resolver(Resolver&&) noexcept;

  std::size_t components() const;     // reachable from the roots, virtual ones not counted
  BigInt raw_combinations() const;    // product of their numbers of versions
  BigInt count() const;
  std::optional<Unsolvable> explain() const;  // nothing if there is a stack

  // Calls `visit` with every stack once, in an order that is the same on every machine, until it returns false.
  void enumerate(const std::function<bool(const specs::Stack&)>& visit) const;

  // `count` different stacks (all, if there are fewer), uniformly at random: the same on every machine.
  std::vector<specs::Stack> sample(const specs::SamplerSpec& sampler) const;

  // For each component and version the number of stacks that hold it.
  std::map<std::string, std::map<std::string, BigInt>> shares() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

// Replaces hardware "host" by the machine at hand: adds its entry as a version of the component to the catalog
// (replacing an entry of the same name: attributes detected here beat those of a table).
void bind_host(specs::Project& project, specs::Catalog& catalog, const specs::Host& host);

// Checks one stack against the meaning above, straight from the definition and independent of any engine:
// what is wrong with it, or nothing. Used by tests and before an inspection.
std::optional<std::string> violation(const specs::Project& project, const specs::Catalog& catalog,
                                     const specs::Stack& stack);

}  // namespace stackx::resolver
