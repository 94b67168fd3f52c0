// Which CPUs a PI may use: as many as it has threads, each on a core of its own while there are
// cores, in one NUMA node while it is large enough; from the highest number down, because
// interrupts tend to go to CPU 0.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stackx::inspector {

struct Processor {
  int number = 0;
  int node = 0;
  int core = 0;  // the lowest-numbered CPU of its core: siblings share it
};

// The CPUs this process may use (its affinity), placed by /sys; where /sys is silent, each is a
// core of node 0.
std::vector<Processor> usable_processors(const std::filesystem::path& sys = "/sys");

// Block `block` of `of` equal ones, in order of node and core, so that campaigns side by side do not
// share cores; all of them where there are fewer cores than blocks.
std::vector<Processor> share_of(std::vector<Processor> processors, std::size_t block,
                                std::size_t of);

// `count` of them, sorted; all of them if there are no more or count is 0.
std::vector<int> place(const std::vector<Processor>& processors, std::size_t count);

// "0-3,8" -> 0 1 2 3 8; nothing it does not understand.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace stackx::inspector
