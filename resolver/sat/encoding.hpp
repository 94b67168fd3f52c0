// A problem in clauses of truth values.
//
// Versions are encoded by order: for each component and version v one variable says that the
// version is v or an earlier one. So at most one version needs no clauses, and a range of versions
// is one literal, however many versions it has (rejected: a variable for each version, whose ranges
// and "at most one" take hundreds of clauses). Everything else is a function of these variables.
//
// A model meets (a) to (c) of resolver.hpp. That what is selected is also needed (d) is demanded
// only after require_founded(): each component has a clause that needs it, of another component;
// and where a model has a loop of components that support only each other, find() adds the clause
// that something outside supports the loop, and goes on (Lin and Zhao 2004). Rejected: levels for
// the components of cycles, which cost every question what few need.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "resolver/sat/founded.hpp"
#include "resolver/sat/sat.hpp"

namespace stackx::resolver {

class Encoding {
 public:
  // Selectable: each clause of the problem holds only where its selector() does. What a clause
  // supports does not depend on that.
  enum class Clauses { fixed, selectable };
  Encoding(const Problem& problem, Clauses clauses);

  void require_founded();

  // A choice that meets the assumptions; founded if that is required.
  std::optional<Choice> find(const Literals& assumptions = {});
  Literals core() const { return sat_.core(); }  // after find() gave nothing

  Literal selector(std::size_t clause) const { return selectors_[clause]; }
  Literal present(std::size_t component);
  Literal among(std::size_t component, const VersionSet& versions);  // it has one of these
  Literal is(std::size_t component, std::size_t version) {
    return run(component, version, version);
  }
  void forbid(const Choice& choice, Literals unless = {});  // unless one of these holds

  const Foundation& foundation() const { return foundation_; }
  Sat& sat() { return sat_; }

 private:
  Literal run(std::size_t component, std::size_t first, std::size_t last);
  Literal any(Literals literals);
  Literal all(Literals literals);
  Literal met(const Need& need);
  void add_order(std::size_t component);
  void add_slot(const Slot& slot);
  void add_clause(const CompiledClause& clause, Literals unless);
  void add_support(const std::vector<std::size_t>& components);
  void add_supports_of(std::size_t clause, const std::vector<std::size_t>& components,
                       Literals& supports);

  const Problem& problem_;
  Foundation foundation_;
  Sat sat_;
  bool founded_ = false;
  Literal never_;
  Literals selectors_;
  std::vector<Literals> until_;  // [component][version]: this version or an earlier one
  std::map<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>, Literal> runs_;
  std::map<Literals, Literal> any_, all_;
};

}  // namespace stackx::resolver
