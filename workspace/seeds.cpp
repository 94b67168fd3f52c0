#include "workspace/seeds.hpp"

#include <fmt/format.h>

#include <atomic>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/result/evidence.hpp"
#include "workspace/output.hpp"
#include "workspace/progress.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

struct SeedFile {
  fs::path path;
  store::Seed seed;
};

using SeedFiles = std::vector<SeedFile>;

void add_family(const fs::path& directory, SeedFiles& files) {
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".json")
      files.push_back({entry.path(),
                       {directory.filename().string(), entry.path().stem().string(), entry.file_size()}});
}

// Of one family; "": of all.
SeedFiles seed_files(const fs::path& directory, const std::string& family) {
  SeedFiles files;
  std::error_code error;
  if (!fs::exists(directory, error)) return files;  // somebody's own data without evidence
  try {
    for (const auto& entry : fs::directory_iterator(directory))
      if (entry.is_directory() && (family.empty() || entry.path().filename() == family))
        add_family(entry.path(), files);
  } catch (const fs::filesystem_error& failed) {
    throw broken_environment(
        fmt::format("{}: cannot be read ({}); it holds the evidence that comes with stackx: "
                    "install it again, or set STACKX_DATA to where it is",
                    directory.string(), failed.code().message()));
  }
  std::ranges::sort(files, {}, &SeedFile::path);
  return files;
}

SeedFiles missing(const store::Store& store, SeedFiles files) {
  std::erase_if(files, [&](const SeedFile& file) { return store.has_seed(file.seed); });
  return files;
}

// What the reading thread hands to the writing one: portions of a file's rows, an empty one behind
// the last, or what was wrong with the file.
class Portions {
 public:
  using Rows = std::vector<specs::Published>;

  void put(Rows rows) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return waiting_.size() < most || given_up_; });
    waiting_.push_back(std::move(rows));
    some_.notify_one();
  }
  void fail(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    error_ = std::move(error);
    some_.notify_one();
  }
  Rows take() {
    std::unique_lock lock(mutex_);
    some_.wait(lock, [&] { return !waiting_.empty() || error_; });
    if (waiting_.empty()) std::rethrow_exception(error_);
    Rows rows = std::move(waiting_.front());
    waiting_.pop_front();
    room_.notify_one();
    return rows;
  }
  void give_up() {  // nobody takes any more
    const std::scoped_lock lock(mutex_);
    given_up_ = true;
    room_.notify_one();
  }

 private:
  static constexpr std::size_t most = 16;
  std::mutex mutex_;
  std::condition_variable some_, room_;
  std::deque<Rows> waiting_;
  std::exception_ptr error_;
  bool given_up_ = false;
};

void read_seed(const SeedFile& file, Portions& portions) {
  specs::visit_evidence(specs::Node::parse_file(file.path), [&](Portions::Rows&& rows) {
    for (const auto& row : rows)
      if (row.workload.pi != file.seed.family)
        throw bad_input(fmt::format("{}: it lies under {}, but has results of {}; those of a family lie "
                                    "in the folder of its name",
                                    file.path.string(), file.seed.family, row.workload.pi));
    portions.put(std::move(rows));
  });
  portions.put({});
}

// While the store writes, what comes next is read.
std::size_t take_in(store::Store& store, const SeedFiles& files) {
  Portions portions;
  const auto reader = std::async(std::launch::async, [&] {
    try {
      for (const SeedFile& file : files) read_seed(file, portions);
    } catch (...) {
      portions.fail(std::current_exception());
    }
  });
  std::size_t rows = 0;
  try {
    for (const SeedFile& file : files)
      rows += store.take_in_seed(file.seed, [&] { return portions.take(); });
  } catch (...) {
    portions.give_up();
    throw;
  }
  return rows;
}

store::Store open_and_take_in(const fs::path& file, const SeedFiles& files, const std::string& family) {
  auto store = store::Store::open(file);
  const std::size_t rows = take_in(store, missing(store, files));
  if (rows > 0)
    remark("stackx: {}: took in {} published result{}{} that come{} with stackx (once; `stackx query sources` lists where they are from)\n",
           file.string(), rows, rows == 1 ? "" : "s", family.empty() ? "" : " of " + family, rows == 1 ? "s" : "");
  return store;
}

store::Store open_store(const Context& context, const std::string& family) {
  const fs::path file = store::default_path(context.db);
  const auto files = seed_files(context.data_directory() / "evidence", family);
  auto existing = store::Store::open_if_readable(file);
  if (!existing) return open_and_take_in(file, files, family);
  if (missing(*existing, files).empty()) return std::move(*existing);
  try {
    return open_and_take_in(file, files, family);
  } catch (const Error& error) {
    static std::atomic_flag said;  // an answer opens it several times
    if (!said.test_and_set())
      remark("stackx: {}: the published results that come with stackx cannot be added ({}); what is in the store is answered from\n",
             file.string(), error.what());
    return std::move(*existing);
  }
}

// An older stackx's store may take minutes, an import that was killed seconds: who waits is told what for.
void finish_summaries(const fs::path& file) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience{1};
  ProgressLine line;
  const auto begun = Clock::now();
  store::Store::open(file).finish_summaries([&](std::size_t done, std::size_t all) {
    if (Clock::now() - begun > patience)
      line.show(fmt::format("[{}/{}]  what was measured is summed up once", done, all));
  });
  line.finish();
}

store::Questions open_sums(const Context& context, const std::string& family) {
  open_store(context, family);
  const auto file = store::default_path(context.db);
  store::Questions questions(file);
  if (!questions.stale()) return questions;
  finish_summaries(file);
  return store::Questions(file);
}

}  // namespace

store::Store open_with_seeds(const Context& context) { return open_store(context, ""); }

store::Store open_with_seeds(const Context& context, const std::string& family) {
  return open_store(context, family);
}

store::Questions open_questions(const Context& context) { return open_sums(context, ""); }

store::Questions open_questions(const Context& context, const std::string& family) {
  return open_sums(context, family);
}

}  // namespace stackx::workspace
