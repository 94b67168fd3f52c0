#include "store/inventory.hpp"

#include <fmt/format.h>

#include <array>

#include "store/connection.hpp"
#include "store/file_system.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

struct Count {
  const char* what;
  const char* sql;
};

// Campaigns' own counts are maintained, so that no inspection is read.
constexpr std::array counted{
    Count{"inspections", "SELECT coalesce(sum(done), 0) FROM campaigns"},
    Count{"failed", "SELECT coalesce(sum(failed), 0) FROM campaigns"},
    Count{"campaigns", "SELECT count(*) FROM campaigns WHERE name <> ''"},
    Count{"plans", "SELECT count(*) FROM campaigns WHERE plan IS NOT NULL"},
    Count{"stacks", "SELECT count(*) FROM stacks"},
    Count{"workloads", "SELECT count(*) FROM workloads"},
    Count{"hosts", "SELECT count(*) FROM hosts"},
    Count{"devices", "SELECT count(*) FROM devices"},
    Count{"series", "SELECT count(*) FROM series"},
    Count{"sources", "SELECT count(*) FROM sources"},
    Count{"published", "SELECT count(*) FROM published"}};

std::uint64_t size_of(const fs::path& file) {
  std::error_code missing;
  const auto bytes = fs::file_size(file, missing);
  return missing ? 0 : bytes;
}

std::uint64_t ask(Connection& connection, const char* sql) {
  Cursor cursor = connection.prepare(sql);
  return cursor.next() ? static_cast<std::uint64_t>(cursor.integer(0)) : 0;
}

}  // namespace

std::uint64_t Inventory::count(const std::string& what) const {
  for (const auto& [name, number] : counts)
    if (name == what) return number;
  return 0;
}

Inventory inventory(const fs::path& file) {
  Connection connection(file, Mode::read_only, steps());
  return connection.run([&] {
    const FileSystem on = file_system_of(file);
    Inventory result;
    result.schema = static_cast<int>(ask(connection, "PRAGMA user_version"));
    result.file_bytes = size_of(file);
    result.log_bytes = size_of(real_file(file).string() + "-wal");
    result.free_bytes =
        ask(connection, "PRAGMA freelist_count") * ask(connection, "PRAGMA page_size");
    result.file_system = on.name;
    result.between_machines = on.between_machines;
    for (const Count& one : counted) result.counts.emplace_back(one.what, ask(connection, one.sql));
    return result;
  });
}

void compact(const fs::path& file) {
  Connection connection(file, Mode::read_write, steps());
  connection.run([&] {
    connection.sqlite().exec("VACUUM");
    connection.sqlite().exec("PRAGMA wal_checkpoint(TRUNCATE)");
  });
}

}  // namespace stackx::store
