// No valid stack to measure: an answer, which commands give as `stackx resolve` does (exit code 1). Where nobody takes it for
// one, it is the Error that it is.
#pragma once

#include <string>

#include "resolver/resolver.hpp"
#include "specs/error.hpp"

namespace stackx::campaigns {

struct NoStack : Error {
  // `project`: by its name; `target` of a cluster, "" without one.
  NoStack(std::string project, std::string target, resolver::Unsolvable why)
      : Error(ErrorCode::bad_input, project + (target.empty() ? "" : ": target " + target) + ": no valid stack to measure.\n" + why.text()),
        project(std::move(project)),
        target(std::move(target)),
        why(std::move(why)) {}

  std::string project, target;
  resolver::Unsolvable why;
};

}  // namespace stackx::campaigns
