#include "store/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "specs/format/draft.hpp"
#include "specs/format/json.hpp"
#include "store/connection.hpp"
#include "store/file_system.hpp"
#include "store/mending/pages.hpp"
#include "store/schema.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

// Turns a visit of all documents, which runs in a thread of its own, into lines that are asked for.
class Channel {
 public:
  explicit Channel(std::function<void(const std::function<void(const std::string&)>&)> visit)
      : thread_([this, visit = std::move(visit)] { produce(visit); }) {}
  ~Channel() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // False at the end; rethrows what the visit threw.
  bool next(std::string& line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !lines_.empty() || ended_; });
    if (lines_.empty()) return false;
    line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.size();
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  void rethrow() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  struct Closed {};
  static constexpr std::size_t most_bytes = 16 << 20;

  void put(const std::string& line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bytes_ < most_bytes || closed_; });
    if (closed_) throw Closed();
    bytes_ += line.size();
    lines_.push_back(line);
    lock.unlock();
    changed_.notify_all();
  }

  void produce(const std::function<void(const std::function<void(const std::string&)>&)>& visit) {
    std::exception_ptr failure;
    try {
      visit([this](const std::string& line) { put(line); });
    } catch (const Closed&) {
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      failure_ = failure;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  bool ended_ = false, closed_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

// A store of an older schema, brought forward in a copy; gone with this object.
class BroughtForward {
 public:
  BroughtForward(const fs::path& file, const fs::path& other)
      : scratch_(file.string() + ".merge", specs::Draft::Kind::directory), copy_(scratch_.path() / "copy") {
    std::error_code error;
    const fs::path log = real_file(other).string() + "-wal";
    fs::copy_file(other, copy_, error);
    std::error_code none;
    if (!error && fs::is_regular_file(fs::symlink_status(log, none)))
      fs::copy_file(log, copy_.string() + "-wal", error);
    if (error)
      throw broken_environment(fmt::format(
          "{}: of an older schema, and no copy of it can be made beside {}: {}; make room there",
          other.string(), file.string(), error.message()));
    fs::permissions(copy_, fs::perms::owner_read | fs::perms::owner_write, error);
  }

  Store open() const { return Store::open(copy_); }

 private:
  specs::Draft scratch_;
  fs::path copy_;
};

bool is_older(const fs::path& file) {
  std::error_code missing;
  if (!fs::is_regular_file(file, missing) || fs::file_size(file, missing) < 512) return false;
  const auto version = PageFile(file).user_version();
  return version > 0 && version < static_cast<std::uint32_t>(steps().back().version);
}

void published_documents(const Store& store, bool seeds,
                         const std::function<void(const std::string&)>& visit) {
  const auto sources = store.sources();
  std::vector<specs::Source> left_out;
  for (const SourceRow& row : sources)
    if (row.seed && !seeds) left_out.push_back(row.source);
  if (left_out.size() == sources.size()) return;  // most stores: seconds, if tens of thousands were read for nothing
  std::vector<specs::Published> rows = store.published({});
  std::erase_if(rows, [&](const auto& row) {
    return std::ranges::find(left_out, row.source) != left_out.end();
  });
  std::ranges::sort(rows, {}, &specs::Published::id);
  for (const specs::Published& row : rows) visit(specs::canonical(specs::to_json(row)));
}

}  // namespace

void all_documents(const Store& store, const Which& which,
                   const std::function<void(const std::string&)>& visit,
                   const std::function<void(const Error&)>& damaged) {
  const auto attempt = [&](auto work) {
    try {
      work();
    } catch (const Error& error) {
      damaged(error);
    }
  };
  if (which.inspections) {
    std::vector<std::string> campaigns;
    attempt([&] {
      for (const CampaignRow& row : store.campaigns())
        if (!row.id.empty() && row.id.starts_with(which.campaign)) campaigns.push_back(row.id);
    });
    if (which.campaign.empty()) campaigns.emplace_back();  // inspections of none
    for (const std::string& campaign : campaigns)
      attempt([&] { store.documents(campaign, visit); });
  }
  if (which.published) attempt([&] { published_documents(store, which.seeds, visit); });
}

Intake merge(Store& into, const fs::path& file, const fs::path& other,
             const std::function<void(std::uint64_t)>& progress) {
  std::error_code ignored;
  if (fs::equivalent(file, other, ignored))
    throw bad_input(
        fmt::format("{}: the store itself; name another one to merge into it", other.string()));
  std::optional<BroughtForward> copy;
  if (is_older(other)) copy.emplace(file, other);
  const Store from = copy ? copy->open() : Store::open(other, Mode::read_only);
  std::vector<std::string> unreadable;
  Channel channel([&](const std::function<void(const std::string&)>& visit) {
    all_documents(from, {}, visit,
                  [&](const Error& error) { unreadable.emplace_back(error.what()); });
  });
  Intake intake = into.take_in([&](std::string& line) { return channel.next(line); },
                               other.string() + ": document", progress);
  channel.rethrow();
  for (const std::string& why : unreadable) intake.refuse(why);
  return intake;
}

}  // namespace stackx::store
