#include "resolver/sat/sat.hpp"

#include <cryptominisat5/cryptominisat.h>

#include <cstdlib>

#include "specs/error.hpp"

namespace stackx::resolver {
namespace {

CMSat::Lit native(Literal literal) {
  return CMSat::Lit(static_cast<std::uint32_t>(std::abs(literal) - 1), literal < 0);
}

std::vector<CMSat::Lit> native(const Literals& literals) {
  std::vector<CMSat::Lit> result;
  for (const auto literal : literals) result.push_back(native(literal));
  return result;
}

}  // namespace

Sat::Sat() : solver_(std::make_unique<CMSat::SATSolver>()) {
  solver_->set_num_threads(1);
  solver_->set_seed(0);
  solver_->set_no_simplify();
  solver_->set_no_simplify_at_startup();
  solver_->set_no_bve();
  solver_->set_no_bva();
  solver_->set_sls(0);
  solver_->set_default_polarity(false);  // components are absent unless something needs them
}

Sat::~Sat() = default;

Literal Sat::variable() {
  solver_->new_var();
  return static_cast<Literal>(solver_->nVars());
}

void Sat::add(const Literals& clause) { solver_->add_clause(native(clause)); }

void Sat::add_parity(const Literals& variables, bool odd) {
  std::vector<unsigned> native;
  for (const auto variable : variables) native.push_back(static_cast<unsigned>(variable - 1));
  solver_->add_xor_clause(native, odd);
}

bool Sat::solve(const Literals& assumptions) {
  const auto native_assumptions = native(assumptions);
  const auto answer = solver_->solve(&native_assumptions);
  if (answer == CMSat::l_Undef)
    throw broken_environment(
        "the SAT solver gave up without an answer; please report this project");
  return answer == CMSat::l_True;
}

bool Sat::value(Literal literal) const {
  const auto value = solver_->get_model()[static_cast<std::size_t>(std::abs(literal) - 1)];
  return (value == CMSat::l_True) == (literal > 0);
}

// The solver gives the clause that it learnt: the negations.
Literals Sat::core() const {
  Literals result;
  for (const auto literal : solver_->get_conflict()) {
    const auto variable = static_cast<Literal>(literal.var()) + 1;
    result.push_back(literal.sign() ? variable : -variable);
  }
  return result;
}

}  // namespace stackx::resolver
