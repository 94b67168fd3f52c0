#include "store/store.hpp"

#include <cstdlib>

#include "specs/error.hpp"
#include "store/database.hpp"

namespace stackx::store {

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
const std::filesystem::path& Store::file() const { return database_->connection.file(); }
bool Store::is_in_place() const { return database_->connection.is_in_place(); }
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

bool is_of(const specs::Workload& workload, const WhoseResults& whose) {
  if (!whose) return true;
  return whose->empty() ? workload.program.empty() : workload.program.starts_with(*whose);
}

Store Store::open(const std::filesystem::path& file, Mode mode) {
  return Store(std::make_unique<Database>(Connection(file, mode, steps())));
}

std::optional<Store> Store::open_if_readable(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return std::nullopt;
  try {
    return open(file, Mode::read_only);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::filesystem::path default_path(const std::string& option) {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (!option.empty()) return option;
  if (const auto path = variable("STACKX_DB"); !path.empty()) return path;
  // XDG: a path that is not absolute is to be ignored.
  if (const auto data = variable("XDG_DATA_HOME"); data.is_absolute())
    return data / "stackx" / "stackx.db";
  const auto home = variable("HOME");
  if (!home.is_absolute())
    throw bad_input("no place for the store: HOME is not set; name a file with --db or $STACKX_DB");
  return home / ".local" / "share" / "stackx" / "stackx.db";
}

}  // namespace stackx::store
