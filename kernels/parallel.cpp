#include "kernels/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace stackx::kernels {

std::size_t usable_cpus() { return std::max(1u, std::thread::hardware_concurrency()); }

void in_parallel(std::size_t count, std::size_t fewest,
                 const std::function<void(std::size_t begin, std::size_t end)>& work) {
  const std::size_t cpus = usable_cpus();
  if (count < fewest || cpus == 1) return work(0, count);
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < cpus; ++i)
    threads.emplace_back(work, count * i / cpus, count * (i + 1) / cpus);
  work(0, count / cpus);
}

}  // namespace stackx::kernels
