// `check`: everything in the store is read and proved, one problem a line.
//
// Parts that need nothing of each other, each on a connection and in a transaction of its own, as many at once as
// there are cores: the file as SQLite sees it, shared rows, stretches of documents, plans, published results, the
// sums of each panel, counts. A document is put together, hashed and verified as if it came in (prepared.hpp).
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "specs/format/digest.hpp"
#include "store/database.hpp"
#include "store/published.hpp"
#include "store/questions/summary.hpp"

namespace stackx::store {
namespace {

using Problems = std::vector<std::string>;

constexpr std::size_t stretches = 64;           // of documents; less would leave cores idle at the end
constexpr std::uint64_t progress_every = 1024;  // documents

// What a part works with; a thread's own.
struct Worker {
  explicit Worker(const std::filesystem::path& file) : connection(file, Mode::read_only, steps()), shared(connection) {}
  Connection connection;
  SharedRows shared;
  Skeleton scratch;
};
using Part = std::function<void(Worker&, Problems&)>;

template <typename Work>
void note_errors(Connection& connection, Problems& problems, Work work) {
  try {
    connection.run(work);
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
}

void take(Problems& problems, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(problems));
}

void check_pages(Connection& connection, const char* sql, Problems& problems) {
  Cursor cursor = connection.prepare(sql);
  while (cursor.next())
    if (const std::string line = cursor.text(0); line != "ok")
      problems.push_back(fmt::format("{}: its pages do not fit together; SQLite says: {}", connection.file().string(), line));
}

void check_references(Connection& connection, Problems& problems) {
  std::map<std::string, std::size_t> dangling;  // by table
  for (Cursor cursor = connection.prepare("PRAGMA foreign_key_check"); cursor.next();) ++dangling[cursor.text(0)];
  for (const auto& [table, rows] : dangling)
    problems.push_back(fmt::format("{}: {}: what {} of its rows name is not there any more", connection.file().string(), table, rows));
}

void check_contexts(Connection& connection, Problems& problems) {
  Cursor cursor = connection.prepare("SELECT id, hash, document FROM contexts");
  while (cursor.next())
    if (hex_of(cursor.text(1)) != specs::sha256(cursor.text(2)))
      problems.push_back(fmt::format("{}: contexts: row {} is changed", connection.file().string(),
                                     cursor.integer(0)));
}

std::vector<std::string> texts(Connection& connection, const char* sql) {
  std::vector<std::string> result;
  Cursor cursor = connection.prepare(sql);
  while (cursor.next()) result.push_back(cursor.text(0));
  return result;
}

Problems wrong_counts(Connection& connection) {
  Problems problems;
  Cursor cursor = connection.prepare(
      "SELECT c.name, c.done, count(i.id), c.failed, count(i.id) FILTER (WHERE k.outcome <> 'ok') "
      "FROM campaigns c LEFT JOIN arms a ON a.campaign = c.id LEFT JOIN inspections i ON i.id "
      "BETWEEN a.id * 4096 AND a.id * 4096 + 4095 LEFT JOIN conditions k ON k.id = i.condition "
      "GROUP BY c.id");
  while (cursor.next())
    if (cursor.integer(1) != cursor.integer(2) || cursor.integer(3) != cursor.integer(4))
      problems.push_back(fmt::format(
          "{}: campaigns: {} counts {} inspections, {} failed; there are {}, {} failed",
          connection.file().string(), cursor.text(0), cursor.integer(1), cursor.integer(3),
          cursor.integer(2), cursor.integer(4)));
  return problems;
}

// The documents of all stretches: what they have in common is verified once, and progress is told.
class ProvedDocuments {
 public:
  ProvedDocuments(Thoroughness thoroughness, std::uint64_t all, const CheckProgress& progress)
      : thoroughness_(thoroughness), all_(all), progress_(progress) {}

  // Rows `low` to `high`.
  void check(Worker& worker, std::int64_t low, std::int64_t high, Problems& problems) {
    note_errors(worker.connection, problems, [&] {
      Cursor cursor = worker.connection.prepare(
          thoroughness_ == Thoroughness::quick
              ? "SELECT " STACKX_INSPECTION_COLUMNS " FROM inspections WHERE id BETWEEN ? AND ? AND key & 63 = 0"
              : "SELECT " STACKX_INSPECTION_COLUMNS " FROM inspections WHERE id BETWEEN ? AND ?");
      cursor << low << high;
      while (cursor.next()) {
        note_errors(worker.connection, problems, [&] { check(worker, cursor); });
        tell();
      }
    });
    worker.shared.forget_arms();
  }

 private:
  void check(Worker& worker, const Cursor& cursor) {
    const Sealed sealed =
        document_of(worker.connection, read_row(worker.connection, cursor, worker.shared));
    try {
      (void)reader_.prepare(sealed.document, fmt::format("inspection {}", sealed.id), worker.scratch);
    } catch (const Error& error) {
      throw Connection::damaged(worker.connection.file(), error.what());
    }
  }

  void tell() {
    if (++done_ % progress_every != 0 || !progress_) return;
    const std::lock_guard lock(mutex_);
    progress_(done_, all_);
  }

  Thoroughness thoroughness_;
  std::uint64_t all_;
  const CheckProgress& progress_;
  Reader reader_{specs::TextLengths::any};
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex mutex_;
};

// Where stretches end: rows of arms, so that a damaged row number makes no stretch of its own.
std::vector<std::int64_t> last_rows(Connection& connection) {
  std::vector<std::int64_t> arms, result;
  Cursor cursor = connection.prepare("SELECT id FROM arms ORDER BY id");
  while (cursor.next()) arms.push_back(cursor.integer(0));
  const std::size_t each = arms.size() / stretches + 1;
  for (std::size_t i = each; i < arms.size(); i += each) result.push_back(inspection_row(arms[i], 0) - 1);
  result.push_back(std::numeric_limits<std::int64_t>::max());
  return result;
}

std::uint64_t documents_in(Connection& connection) {
  Cursor cursor = connection.prepare("SELECT coalesce(sum(done), 0) FROM campaigns");
  return cursor.next() ? static_cast<std::uint64_t>(cursor.integer(0)) : 0;
}

// The longest first.
std::vector<Part> parts_of(Connection& connection, const Store& store, ProvedDocuments& documents,
                           Thoroughness thoroughness) {
  std::vector<Part> parts;
  const auto add = [&](auto work) {
    parts.push_back([work](Worker& worker, Problems& problems) {
      note_errors(worker.connection, problems, [&] { work(worker, problems); });
    });
  };
  const bool quick = thoroughness == Thoroughness::quick;
  add([quick](Worker& worker, Problems& problems) {
    check_pages(worker.connection, quick ? "PRAGMA quick_check" : "PRAGMA integrity_check", problems);
  });
  if (!quick) add([](Worker& worker, Problems& problems) { check_references(worker.connection, problems); });
  if (!quick)
    for (const Panel& panel : all_panels(connection))
      add([panel](Worker& worker, Problems& problems) {
        const SQLite::Transaction snapshot(worker.connection.sqlite());
        take(problems, wrong_summaries(worker.connection, worker.shared, panel));
      });
  add([](Worker& worker, Problems& problems) {
    const SQLite::Transaction snapshot(worker.connection.sqlite());
    take(problems, unsealed_rows(worker.connection));
  });
  add([](Worker& worker, Problems& problems) { check_contexts(worker.connection, problems); });
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t high : last_rows(connection)) {
    add([low, high, &documents](Worker& worker, Problems& problems) {
      documents.check(worker, low, high, problems);
    });
    low = high == std::numeric_limits<std::int64_t>::max() ? high : high + 1;
  }
  add([&store](Worker& worker, Problems& problems) {
    for (const std::string& id : texts(worker.connection, "SELECT name FROM campaigns WHERE plan IS NOT NULL"))
      note_errors(worker.connection, problems, [&] { (void)store.plan(id); });
  });
  add([](Worker& worker, Problems& problems) {
    take(problems, damaged_published(worker.connection, worker.shared));
  });
  add([](Worker& worker, Problems& problems) {
    const SQLite::Transaction snapshot(worker.connection.sqlite());
    take(problems, wrong_counts(worker.connection));
  });
  return parts;
}

// In the order of the parts.
Problems run(const std::vector<Part>& parts, const std::filesystem::path& file) {
  std::vector<Problems> found(parts.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      Worker worker(file);
      for (std::size_t part = next++; part < parts.size(); part = next++) parts[part](worker, found[part]);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
  Problems problems;
  for (Problems& some : found) take(problems, std::move(some));
  return problems;
}

}  // namespace

std::vector<std::string> Store::check(Thoroughness thoroughness, const CheckProgress& progress) const {
  Connection& connection = database_->connection;
  Problems problems;
  std::vector<Part> parts;
  std::uint64_t all = 0;
  note_errors(connection, problems, [&] { all = documents_in(connection); });
  ProvedDocuments documents(thoroughness, all, progress);
  note_errors(connection, problems, [&] { parts = parts_of(connection, *this, documents, thoroughness); });
  take(problems, run(parts, connection.file()));
  return problems;
}

}  // namespace stackx::store
