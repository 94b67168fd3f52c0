#include "store/scan.hpp"

#include <fmt/format.h>

namespace stackx::store {
namespace {

struct Visit {
  const std::function<void(const Passing&)>& visit;
  std::exception_ptr thrown;  // SQLite is C: nothing may pass through it
};

void step(sqlite3_context* context, int, sqlite3_value** values) {
  auto& visit = *static_cast<Visit*>(sqlite3_user_data(context));
  if (visit.thrown) return;
  try {
    visit.visit(Passing(values));
  } catch (...) {
    visit.thrown = std::current_exception();
    sqlite3_result_error(context, "stopped", -1);
  }
}

void finish(sqlite3_context* context) { sqlite3_result_null(context); }

}  // namespace

void gather(SQLite::Database& database, std::string_view columns, std::string_view from,
            const std::optional<std::string>& parameter,
            const std::function<void(const Passing&)>& visit) {
  Visit state{visit, nullptr};
  sqlite3* handle = database.getHandle();
  const int result =
      sqlite3_create_function_v2(handle, "stackx_gather", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                 &state, nullptr, step, finish, nullptr);
  if (result != SQLITE_OK) throw SQLite::Exception(handle, result);
  try {
    Scan scan(database, fmt::format("SELECT stackx_gather({}) {}", columns, from));
    if (parameter) scan << std::string_view(*parameter);
    scan.finish();
  } catch (const SQLite::Exception&) {
    if (!state.thrown) throw;
  }
  if (state.thrown) std::rethrow_exception(state.thrown);
}

}  // namespace stackx::store
