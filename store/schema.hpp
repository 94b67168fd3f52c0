// The steps that made the schema what it is, oldest first. FORMAT.md describes the result.
//
// A step is never changed after it landed, in no letter: stores in the field have run it, and a store's schema is
// compared with it. A new schema is a new step.
#pragma once

#include <map>
#include <span>
#include <string>
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

// The tables and indexes after these steps, each with the statement that SQLite then keeps of it, without white space.
// Of what a step alters it knows renamed tables and new columns.
std::map<std::string, std::string> objects_after(std::span<const Step> steps);
std::string without_space(std::string_view statement);

inline constexpr int application_id = 0x73746b78;  // "stkx", what file(1) and SQLite see of us

}  // namespace stackx::store
