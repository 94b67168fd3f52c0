#include "store/connection.hpp"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fstream>
#include <ranges>
#include <thread>

#include "store/file_system.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

// A writer holds the lock for under a millisecond a document; only a stopped process makes others
// wait longer.
constexpr int busy_timeout_ms = 30'000;

std::string uri(const fs::path& file, std::string_view query) {
  std::string text = "file:";
  for (const char c : fs::absolute(file).string()) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("/._-").contains(c);
    text += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return fmt::format("{}?{}", text, query);
}

void require_file(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw bad_input(fmt::format("{}: a {}; expected a store file", file.string(),
                                fs::is_directory(status) ? "directory" : "pipe or device"));
}

// A rollback journal may name a further one, which SQLite then deletes: any file at all, if a stranger wrote the
// journal. Only transactions over several databases have one, and stackx makes none.
void refuse_super_journal(const fs::path& file) {
  constexpr std::string_view magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const auto journal = file.string() + "-journal";
  std::error_code missing;
  if (!fs::is_regular_file(journal, missing)) return;  // a pipe would be waited for; SQLite plays none
  std::ifstream stream(journal, std::ios::binary | std::ios::ate);
  const auto size = stream ? static_cast<std::streamoff>(stream.tellg()) : 0;
  if (size < 16) return;
  std::string end(magic.size(), '\0');
  stream.seekg(size - static_cast<std::streamoff>(end.size()));
  if (stream.read(end.data(), static_cast<std::streamsize>(end.size())) && end == magic)
    throw bad_input(fmt::format("{}: names another file, which SQLite would delete, and stackx writes no such journal; "
                                "remove it if the store came from somebody else", journal));
}

SQLite::Database open_for_writing(const fs::path& file) {
  make_directory(file.parent_path());
  return {file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms};
}

// A process that was killed while it made the store may leave a rollback journal, which only a writer
// can undo; where this one may not write, what follows says so.
void roll_back(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file.string() + "-journal", missing);
  if (missing || size == 0) return;
  try {
    SQLite::Database writer(file.string(), SQLite::OPEN_READWRITE, busy_timeout_ms);
    (void)writer.execAndGet("PRAGMA user_version");
  } catch (const SQLite::Exception&) {
  }
}

// A store in a directory that cannot be written has no place for SQLite's shared-memory file.
// Without a write-ahead log the file alone is the whole store, and nobody here can change it: open
// it as immutable.
// A store is asked by one thread at a time: SQLite's own locks took a tenth of what questions take.
SQLite::Database open_for_reading(const fs::path& file) {
  if (!fs::exists(file))
    throw bad_input(fmt::format("{}: no such store; `stackx inspect` makes one, --db names another",
                                file.string()));
  if (::access(file.c_str(), R_OK) != 0)
    throw broken_environment(
        fmt::format("{}: cannot be read; check its permissions", file.string()));
  roll_back(file);
  const fs::path directory = fs::absolute(file).parent_path();
  const bool fixed_directory = ::access(directory.c_str(), W_OK) != 0;
  const fs::path log = file.string() + "-wal";
  std::error_code ignored;
  const bool has_log = fs::exists(log) && fs::file_size(log, ignored) > 0;
  if (fixed_directory && !has_log)
    return {uri(file, "immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX, busy_timeout_ms};
  if (fixed_directory && !fs::exists(file.string() + "-shm"))
    throw broken_environment(
        fmt::format("{}: its last writer did not finish ({} is still there), and the directory "
                    "cannot be written; open the "
                    "store once where it can be, or copy both files elsewhere",
                    file.string(), log.string()));
  return {file.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, busy_timeout_ms};
}

// SQLite follows links to the file itself, and so does what is looked at before: else a journal would be played that
// nobody has seen.
SQLite::Database open(const fs::path& file, Mode mode) {
  require_file(file);
  const fs::path real = real_file(file);
  refuse_super_journal(real);
  try {
    return mode == Mode::read_write ? open_for_writing(real) : open_for_reading(real);
  } catch (const SQLite::Exception& error) {
    Connection::raise(file, error);
  }
}

// SQLite's processes share memory by mapping a file beside the store.
Error no_shared_memory(const fs::path& file, const std::string& why) {
  const FileSystem on = file_system_of(file);
  return broken_environment(fmt::format(
      "{}: {} cannot hold a store that several processes share ({}); put the store on a local disk "
      "(--db or $STACKX_DB){}",
      file.string(), on.name.empty() ? "this file system" : "a file system of type " + on.name, why,
      on.between_machines
          ? ", and bring machines' results together with `stackx export` and `stackx merge`"
          : ""));
}

// "disk I/O error" may mean a disk that is full, or a file system without locks or shared memory.
Error broken_disk(const fs::path& file, const SQLite::Exception& error) {
  std::error_code unknown;
  const fs::space_info space = fs::space(fs::absolute(file).parent_path(), unknown);
  if (!unknown && space.available < (1 << 20))
    return broken_environment(
        fmt::format("{}: the disk is full; nothing of this was stored", file.string()));
  const int code = error.getExtendedErrorCode();
  const bool shared_memory = code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMMAP ||
                             code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMLOCK;
  if (shared_memory || file_system_of(file).between_machines)
    return no_shared_memory(file, fmt::format("{} ({})", error.what(), code));
  return broken_environment(fmt::format(
      "{}: the disk or its file system fails: SQLite says: {} ({}); look into the system's log",
      file.string(), error.what(), code));
}

// Two processes that make a store at the same moment both switch its journal, where SQLite does not
// wait by itself.
void use_write_ahead_log(SQLite::Database& database, const fs::path& file) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms);
  for (;;) {
    try {
      const std::string mode = database.execAndGet("PRAGMA journal_mode=WAL").getString();
      if (mode == "wal") return;
      throw no_shared_memory(file, fmt::format("journal mode \"{}\" instead of \"wal\"", mode));
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

void configure(SQLite::Database& database, const fs::path& file, Mode mode) {
  if (mode == Mode::read_write && sqlite3_db_readonly(database.getHandle(), "main") == 1)
    throw broken_environment(
        fmt::format("{}: cannot be written; check its permissions", file.string()));
  // Nothing in a file that we did not write may run code or cost unbounded memory.
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, 1 << 28);
  database.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON");
}

// What SQLite keeps of a table, an index, a view or a trigger.
struct Object {
  std::string type, name, statement;
};

// What identifies a file; read in one transaction, because another process may be writing its first
// step.
struct Head {
  int owner, version;
  std::vector<Object> objects;  // not of other programs' files
  bool is_new() const { return owner == 0 && version == 0 && objects.empty(); }
};

// In place of a schema that cannot be read within the limits: as foreign as any that can.
std::vector<Object> beyond_limits(const SQLite::Exception& error) {
  if (error.getErrorCode() != SQLITE_TOOBIG && error.getErrorCode() != SQLITE_INTERRUPT) throw error;
  return {{"schema", error.what(), ""}};
}

std::vector<Object> read_objects(SQLite::Database& database) {
  const SchemaLimits limits(database);
  try {
    std::vector<Object> objects;
    SQLite::Statement rows(database, "SELECT type, name, sql FROM sqlite_schema");
    while (rows.executeStep())
      objects.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(), rows.getColumn(2).getString()});
    return objects;
  } catch (const SQLite::Exception& error) {
    return beyond_limits(error);
  }
}

Head read_head(SQLite::Database& database) {
  Head head{database.execAndGet("PRAGMA application_id").getInt(), database.execAndGet("PRAGMA user_version").getInt(),
            {}};
  if (head.owner == application_id || (head.owner == 0 && head.version == 0)) head.objects = read_objects(database);
  return head;
}

Head read_head_at_once(SQLite::Database& database) {
  const SQLite::Transaction snapshot(database);
  return read_head(database);
}

// Views, triggers, computed columns, checks, defaults, indexes on expressions: whatever SQLite runs by itself stands in
// the schema, so nothing stands there but what stackx writes.
void refuse_foreign_objects(const Head& head, const fs::path& file, std::span<const Step> steps) {
  const auto had = std::ranges::count_if(steps, [&](const Step& step) { return step.version <= head.version; });
  auto ours = objects_after(steps.first(static_cast<std::size_t>(had)));
  for (const Object& object : head.objects) {
    if (object.statement.empty() && object.name.starts_with("sqlite_autoindex_")) continue;  // of a UNIQUE
    const auto found = ours.find(object.name);
    if (found == ours.end() || found->second != without_space(object.statement))
      throw bad_input(fmt::format(
          "{}: its {} \"{}\" is not one that stackx makes: remove it if you made it; else do not use this store, and "
          "ask where it comes from; `stackx db salvage {}` saves the documents alone into a new one",
          file.string(), object.type, object.name, file.string()));
    ours.erase(found);
  }
}

// A new file, or one of ours; anything else is refused before a byte of it changes.
void check_head(const Head& head, const fs::path& file, std::span<const Step> steps) {
  if (head.is_new()) return;
  const int newest = steps.back().version;
  if (head.owner != application_id)
    throw bad_input(
        fmt::format("{}: an SQLite database of another program (application id {:#x}), not a "
                    "stackx store; choose another file "
                    "with --db",
                    file.string(), head.owner));
  if (head.version > newest)
    throw bad_input(
        fmt::format("{}: written by a newer stackx (schema {}; this one knows up to {}); update "
                    "stackx, or choose another file "
                    "with --db",
                    file.string(), head.version, newest));
  refuse_foreign_objects(head, file, steps);
}

[[noreturn]] void refuse_old(const Head& head, const fs::path& file, int newest) {
  if (head.is_new())
    throw bad_input(fmt::format("{}: an empty store: nothing was written to it yet, or all of it was lost; `stackx inspect` fills it",
                                file.string()));
  throw bad_input(fmt::format("{}: schema {} is older than this stackx's {}; open it once where it can be written", file.string(),
                              head.version, newest));
}

// All steps that are missing in one transaction: nobody sees a store between two schemas.
void run_steps(Connection& connection, std::span<const Step> steps) {
  SQLite::Database& database = connection.sqlite();
  // The lock comes first: another process may have done the steps while this one waited for it.
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const Head head = read_head(database);
  check_head(head, connection.file(), steps);
  const auto missing = [&](const Step& step) { return head.version < step.version; };
  for (const Step& step : steps | std::views::filter(missing)) database.exec(std::string(step.sql));
  // What converts writes rows as this stackx does, into the tables as they are at the end.
  for (const Step& step : steps | std::views::filter(missing))
    if (step.convert) step.convert(connection);
  database.exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id,
                            steps.back().version));
  transaction.commit();
}

// Pages that are missing at the end may be ones that nobody asks for: said here, for all.
void require_whole(SQLite::Database& database, const fs::path& file) {
  const std::int64_t pages = database.execAndGet("PRAGMA page_count").getInt64(),
                     size = database.execAndGet("PRAGMA page_size").getInt64();
  std::error_code unknown;
  const auto log = fs::file_size(real_file(file).string() + "-wal", unknown);
  if (!unknown && log > 0) return;  // the last pages stand there
  const auto bytes = static_cast<std::int64_t>(fs::file_size(file, unknown));
  if (!unknown && bytes < pages * size)
    throw Connection::damaged(file, fmt::format("it is cut short: {} of {} bytes are there", bytes,
                                                pages * size));
}

int stop(void*) { return 1; }

}  // namespace

// A function of 4 KiB takes some 0.1 ms; a store's own schema is read in some 600 of SQLite's steps.
SchemaLimits::SchemaLimits(SQLite::Database& database)
    : handle_(database.getHandle()),
      length_(sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, 4 << 10)),
      pattern_(sqlite3_limit(handle_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1)) {
  sqlite3_progress_handler(handle_, 20'000, stop, nullptr);
}

SchemaLimits::~SchemaLimits() {
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, length_);
  sqlite3_limit(handle_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, pattern_);
  sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
}

void remove_database(const fs::path& file) {
  std::error_code ignored;
  for (const char* companion : {"", "-wal", "-shm", "-journal"})
    fs::remove(file.string() + companion, ignored);
}

Connection::Connection(const fs::path& file, Mode mode, std::span<const Step> steps)
    : file_(file), mode_(mode), database_(open(file, mode)), identity_(identity_of(file)) {
  run([&] {
    configure(database_, file_, mode_);
    const int newest = steps.back().version;
    const Head head = read_head_at_once(database_);
    check_head(head, file_, steps);
    if (!head.is_new()) require_whole(database_, file_);
    if (mode_ == Mode::read_only && head.version < newest) refuse_old(head, file_, newest);
    if (mode_ == Mode::read_only) return;
    if (head.is_new()) database_.exec("PRAGMA page_size=8192");  // rows of some 250 bytes waste less
    use_write_ahead_log(database_, file_);
    database_.exec("PRAGMA synchronous=NORMAL");
    if (head.version < newest) run_steps(*this, steps);
  });
}

Cursor Connection::prepare(const char* sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end())
    found = statements_.emplace(sql, SQLite::Statement(database_, sql)).first;
  found->second.clearBindings();
  return Cursor(found->second);
}

void Connection::forget_statements() { statements_.clear(); }

void Connection::require_writable() const {
  if (mode_ == Mode::read_only)
    throw bad_input(fmt::format("{}: opened read-only; nothing can be stored in it", file_.string()));
}

bool Connection::is_in_place() const { return identity_of(file_) == identity_; }

Damaged Connection::damaged(const fs::path& file, const std::string& what) {
  return Damaged(
      fmt::format("{}: the store is damaged: {}. Nothing was changed. `stackx db salvage {}` saves "
                  "what is sound, and the result documents kept beside it, into a new store",
                  file.string(), what, file.string()));
}

void Connection::raise(const fs::path& file, const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
      throw bad_input(
          fmt::format("{}: not a stackx store (no SQLite database, or its head is damaged); choose "
                      "another file with --db",
                      file.string()));
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // our statements are constant: if one does not compile, the schema is
                        // damaged
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      throw damaged(file, error.what());
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw broken_environment(fmt::format(
          "{}: another process has held the store's lock for {} s; end it or try again later",
          file.string(), busy_timeout_ms / 1000));
    case SQLITE_FULL:
      throw broken_environment(
          fmt::format("{}: the disk is full; make room, then repeat this (a campaign with --resume)", file.string()));
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
      throw broken_disk(file, error);
    case SQLITE_READONLY:
      if (error.getExtendedErrorCode() == SQLITE_READONLY_ROLLBACK)
        throw broken_environment(fmt::format(
            "{}: its last writer was killed ({}-journal is still there); open the store once where "
            "it can be written, or copy both files elsewhere",
            file.string(), file.string()));
      throw broken_environment(
          fmt::format("{}: cannot be written; check its permissions", file.string()));
    case SQLITE_CANTOPEN:
      throw broken_environment(
          fmt::format("{}: cannot be opened; check the path and permissions", file.string()));
    default:
      throw broken_environment(fmt::format("{}: SQLite says: {}", file.string(), error.what()));
  }
}

Cursor& Cursor::operator<<(const Blob& blob) {
  statement_->bind(++bound_, static_cast<const void*>(blob.bytes.data()),
                   static_cast<int>(blob.bytes.size()));
  return *this;
}
Cursor& Cursor::operator<<(std::nullptr_t) {
  statement_->bind(++bound_);
  return *this;
}

}  // namespace stackx::store
