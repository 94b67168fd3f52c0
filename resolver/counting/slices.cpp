#include "resolver/counting/slices.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>

#include "resolver/counting/exact.hpp"
#include "resolver/counting/rehearsal.hpp"
#include "resolver/counting/relaxed.hpp"

namespace stackx::resolver {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double bytes_an_entry = 12;  // about
constexpr double easy = 2e6;           // entries of an easier network

// The network with this value alone; nothing if that leaves no solution.
std::optional<Network> slice(const Network& network, std::size_t variable, std::size_t value) {
  Network slice = network;
  slice.variables[variable].possible.reset().set(value);
  if (!reduce(slice)) return {};
  return slice;
}

// About how many entries all slices by this variable have: some values stand for all.
double entries_of_slices(const Network& network, std::size_t variable) {
  constexpr std::size_t looked_at = 6;
  const auto values = network.variables[variable].size();
  const auto step = std::max<std::size_t>(1, values / looked_at);
  double entries = 0;
  std::size_t seen = 0;
  for (std::size_t v = 0; v < values; v += step, ++seen)
    if (const auto one = slice(network, variable, v))
      entries += make_plan(*one, Shape::trie, 1).entries;
  return entries * static_cast<double>(values) / static_cast<double>(seen);
}

// Nothing if every variable has one value.
std::optional<std::size_t> best_cut(const Network& network, const Plan& plan) {
  constexpr std::size_t tried = 6;
  std::vector<double> saved(network.variables.size());  // entries of buckets it would leave
  for (const auto& bucket : plan.buckets)
    for (const auto x : bucket.scope) saved[x] += bucket.entries;
  std::vector<std::size_t> variables;
  for (std::size_t x = 0; x < saved.size(); ++x)
    if (network.variables[x].size() > 1) variables.push_back(x);
  if (variables.empty()) return {};
  std::ranges::stable_sort(variables, std::ranges::greater{}, [&](auto x) { return saved[x]; });
  variables.resize(std::min(tried, variables.size()));
  std::vector<double> entries;
  for (const auto x : variables) entries.push_back(entries_of_slices(network, x));
  return variables[static_cast<std::size_t>(std::ranges::min_element(entries) - entries.begin())];
}

BigInt combinations(const Network& network) {
  BigInt product = 1;
  for (const auto& variable : network.variables) {
    if (variable.kind != Variable::Kind::component) continue;
    std::size_t choices = 0;
    for (const auto& versions : variable.versions)
      choices += std::max<std::size_t>(1, versions.size());
    product *= choices;
  }
  return product;
}

class Slicing {
 public:
  Slicing(std::size_t bytes, std::size_t workers, Clock::time_point until)
      : workers_(workers),
        // The last part of the time is for the bounds.
        budget_{bytes / workers, until - (until - Clock::now()) / 5},
        until_(until) {}

  StackCount run(const Network& network, const Plan& plan) {
    cut(network, plan);
    work([this](const Network& one) { count(one); });
    waiting_.swap(uncounted_);
    StackCount result{counted_, counted_, parts_, waiting_.size()};
    work([this](const Network& one) { bound(one); });
    result.high += above_;
    return result;
  }

 private:
  void work(const std::function<void(const Network&)>& one) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers_; ++i)
      threads.emplace_back([&] {
        std::unique_lock lock(mutex_);
        while (true) {
          changed_.wait(lock, [&] { return !waiting_.empty() || busy_ == 0; });
          if (waiting_.empty()) return;
          const Network network = std::move(waiting_.back());
          waiting_.pop_back();
          ++busy_;
          lock.unlock();
          one(network);
          lock.lock();
          --busy_;
          changed_.notify_all();
        }
      });
  }

  void count(const Network& network) {
    if (!budget_.is_over()) {
      const auto plan = rehearsed_plan(network);
      if (plan.entries * bytes_an_entry > static_cast<double>(budget_.bytes))
        return cut(network, plan);
      const auto count = exact_count(network, plan, budget_);
      if (!count && count.error() == Joined::too_large) return cut(network, plan);
      const std::lock_guard lock(mutex_);
      if (count) {
        counted_ += count->count;
        ++parts_;
        return;
      }
      uncounted_.push_back(network);
      return;
    }
    const std::lock_guard lock(mutex_);
    uncounted_.push_back(network);
  }

  void cut(const Network& network, const Plan& plan) {
    const auto variable = best_cut(network, plan);
    if (!variable) {  // one value each: takes next to nothing
      const auto count = exact_count(network, plan, {});
      const std::lock_guard lock(mutex_);
      counted_ += count.value().count;
      ++parts_;
      return;
    }
    for (std::size_t v = 0; v < network.variables[*variable].size(); ++v)
      if (auto one = slice(network, *variable, v)) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(*one));
        changed_.notify_one();
      }
  }

  void bound(const Network& network) {
    const auto above = upper_bound(network, easy, {budget_.bytes, until_});
    const std::lock_guard lock(mutex_);
    above_ += above ? *above : combinations(network);
  }

  std::size_t workers_;
  Budget budget_;
  Clock::time_point until_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Network> waiting_, uncounted_;
  std::size_t busy_ = 0, parts_ = 0;
  BigInt counted_ = 0, above_ = 0;
};

}  // namespace

StackCount count_in_slices(const Network& network, const Limits& limits) {
  constexpr double soon = 5e8;  // entries that one thread counts in half a minute
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(limits.seconds));
  const auto plan = rehearsed_plan(network);
  // The rest is for bounds, should it take longer than it looks.
  const Budget at_once{limits.bytes, until - (until - Clock::now()) / 4};
  if (plan.entries < soon && plan.entries * bytes_an_entry < static_cast<double>(limits.bytes))
    if (const auto count = exact_count(network, plan, at_once)) return {count->count, count->count};
  const std::size_t workers = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  return Slicing(limits.bytes, workers, until).run(network, plan);
}

}  // namespace stackx::resolver
