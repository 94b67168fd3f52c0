// Threads that work together on what is timed, as an OpenMP parallel region does: made once, each
// pinned to one CPU, waiting between calls by spinning, and after a while asleep.
//
// Rejected: OpenMP, whose runtime would be a library of stackx-pi's own beside the one under test.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace stackx::kernels {

// The CPUs that this process may use, ascending.
std::vector<int> allowed_cpus();

class Team {
 public:
  // Thread i runs on cpus[i]; the calling thread is thread 0, and is pinned too.
  explicit Team(const std::vector<int>& cpus);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t size() const { return workers_.size() + 1; }
  // Calls work(i) in every thread i; all have returned when it returns.
  void run(const std::function<void(std::size_t)>& work);

 private:
  void follow(std::size_t index);
  const std::function<void(std::size_t)>* work_ = nullptr;  // nullptr: go home
  std::atomic<unsigned> round_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  std::vector<std::thread> workers_;
};

}  // namespace stackx::kernels
