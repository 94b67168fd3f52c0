#include "serve/documents/intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "store/store.hpp"
#include "workspace/files/compressed_stream.hpp"

namespace stackx::serve {
namespace {

constexpr std::size_t most_reasons = 100;
constexpr std::size_t few_documents = 1000;               // of one bundle: these share a transaction with others'
constexpr std::uint64_t batch_bytes = 16ULL << 20;        // packed, of one transaction
constexpr std::size_t most_bundles = 256;
constexpr std::uint64_t longest_document = 64ULL << 20;
constexpr std::uint64_t opened_bytes = 64ULL << 20;       // held unpacked: a body may unpack to a thousand times its size

// A bundle whose lines are apart.
struct Opened {
  Bundle bundle;
  std::vector<std::pair<std::uint64_t, std::string>> documents = {};  // line, text
  std::uint64_t size = 0;                                             // of these
  Brought brought = {};
};

void refuse(Brought& brought, std::uint64_t line, const std::string& why) {
  ++brought.refused;
  if (brought.reasons.size() < most_reasons) brought.reasons.push_back({line, why});
}

void count(Brought& brought, std::uint64_t line, const store::Fate& fate) {
  switch (fate.kind) {
    case store::Fate::Kind::inserted: ++brought.inserted; break;
    case store::Fate::Kind::already_there: ++brought.already_there; break;
    case store::Fate::Kind::refused: refuse(brought, line, fate.why); break;
  }
}

std::string place_of(std::uint64_t line) { return fmt::format("line {}", line); }

// Why the document is not the one that its address names; "": it is.
std::string wrong_id(const std::string& text, const std::string& expected) {
  try {
    const auto id = specs::Node::parse_text(text, "line 1").at("id").text();
    return id == expected ? "" : fmt::format("line 1: the id is {}, and the address names {}", id, expected);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

struct Intake::Impl {
  Impl(const std::filesystem::path& file, std::uint64_t most_bytes) : most_bytes(most_bytes), store(store::Store::open(file)) {
    store.sync_every_commit();
    thread = std::thread([this] { work(); });
  }

  ~Impl() { finish(); }

  void finish() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    changed.notify_all();
    if (thread.joinable()) thread.join();
  }

  void work() {
    for (auto batch = next(); !batch.empty(); batch = next()) write(std::move(batch));
  }

  // What waits, as much as fits one transaction; empty at the end.
  std::vector<Bundle> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !bundles.empty() || ending; });
    std::vector<Bundle> batch;
    for (std::uint64_t size = 0; !bundles.empty() && size < batch_bytes && batch.size() < most_bundles;) {
      size += bundles.front().bytes.size();
      batch.push_back(std::move(bundles.front()));
      bundles.pop_front();
    }
    return batch;
  }

  void write(std::vector<Bundle> batch) {
    std::vector<Opened> together;
    std::uint64_t size = 0;
    for (Bundle& bundle : batch) {
      Opened opened{.bundle = std::move(bundle)};
      if (!opens(opened)) {
        tell(opened);
        continue;
      }
      size += opened.size;
      together.push_back(std::move(opened));
      if (size > opened_bytes) finish(together), size = 0;
    }
    finish(together);
  }

  void finish(std::vector<Opened>& together) {
    write_together(together);
    for (Opened& one : together) tell(one);
    together.clear();
  }

  // False: it is done with, since it is of no use or large, and was written by itself.
  bool opens(Opened& opened) {
    try {
      return open(opened);
    } catch (const std::exception& error) {  // too little memory
      opened.brought.failed = error.what();
      return false;
    }
  }

  bool open(Opened& opened) {
    workspace::LineReader lines(opened.bundle.bytes, "the body", longest_document);
    std::string line;
    while (lines.next(line)) {
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      opened.size += line.size();
      opened.documents.emplace_back(lines.lines(), std::move(line));
      if (opened.documents.size() > 1 && !opened.bundle.expected_id.empty()) break;  // one too many, and refused
      if (opened.documents.size() > few_documents || opened.size > opened_bytes) return write_stream(opened, lines), false;
    }
    return !spoilt(opened, lines) && !wrongly_addressed(opened);
  }

  static bool spoilt(Opened& opened, const workspace::LineReader& lines) {
    for (const auto& why : lines.refused()) refuse(opened.brought, 0, why);
    if (!lines.failure()) return false;
    opened.brought.failed = lines.failure()->what();
    opened.brought.unreadable = true;
    return true;
  }

  static bool wrongly_addressed(Opened& opened) {
    const auto& expected = opened.bundle.expected_id;
    if (expected.empty()) return false;
    const auto wrong = opened.documents.size() == 1 ? wrong_id(opened.documents.front().second, expected)
                                                    : fmt::format("expected one document, found {}", opened.documents.empty() ? "none" : "more");
    if (!wrong.empty()) refuse(opened.brought, 1, wrong);
    return !wrong.empty();
  }

  void write_stream(Opened& opened, workspace::LineReader& lines) {
    std::size_t at = 0;
    const auto next = [&](std::string& line) {
      if (at < opened.documents.size()) {
        line = std::move(opened.documents[at++].second);
        return true;
      }
      return lines.next(line);
    };
    try {
      const auto intake = store.take_in(next, "the body");
      opened.brought.inserted += intake.inserted;
      opened.brought.already_there += intake.already_there;
      opened.brought.refused += intake.refused - std::min<std::uint64_t>(intake.refused, intake.reasons.size());
      for (const auto& why : intake.reasons) refuse(opened.brought, 0, why);
    } catch (const std::exception& error) {
      opened.brought.failed = error.what();
    }
    ++transactions;
    spoilt(opened, lines);
  }

  void write_together(std::vector<Opened>& opened) {
    std::vector<std::string> places;
    std::vector<store::Store::Arrived> arrived;
    for (const Opened& one : opened)
      for (const auto& [line, text] : one.documents) places.push_back(place_of(line));
    for (const Opened& one : opened)
      for (const auto& [line, text] : one.documents) arrived.push_back({text, places[arrived.size()]});
    if (arrived.empty()) return;
    try {
      const auto fates = store.take_in(arrived);
      auto fate = fates.begin();
      for (Opened& one : opened)
        for (const auto& [line, text] : one.documents) count(one.brought, line, *fate++);
    } catch (const std::exception& error) {
      for (Opened& one : opened) one.brought.failed = error.what();
    }
    ++transactions;
  }

  void tell(Opened& one) {
    inserted += one.brought.inserted;
    already_there += one.brought.already_there;
    refused += one.brought.refused;
    if (!one.brought.failed.empty() && !one.brought.unreadable) ++failed;
    {
      const std::lock_guard lock(mutex);
      bytes -= one.bundle.bytes.size();
      --waiting;
    }
    one.bundle.done(std::move(one.brought));
  }

  const std::uint64_t most_bytes;
  store::Store store;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Bundle> bundles;
  std::uint64_t bytes = 0;  // of bundles that are not answered
  std::size_t waiting = 0;
  bool ending = false;
  std::atomic<std::uint64_t> inserted = 0, already_there = 0, refused = 0, failed = 0, transactions = 0;
  std::thread thread;
};

Intake::Intake(const std::filesystem::path& store, std::uint64_t most_bytes) : impl_(std::make_unique<Impl>(store, most_bytes)) {}
Intake::~Intake() = default;
void Intake::finish() { impl_->finish(); }

bool Intake::offer(Bundle bundle) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->ending || (impl_->waiting > 0 && impl_->bytes + bundle.bytes.size() > impl_->most_bytes)) return false;
    impl_->bytes += bundle.bytes.size();
    ++impl_->waiting;
    impl_->bundles.push_back(std::move(bundle));
  }
  impl_->changed.notify_all();
  return true;
}

IntakeState Intake::state() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->waiting, impl_->bytes, impl_->inserted, impl_->already_there, impl_->refused, impl_->failed, impl_->transactions};
}

}  // namespace stackx::serve
