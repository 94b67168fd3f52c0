// SQL that a user wrote, over the documented views (views.hpp): it can read, and nothing else.
//
// Three fences, each enough for what it guards: the file is opened read-only; an authorizer lets
// through SELECT over the views alone (no PRAGMA, ATTACH, temporary object or extension; of the tables
// behind them no more than a count(*), or what a CTE with a view's name asks for); a deadline stops
// what runs away.
// Its errors are the user's: one message with SQLite's reason and where to look.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace stackx::store {

struct BlobValue {
  std::string bytes;
};
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, BlobValue>;

struct SqlVisitor {
  std::function<void(const std::vector<std::string>& columns)> columns;  // once, first
  std::function<bool(const std::vector<SqlValue>& row)> row;             // false: enough
};

// One SELECT, WITH, VALUES or EXPLAIN of them. Throws Error(bad_input) for what is no such statement,
// for what it does wrong, and past `seconds` (0: no limit).
void read_only_sql(const std::filesystem::path& file, const std::string& sql, double seconds,
                   const SqlVisitor& visitor);

}  // namespace stackx::store
