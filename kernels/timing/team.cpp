#include "kernels/timing/team.hpp"

#include <sched.h>

namespace stackx::kernels {
namespace {

constexpr int kSpins = 20'000;  // some 100 us: longer than it takes to start the next call

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);  // failing, the thread runs elsewhere: only less steady
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

Team::Team(const std::vector<int>& cpus) {
  for (std::size_t i = 1; i < cpus.size(); ++i)
    workers_.emplace_back([this, i, cpu = cpus[i]] {
      pin(cpu);
      follow(i);
    });
  if (!cpus.empty()) pin(cpus[0]);
}

Team::~Team() {
  work_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::run(const std::function<void(std::size_t)>& work) {
  work_ = &work;
  busy_.store(workers_.size(), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  while (busy_.load(std::memory_order_acquire) != 0) relax();
}

void Team::follow(std::size_t index) {
  for (unsigned seen = 0;; ++seen) {
    for (int i = 0; i < kSpins && round_.load(std::memory_order_acquire) == seen; ++i) relax();
    while (round_.load(std::memory_order_acquire) == seen) round_.wait(seen);
    if (work_ == nullptr) return;
    (*work_)(index);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace stackx::kernels
