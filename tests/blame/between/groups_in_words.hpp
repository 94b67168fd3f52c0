// What the tests of the ends and of what lies between them share.
#pragma once

#include <string>
#include <vector>

#include "blame/between/between.hpp"
#include "specs/error.hpp"

namespace stackx::test {

// Of each group the components that change.
using Names = std::vector<std::vector<std::string>>;
inline Names names(const blame::Between& all) {
  Names result;
  for (const auto& group : all.groups) {
    auto& some = result.emplace_back();
    for (const auto i : group.changes) some.push_back(all.changes[i].component);
  }
  return result;
}

// Of the Error that the work throws; "" if it throws none.
std::string message(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace stackx::test
