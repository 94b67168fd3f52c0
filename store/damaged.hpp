// The store's content is not what was written: `stackx db salvage` may help. Not: it cannot be opened, locked or written.
#pragma once

#include <string>

#include "specs/error.hpp"

namespace stackx::store {

class Damaged : public Error {
 public:
  explicit Damaged(const std::string& message) : Error(ErrorCode::environment, message) {}
};

}  // namespace stackx::store
