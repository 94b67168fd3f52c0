#include "store/mending/salvage.hpp"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "specs/format/draft.hpp"
#include "specs/format/json.hpp"
#include "store/connection.hpp"
#include "store/database.hpp"
#include "store/file_system.hpp"
#include "store/mending/raw_rows.hpp"
#include "store/mending/rows_1.hpp"
#include "store/published.hpp"
#include "store/spool.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_examples = 20;

// Files of this run, gone at its end.
struct Scratch {
  explicit Scratch(const fs::path& to) : draft(to, specs::Draft::Kind::directory) {}

  specs::Draft draft;
  const fs::path store = draft.path() / "store", rows = draft.path() / "rows", copy = draft.path() / "copy";
};

void refuse_existing(const fs::path& damaged, const fs::path& to) {
  std::error_code ignored;
  if (fs::equivalent(damaged, to, ignored))
    throw bad_input(
        fmt::format("{}: the damaged store itself; name a new file with -o", to.string()));
  refuse_place_of_another(to, " with -o");
}

// The damaged file, or a copy into which its write-ahead log was written back: the log holds what was
// committed last. SQLite can do that without understanding the pages; if it cannot, they are lost.
fs::path with_log(const fs::path& damaged, const Scratch& scratch, Salvage& result) {
  const fs::path log = real_file(damaged).string() + "-wal";
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(log, none)) || fs::file_size(log, none) == 0) return damaged;
  fs::copy_file(damaged, scratch.copy);
  fs::copy_file(log, scratch.copy.string() + "-wal");
  try {
    SQLite::Database database(scratch.copy.string(), SQLite::OPEN_READWRITE);
    const SchemaLimits limits(database);
    database.exec("PRAGMA trusted_schema=OFF");
    (void)database.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const SQLite::Exception& error) {
    result.remarks.push_back(
        fmt::format("{}: cannot be read any more ({}); what was written last may be in it",
                    log.string(), error.what()));
  }
  return scratch.copy;
}

std::vector<std::int64_t> row_numbers(Connection& connection, const char* sql) {
  std::vector<std::int64_t> rows;
  Cursor cursor = connection.prepare(sql);
  while (cursor.next()) rows.push_back(cursor.integer(0));
  return rows;
}

// The documents of the copied rows, one by one; those that cannot be put together are counted.
class Documents {
 public:
  Documents(const fs::path& rows, int schema, Salvage& result)
      : connection_(rows, Mode::read_only, tables_of(rows, schema)),
        schema_(schema),
        shared_(connection_),
        result_(result) {}

  std::uint64_t take_plans(Store& store) {
    const auto rows =
        row_numbers(connection_, "SELECT id FROM campaigns WHERE plan IS NOT NULL ORDER BY id");
    return take(store, rows, [&](std::int64_t row) {
      Cursor cursor = connection_.prepare("SELECT plan FROM campaigns WHERE id = ?");
      cursor << row;
      cursor.next();
      return cursor.text(0);
    });
  }

  std::uint64_t take_inspections(
      Store& store, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    const auto rows = row_numbers(connection_, "SELECT id FROM inspections ORDER BY id");
    return take(
        store, rows, [&](std::int64_t row) { return inspection(row); }, progress);
  }

  // Not those of sources that come with stackx: a new store has them anyway.
  std::uint64_t take_published(Store& store) {
    if (schema_ == 1) return 0;
    const auto rows =
        row_numbers(connection_,
                    "SELECT p.id FROM published p LEFT JOIN sources s ON s.id = p.source "
                    "WHERE s.seed IS NOT 1 ORDER BY p.id");
    return take(store, rows, [&](std::int64_t row) {
      return specs::canonical(specs::to_json(published_at(connection_, shared_, row)));
    });
  }

 private:
  // Schema 1 keeps other rows and is read as it is; later ones are brought forward.
  static std::span<const Step> tables_of(const fs::path& rows, int schema) {
    if (schema == 1) return steps().first(1);
    const Connection forward(rows, Mode::read_write, steps());
    return steps();
  }

  std::string inspection(std::int64_t id) {
    if (schema_ == 1) return document_of_schema_1(connection_, id);
    Cursor cursor =
        connection_.prepare("SELECT " STACKX_INSPECTION_COLUMNS " FROM inspections WHERE id = ?");
    cursor << id;
    if (!cursor.next()) throw Connection::damaged(connection_.file(), "a row is missing");
    return document_of(connection_, read_row(connection_, cursor, shared_)).document;
  }

  template <typename Read>
  std::uint64_t take(Store& store, const std::vector<std::int64_t>& rows, Read read,
                     const std::function<void(std::uint64_t, std::uint64_t)>& progress = {}) {
    std::size_t at = 0;
    const auto next = [&](std::string& line) {
      while (at < rows.size()) {
        try {
          line = connection_.run([&] { return read(rows[at]); });
          ++at;
          return true;
        } catch (const Error& error) {
          ++at;
          note(error.what());
        }
      }
      return false;
    };
    const Intake intake =
        store.take_in(next, connection_.file().string(), [&](std::uint64_t lines) {
          if (progress) progress(lines, rows.size());
        });
    for (const std::string& why : intake.reasons) note(why);
    const std::uint64_t saved = intake.inserted + intake.already_there;
    result_.lost += rows.size() - saved;
    return saved;
  }

  // What is wrong with the document, without what a damaged store's user is told to do.
  void note(std::string why) {
    if (result_.examples.size() >= most_examples) return;
    why = why.substr(0, why.find(". Nothing was changed."));
    constexpr std::string_view says = "the store is damaged: ";
    if (const auto at = why.find(says); at != why.npos) why.erase(0, at + says.size());
    result_.examples.push_back(specs::to_utf8(why));
  }

  Connection connection_;
  int schema_;
  SharedRows shared_;
  Salvage& result_;
};

}  // namespace

Salvage salvage(const fs::path& damaged, const fs::path& to,
                const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  refuse_existing(damaged, to);
  Salvage result;
  const Scratch scratch(to);
  const RawRows raw = copy_rows(with_log(damaged, scratch, result), scratch.rows);
  result.schema = raw.schema;
  result.pages = raw.pages;
  result.unreadable = raw.unreadable;
  std::error_code ignored;
  if (raw.rows == 0 && !fs::exists(Spool(damaged).directory(), ignored))
    throw bad_input(fmt::format(
        "{}: not a row of a stackx store is in it, and there is no {}; nothing can be saved",
        damaged.string(), Spool(damaged).directory().string()));
  {
    Store store = Store::open(scratch.store);
    Documents documents(scratch.rows, raw.schema, result);
    result.plans = documents.take_plans(store);
    result.inspections = documents.take_inspections(store, progress);
    result.published = documents.take_published(store);
    for (const std::string& remark : Spool(damaged).recover(store))
      result.remarks.push_back(remark);
  }
  specs::put_in_place(scratch.store, to, specs::Existing::kept);
  return result;
}

}  // namespace stackx::store
