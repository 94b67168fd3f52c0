// A problem written down in a test: components as in a catalog, the rest as in a project.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "resolver/resolver.hpp"

namespace stackx::test {

class Given {
 public:
  // `components`: the inside of a catalog's "components"; `project`: the inside of a project
  // without name and catalogs, such as R"("requires": {"a": "*"})".
  Given(std::string_view components, std::string_view project);

  resolver::Resolver resolver(resolver::Limits limits = {}) const;
  // Every stack as "a 1, b 2". The list, the count and violation() must agree.
  std::set<std::string> stacks() const;
  resolver::Unsolvable clash() const;  // the test fails if there is a stack

  specs::Project project;
  specs::Catalog catalog;
};

std::string words(const specs::Stack& stack);

}  // namespace stackx::test
