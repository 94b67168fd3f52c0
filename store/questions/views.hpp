// The documented views that `stackx query --sql` reads: stable names and columns over tables that may
// change with the schema.
//
// They are TEMP views, made on the connection that asks: nothing of them stands in the file, so an
// old store needs no migration for a new view, and a hostile file cannot bring its own. VIEWS.md is
// what `stackx query --views` prints, kept equal by a test.
#pragma once

#include <span>
#include <string_view>
#include <vector>

struct sqlite3;

namespace stackx::store {

struct ViewColumn {
  std::string_view name, type, meaning;  // type: "text", "integer", "real", "blob"
};

struct View {
  std::string_view name, meaning;
  std::vector<ViewColumn> columns;
  std::string_view sql;  // a SELECT that gives these columns
};

struct SqlFunction {
  std::string_view call, meaning;  // "median_ns(samples)"
};

std::span<const View> views();
std::span<const SqlFunction> sql_functions();

// Both for this connection only. Throws SQLite::Exception.
void make_views(sqlite3* connection);
void add_sql_functions(sqlite3* connection);

}  // namespace stackx::store
