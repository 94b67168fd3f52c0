// Documents of JSON Lines at the speed of the disk: one thread reads lines, some verify them, this one
// writes, many to a transaction.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <thread>

#include "specs/format/brief.hpp"
#include "specs/format/json.hpp"
#include "store/database.hpp"
#include "store/questions/summary.hpp"

namespace stackx::store {
namespace {

constexpr std::size_t chunk_lines = 256;
constexpr std::size_t chunk_bytes = 8 << 20;
constexpr std::size_t chunks_ahead = 16;  // read or verified and not yet written
constexpr std::size_t bytes_ahead = 64 << 20;
constexpr std::size_t batch_documents = 10'000;  // a transaction holds the lock for under a second
constexpr std::size_t most_reasons = 1000;    // lines kept for the report

using Plain = std::variant<std::monostate, specs::Plan, specs::Published>;

struct Verified {
  std::uint64_t line = 0;
  std::optional<Prepared> inspection;
  Plain other;
  std::string error;  // why it is refused
  bool inserted = false;
};

struct Chunk {
  std::uint64_t first_line = 0;
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  bool end = false;
};

void verify_other(std::string_view text, const std::string& place, Verified& result) {
  const auto node = specs::Node::parse_text(text, place);
  const auto schema = node.at("$schema").text();
  if (schema == "stackx/plan/1")
    result.other = specs::plan_from(node);
  else if (schema == "stackx/published/1")
    result.other = specs::published_from(node);
  else
    node.at("$schema").fail(
        fmt::format("{} cannot be imported; expected stackx/inspection/1, stackx/plan/1 or "
                    "stackx/published/1; a document of a later version needs a later stackx",
                    schema));
}

Verified verify(Reader& reader, const std::string& text, const std::string& place,
                std::uint64_t line, Skeleton& scratch) {
  Verified result{line, {}, {}, {}, false};
  try {
    if (text.starts_with("{\"$schema\":\"stackx/inspection/1\"") ||
        specs::Node::parse_text(text, place).at("$schema").json() == "stackx/inspection/1")
      result.inspection = reader.prepare(text, place, scratch);
    else
      verify_other(text, place, result);
  } catch (const Error& error) {
    result.error = error.what();
  } catch (const std::bad_alloc&) {
    result.error = "there is too little memory to read it";
  }
  return result;
}

std::vector<Verified> verify(Reader& reader, const Chunk& chunk, const std::string& name) {
  std::vector<Verified> results;
  Skeleton scratch;
  results.reserve(chunk.lines.size());
  std::uint64_t line = chunk.first_line;
  for (const std::string& text : chunk.lines) {
    if (!text.empty()) results.push_back(verify(reader, text, name + ':' + std::to_string(line), line, scratch));
    ++line;
  }
  return results;
}

// A queue of chunks in the order of their lines: read in one thread, verified in others.
class Pipeline {
 public:
  Pipeline(Reader& reader, const std::function<bool(std::string&)>& next, std::string name)
      : reader_(reader), next_(next), name_(std::move(name)) {
    const unsigned cores = std::max(2U, std::thread::hardware_concurrency());
    threads_.reserve(cores);
    try {
      while (threads_.size() < cores) threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {  // no room for another stack: those that began do it
      if (threads_.empty()) throw;
    }
  }
  ~Pipeline() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pipeline(const Pipeline&) = delete;

  // The next chunk's documents, in order; none at the end. Throws what reading threw.
  std::optional<std::vector<Verified>> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || ended_; });
    if (ready_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return std::nullopt;
    }
    auto [chunk, bytes] = std::move(ready_.front());
    ready_.pop_front();
    bytes_ -= bytes;
    lock.unlock();
    changed_.notify_all();
    return chunk.get();
  }

 private:
  // Each thread reads a chunk, in turn, then verifies it beside the others.
  void work() {
    try {
      while (work_on_next()) {
      }
    } catch (...) {  // too little memory, for what a chunk needs around it
      {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        ended_ = true;
      }
      changed_.notify_all();
    }
  }

  bool work_on_next() {
    std::unique_lock reading(reading_);
    std::promise<std::vector<Verified>> promise;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ended_ || (ready_.size() < chunks_ahead && bytes_ < bytes_ahead); });
      if (stop_ || ended_) return false;
    }
    Chunk chunk = read();
    {
      const std::lock_guard lock(mutex_);
      if (!chunk.lines.empty()) ready_.emplace_back(promise.get_future(), chunk.bytes);
      bytes_ += chunk.bytes;
      ended_ = ended_ || chunk.end;
    }
    reading.unlock();
    changed_.notify_all();
    if (chunk.lines.empty()) return true;
    try {
      promise.set_value(verify(reader_, chunk, name_));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
    return true;
  }

  Chunk read() {
    Chunk chunk{line_, {}, 0, false};
    try {
      for (std::string line; chunk.lines.size() < chunk_lines && chunk.bytes < chunk_bytes;) {
        if (!next_(line)) {
          chunk.end = true;
          break;
        }
        chunk.bytes += line.size();
        chunk.lines.push_back(std::move(line));
        line.clear();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      chunk.end = true;
    }
    line_ += chunk.lines.size();
    return chunk;
  }

  Reader& reader_;
  const std::function<bool(std::string&)>& next_;
  std::string name_;
  std::mutex reading_, mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::future<std::vector<Verified>>, std::size_t>> ready_;
  std::size_t bytes_ = 0;  // of the lines behind them
  bool ended_ = false, stop_ = false;
  std::exception_ptr failure_;
  std::uint64_t line_ = 1;
  std::vector<std::thread> threads_;
};

// What a document says of itself, in front of what the store says against it.
std::string placed(const std::string& place, const std::string& why) {
  return why.starts_with(place + ':') ? why : fmt::format("{}: {}", place, why);  // or "...:1:13: not JSON"
}

// The inspections of a transaction, written in the order of their places: rows that come in order fill
// their pages, and what an arm's rows share is found once.
class Batch {
 public:
  enum class Sums { with_them, later };
  // `done`: of each, once it is committed or refused.
  Batch(Store::Database& database, Sums sums, std::function<void(const Verified&)> done)
      : database_(database), sums_(sums), done_(std::move(done)) {}

  void add(Verified&& document) {
    documents_.push_back(std::move(document));
    if (documents_.size() >= batch_documents) commit();
  }

  // Nothing of a document that is refused stays, neither its series nor its host: where there was one, all is rolled
  // back and the others are written again. They do not depend on it, so the second time none is refused.
  void commit() {
    while (!documents_.empty() && !written()) leave_out_refused();
    for (const Verified& document : documents_) done_(document);
    documents_.clear();
  }

 private:
  // False, and nothing is written, where some are refused: those have an error then.
  bool written() {
    return database_.connection.run([&] {
      Writer::Transaction transaction(database_.writer);
      if (!write()) return false;
      if (sums_ == Sums::with_them) sum_up();
      transaction.commit();
      return true;
    });
  }

  bool write() {
    std::vector<std::pair<std::int64_t, Verified*>> order;
    order.reserve(documents_.size());
    for (Verified& document : documents_)
      order.emplace_back(database_.writer.place(*document.inspection), &document);
    std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
    bool all = true;
    for (const auto& [place, document] : order) {
      try {
        document->inserted = database_.writer.insert(*document->inspection) == Ingest::inserted;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        document->error = error.what();
        all = false;
      }
    }
    return all;
  }

  void sum_up() {
    Connection& connection = database_.connection;
    for (const std::int64_t series : database_.writer.flush())
      finish_panel(connection, database_.writer.shared(), panel_of(connection, series));
  }

  void leave_out_refused() {
    for (const Verified& document : documents_)
      if (!document.error.empty()) done_(document);
    std::erase_if(documents_, [](const Verified& document) { return !document.error.empty(); });
  }

  Store::Database& database_;
  const Sums sums_;
  std::function<void(const Verified&)> done_;
  std::vector<Verified> documents_;
};

// A plan or a published result, which have transactions of their own.
Fate ingested(Store& store, const Plain& document, const std::string& place) {
  try {
    const Ingest result = std::holds_alternative<specs::Plan>(document) ? store.ingest(std::get<specs::Plan>(document))
                                                                        : store.ingest(std::get<specs::Published>(document));
    return {result == Ingest::inserted ? Fate::Kind::inserted : Fate::Kind::already_there};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    return {Fate::Kind::refused, placed(place, error.what())};
  }
}

}  // namespace

Intake& Intake::operator+=(const Intake& other) {
  inserted += other.inserted;
  already_there += other.already_there;
  refused += other.refused - other.reasons.size();
  for (const std::string& why : other.reasons) refuse(why);
  return *this;
}

void Intake::refuse(const std::string& why) {
  ++refused;
  if (reasons.size() < most_reasons) reasons.push_back(specs::brief(why));
}

void Store::take_in(Intake& intake, const std::function<bool(std::string& line)>& next, const std::string& name,
                    const std::function<void(std::uint64_t lines)>& progress) {
  const auto place_of = [&](const Verified& document) { return fmt::format("{}:{}", name, document.line); };
  Pipeline pipeline(database_->reader, next, name);
  Batch batch(*database_, Batch::Sums::later, [&](const Verified& document) {
    if (document.error.empty())
      ++(document.inserted ? intake.inserted : intake.already_there);
    else
      intake.refuse(placed(place_of(document), document.error));
  });
  const auto take = [&] {
    try {
      return pipeline.take();
    } catch (...) {  // what was read before the stream broke stays
      batch.commit();
      throw;
    }
  };
  const auto ingest_other = [&](const Verified& document) {
    batch.commit();
    const Fate fate = ingested(*this, document.other, place_of(document));
    if (fate.kind == Fate::Kind::refused) return intake.refuse(fate.why);
    ++(fate.kind == Fate::Kind::inserted ? intake.inserted : intake.already_there);
  };
  while (auto chunk = take()) {
    for (Verified& document : *chunk) {
      if (!document.error.empty())
        intake.refuse(placed(place_of(document), document.error));
      else if (document.inspection)
        batch.add(std::move(document));
      else
        ingest_other(document);
    }
    if (progress && !chunk->empty()) progress(chunk->back().line);
  }
  batch.commit();
  finish_summaries();
  std::ranges::sort(intake.reasons, {}, [&](const std::string& line) {
    return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
  });
}

std::vector<Fate> Store::take_in(std::span<const Arrived> documents) {
  std::vector<Fate> fates(documents.size());
  const auto note = [&](const Verified& document) {
    const Arrived& arrived = documents[document.line];
    if (document.error.empty())
      fates[document.line] = {document.inserted ? Fate::Kind::inserted : Fate::Kind::already_there};
    else
      fates[document.line].why = placed(std::string(arrived.place), document.error);
  };
  Batch batch(*database_, Batch::Sums::with_them, note);
  Skeleton scratch;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string place(documents[i].place);
    Verified document = verify(database_->reader, std::string(documents[i].text), place, i, scratch);
    if (!document.error.empty())
      note(document);
    else if (document.inspection)
      batch.add(std::move(document));
    else
      fates[i] = ingested(*this, document.other, place);
  }
  batch.commit();
  return fates;
}

void Store::sync_every_commit() {
  database_->connection.require_writable();
  database_->connection.run([&] { database_->connection.sqlite().exec("PRAGMA synchronous=FULL"); });
}

// What was committed before something broke stays, and is said.
Intake Store::take_in(const std::function<bool(std::string& line)>& next, const std::string& name,
                      const std::function<void(std::uint64_t lines)>& progress) {
  Intake intake;
  try {
    take_in(intake, next, name, progress);
  } catch (const Error& error) {
    if (intake.inserted == 0) throw;
    throw Error(error.code(),
                fmt::format("{}; {} documents were stored before that, and are not stored twice when this "
                            "is repeated",
                            error.what(), intake.inserted));
  }
  return intake;
}

}  // namespace stackx::store
