// What `stackx query --sql` prints: rows as they come for CSV, all of them at the end for a table and JSON.
#pragma once

#include <string>

#include "store/questions/read_only_sql.hpp"

namespace stackx::cli {

// `format`: table, csv or json. JSON is one document, {"columns": [...], "rows": [[...], ...]}, because
// columns may share a name. Blobs are hexadecimal; what is not UTF-8 is replaced.
void print_sql(const std::filesystem::path& file, const std::string& sql, double seconds,
               std::size_t limit, const std::string& format, bool colour);

}  // namespace stackx::cli
