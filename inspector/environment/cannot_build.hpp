// Why a stack cannot be made ready to run, as an outcome of its inspections.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "inspector/python/wheels.hpp"
#include "specs/result/outcome.hpp"

namespace stackx::inspector {

struct CannotBuild {
  specs::Outcome outcome;  // build_failed, unsupported
  std::string reason, log_tail;
};

inline std::unexpected<CannotBuild> unsupported(std::string reason) {
  return std::unexpected(CannotBuild{specs::Outcome::unsupported, std::move(reason), ""});
}

inline std::unexpected<CannotBuild> cannot(const BuildFailure& failure) {
  return std::unexpected(CannotBuild{failure.outcome, failure.reason, failure.log_tail});
}

}  // namespace stackx::inspector
