#include "serve/answers/answers.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "specs/format/digest.hpp"

namespace stackx::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int times_its_price = 3;
constexpr std::chrono::seconds old_at_most{5};
constexpr std::chrono::seconds kept_at_most{60};  // facts and overlays are files that may be refreshed

struct Waiting {
  Answers::Given given;
  Answers::Refused refused;
  Clock::time_point since;
  std::uint64_t wanted = 0;  // the version that it must have seen at least
};

struct Entry {
  std::shared_ptr<const Answer> answer;  // none yet
  std::uint64_t version = 0;             // of the store before it was made
  Clock::duration price{};
  std::vector<Waiting> waiting;  // for the one that is being made
  std::function<Answer()> make;
  bool making = false;
  std::list<std::string>::iterator used;
};

}  // namespace

struct Answers::Impl {
  Impl(const Limits& limits, std::function<std::uint64_t()> version) : limits(limits), version(std::move(version)) {
    for (unsigned i = 0; i < std::max(1U, limits.workers); ++i) workers.emplace_back([this] { work(); });
  }
  ~Impl() {
    finish();
    for (auto& worker : workers) worker.join();
  }

  bool finish() {
    const std::lock_guard lock(mutex);
    ending = true;
    changed.notify_all();
    return running == 0;
  }

  bool is_current(const Entry& entry, bool newest) const {
    if (!entry.answer) return false;
    const auto age = Clock::now() - entry.answer->made;
    if (age > kept_at_most) return false;
    if (entry.version == version()) return true;
    return !newest && age < std::min<Clock::duration>(times_its_price * entry.price, old_at_most);
  }

  void work() {
    for (;;) {
      std::string key;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ending || !tasks.empty(); });
        if (ending) return;  // nobody waits any more
        key = std::move(tasks.front());
        tasks.pop_front();
        ++running;
      }
      run(key);
    }
  }

  void run(const std::string& key) {
    std::function<Answer()> make;
    {
      const std::lock_guard lock(mutex);
      make = entries.at(key).make;
    }
    const auto before = version();
    const auto began = Clock::now();
    auto answer = std::make_shared<Answer>(make());
    answer->etag = '"' + specs::sha256(answer->body).substr(0, 32) + '"';
    answer->made = Clock::now();
    std::vector<Waiting> served;
    {
      const std::lock_guard lock(mutex);
      const auto found = entries.find(key);
      keep(found->second, answer, before, answer->made - began);
      served = take_served(key, found->second);
      if (answer->status >= 500 && !found->second.making) forget(found);  // a failure of the moment
      shrink();
    }
    changed.notify_one();
    for (auto& one : served) one.given(answer);
    const std::lock_guard lock(mutex);
    --running;
  }

  void keep(Entry& entry, std::shared_ptr<const Answer> answer, std::uint64_t of, Clock::duration price) {
    if (entry.answer) bytes -= entry.answer->body.size();
    bytes += answer->body.size();
    entry.answer = std::move(answer);
    entry.version = of;
    entry.price = price;
    ++made;
  }

  // Who asked for what the store had got meanwhile waits for the next one.
  std::vector<Waiting> take_served(const std::string& key, Entry& entry) {
    const auto later = std::ranges::stable_partition(entry.waiting, [&](const Waiting& one) { return one.wanted <= entry.version; });
    std::vector<Waiting> rest(std::make_move_iterator(later.begin()), std::make_move_iterator(later.end()));
    entry.waiting.erase(later.begin(), later.end());
    auto served = std::exchange(entry.waiting, std::move(rest));
    entry.making = !entry.waiting.empty();
    entry.making ? tasks.push_back(key) : void(entry.make = nullptr);
    return served;
  }

  void shrink() {
    for (auto at = by_use.begin(); at != by_use.end() && (bytes > limits.bytes || entries.size() > most_entries);) {
      const auto found = entries.find(*at);
      ++at;
      if (!found->second.making) forget(found);
    }
  }

  void forget(std::unordered_map<std::string, Entry>::iterator entry) {
    if (entry->second.answer) bytes -= entry->second.answer->body.size();
    bytes -= size_of_key(entry->first);
    by_use.erase(entry->second.used);
    entries.erase(entry);
  }

  // Here and in by_use: questions may be longer than their answers.
  static std::uint64_t size_of_key(const std::string& key) { return 2 * key.size(); }

  static constexpr std::size_t most_entries = 10'000;
  const Limits limits;
  const std::function<std::uint64_t()> version;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<std::string, Entry> entries;
  std::list<std::string> by_use;  // the longest unused first
  std::deque<std::string> tasks;  // keys
  std::uint64_t bytes = 0, kept = 0, made = 0, turned_away = 0;
  unsigned running = 0;  // workers that are making an answer
  bool ending = false;
  std::vector<std::thread> workers;
};

Answers::Answers(const Limits& limits, std::function<std::uint64_t()> version)
    : impl_(std::make_unique<Impl>(limits, std::move(version))) {}
Answers::~Answers() = default;

void Answers::ask(const std::string& key, bool newest, std::function<Answer()> make, Given given, Refused refused) {
  std::unique_lock lock(impl_->mutex);
  auto found = impl_->entries.find(key);
  if (found == impl_->entries.end()) {
    if (impl_->tasks.size() >= impl_->limits.queue) {
      ++impl_->turned_away;
      lock.unlock();
      return refused(Refusal::busy);
    }
    found = impl_->entries.try_emplace(key).first;
    found->second.used = impl_->by_use.insert(impl_->by_use.end(), key);
    impl_->bytes += Impl::size_of_key(key);
  }
  Entry& entry = found->second;
  impl_->by_use.splice(impl_->by_use.end(), impl_->by_use, entry.used);
  if (impl_->is_current(entry, newest)) {
    ++impl_->kept;
    const auto answer = entry.answer;
    lock.unlock();
    return given(answer);
  }
  entry.waiting.push_back({std::move(given), std::move(refused), Clock::now(), newest ? impl_->version() : 0});
  if (std::exchange(entry.making, true)) return;
  entry.make = std::move(make);
  impl_->tasks.push_back(key);
  lock.unlock();
  impl_->changed.notify_one();
}

bool Answers::finish() { return impl_->finish(); }

void Answers::drop_late() {
  std::vector<Waiting> late;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto before = Clock::now() - impl_->limits.patience;
    for (auto& [key, entry] : impl_->entries) {
      const auto is_late = [&](const Waiting& one) { return one.since < before; };
      for (auto& one : entry.waiting)
        if (is_late(one)) late.push_back(std::move(one));
      std::erase_if(entry.waiting, [](const Waiting& one) { return !one.given; });
    }
  }
  for (auto& one : late) one.refused(Refusal::late);
}

AnswersState Answers::state(const std::string& besides) const {
  const std::lock_guard lock(impl_->mutex);
  std::size_t waiting = 0;
  for (const auto& [key, entry] : impl_->entries)
    if (key != besides) waiting += entry.waiting.size();
  return {impl_->kept, impl_->made, impl_->turned_away, waiting, impl_->entries.size(), impl_->bytes};
}

}  // namespace stackx::serve
