// The steps that made the schema what it is, oldest first. FORMAT.md describes the result.
//
// A step is never changed after it landed: stores in the field have run it. A new schema is a new
// step.
#pragma once

#include <span>
#include <string_view>

namespace stackx::store {

class Connection;

struct Step {
  int version;            // user_version after the step
  std::string_view what;  // for messages
  std::string_view sql;
  // What SQL cannot say: after the `sql` of all steps, in the same transaction.
  void (*convert)(Connection&) = nullptr;
};

std::span<const Step> steps();

inline constexpr int application_id = 0x73746b78;  // "stkx", what file(1) and SQLite see of us

}  // namespace stackx::store
