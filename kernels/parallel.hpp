// Work on the host that is too much for one thread: inputs and references of large products.
//
// In no case part of what is timed: all threads are gone when it returns. They are as many as the
// CPUs that this process may use, so a PI that is pinned to one CPU uses one.
#pragma once

#include <cstddef>
#include <functional>

namespace stackx::kernels {

std::size_t usable_cpus();

// Calls work(begin, end) for pieces of 0..count, in threads if there are at least `fewest`. What
// work() throws ends the process: it must not.
void in_parallel(std::size_t count, std::size_t fewest,
                 const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace stackx::kernels
