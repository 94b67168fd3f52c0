#include "resolver/sat/space.hpp"

#include "resolver/sat/encoding.hpp"

namespace stackx::resolver {

// No foundedness needed: what the roots reach in any choice is a stack (founded.hpp).
std::optional<Choice> SatSpace::first() const {
  Encoding encoding(problem_, Encoding::Clauses::fixed);
  const auto choice = encoding.find();
  if (!choice) return {};
  return encoding.foundation().founded_part(*choice);
}

void SatSpace::each(const std::function<bool(const Choice&)>& visit) const {
  Encoding encoding(problem_, Encoding::Clauses::fixed);
  encoding.require_founded();
  while (const auto stack = encoding.find()) {
    if (!visit(*stack)) return;
    encoding.forbid(*stack);
  }
}

}  // namespace stackx::resolver
