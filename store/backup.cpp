#include "store/backup.hpp"

#include "specs/format/draft.hpp"
#include "store/connection.hpp"
#include "store/mending/problems.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

void copy_to(const fs::path& file, const fs::path& copy) {
  Connection connection(file, Mode::read_only, steps());
  connection.run([&] {
    SQLite::Statement statement(connection.sqlite(), "VACUUM INTO ?");
    statement.bind(1, copy.string());
    statement.exec();
  });
}

// The store that was copied is meant, which is where the damage is.
void require_sound(const fs::path& file, const fs::path& copy, const CheckProgress& progress) {
  const auto problems = problems_of(copy, Thoroughness::quick, progress);
  if (!problems.empty()) throw Connection::damaged(file, "its copy does not prove right, and `stackx db check` says where");
}

}  // namespace

std::uint64_t backup(const fs::path& file, const fs::path& to, const CheckProgress& progress) {
  refuse_place_of_another(to);
  const specs::Draft scratch(to, specs::Draft::Kind::directory);  // SQLite makes the file itself, and others beside it
  const auto copy = scratch.path() / "store.db";
  copy_to(file, copy);
  require_sound(file, copy, progress);
  specs::put_in_place(copy, to, specs::Existing::kept);
  return fs::file_size(to);
}

}  // namespace stackx::store
