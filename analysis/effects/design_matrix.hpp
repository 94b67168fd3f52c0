// Stacks as rows of a regression: a column for every version of every component, 1 where the stack
// holds it.
//
// Being absent is a version of its own, written "". All versions have their column, none is left out
// as the reference: the model (additive_model.hpp) asks for differences only, and what the data
// cannot tell apart it says.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"

namespace stackx::analysis {

// A component and the versions that were seen of it.
struct Factor {
  std::string component;
  std::vector<std::string> versions;  // in order; "" (absent) first
  bool ordered = true;                // as versions are; else the order is that of the alphabet
  std::vector<std::size_t> stacks;    // how many hold each
  std::size_t first_column = 0;       // of versions[0]; the others follow
};

class DesignMatrix {
 public:
  explicit DesignMatrix(const std::vector<specs::Stack>& stacks);

  const std::vector<Factor>& factors() const { return factors_; }  // by component
  std::size_t columns() const { return columns_; }
  const Factor& factor_of(std::size_t column) const;

  struct Row {
    std::vector<std::size_t> columns;  // that are 1
    std::vector<std::string> unknown;  // "mkl 2026.1", "libgomp absent": in none of the stacks
    std::size_t new_components = 0;    // of the unknown: components that none of them has at all
  };
  Row row(const specs::Stack& stack) const;

 private:
  std::vector<Factor> factors_;
  std::size_t columns_ = 0;
};

// As versions where all are (PEP 440), else as text in which numbers count as numbers; "" first.
std::vector<std::string> in_order(std::vector<std::string> versions);
bool are_versions(const std::vector<std::string>& texts);  // all of them, but ""

// "numpy 1.26", "mkl absent"
std::string level_text(const std::string& component, const std::string& version);

}  // namespace stackx::analysis
