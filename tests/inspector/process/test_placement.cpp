#include <catch2/catch.hpp>
#include <set>

#include "inspector/process/placement.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

// `nodes` x `cores` x `siblings`, numbered as Linux does: first siblings of all cores, then second
// ones.
std::vector<Processor> machine(int nodes, int cores, int siblings) {
  std::vector<Processor> result;
  for (int sibling = 0; sibling < siblings; ++sibling) {
    for (int core = 0; core < nodes * cores; ++core) {
      result.push_back({sibling * nodes * cores + core, core / cores, core});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("lists of CPUs are read", "[placement]") {
  CHECK(parse_cpu_list(std::string("0-3,8\n")) == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_cpu_list(std::string("7")) == std::vector<int>{7});
  CHECK(parse_cpu_list(std::string("")).empty());
  CHECK(parse_cpu_list(std::string("x,-3,5-4")).empty());
  CHECK(parse_cpu_list(std::string("0-999999999")).empty());
}

TEST_CASE("threads get cores of their own, in one node, from the top", "[placement]") {
  CHECK(place(machine(1, 2, 1), 1) == std::vector<int>{1});
  CHECK(place(machine(1, 2, 1), 2) == std::vector<int>{0, 1});
  CHECK(place(machine(1, 2, 1), 8) == std::vector<int>{0, 1});
  CHECK(place(machine(1, 2, 1), 0) == std::vector<int>{0, 1});
  CHECK(place({}, 3).empty());
}

TEST_CASE("whatever the machine, cores are shared only when all are taken", "[placement]") {
  for (const int nodes : {1, 2, 4}) {
    for (const int cores : {1, 3, 8}) {
      for (const int siblings : {1, 2}) {
        const auto processors = machine(nodes, cores, siblings);
        for (std::size_t count = 1; count <= processors.size(); ++count) {
          INFO(nodes << " nodes, " << cores << " cores, " << siblings << " siblings, " << count);
          const auto chosen = place(processors, count);
          REQUIRE(chosen.size() == count);
          std::set<int> used_cores, used_nodes;
          for (const int number : chosen) {
            used_cores.insert(number % (nodes * cores));
            used_nodes.insert(number % (nodes * cores) / cores);
          }
          CHECK(used_cores.size() == std::min<std::size_t>(count, nodes * cores));
          const auto needed = (std::min<std::size_t>(count, nodes * cores) + cores - 1) / cores;
          CHECK(used_nodes.size() == needed);
        }
      }
    }
  }
}

TEST_CASE("campaigns side by side share no core, and together they have all", "[placement]") {
  for (const auto& [nodes, cores, siblings] : {std::tuple{2, 4, 2}, {1, 3, 1}, {4, 2, 2}}) {
    const auto all = machine(nodes, cores, siblings);
    for (std::size_t of = 1; of <= 3; ++of) {
      std::set<int> numbers;
      std::set<int> taken;  // cores
      for (std::size_t block = 0; block < of; ++block) {
        std::set<int> mine;
        for (const auto& p : share_of(all, block, of)) {
          CHECK(numbers.insert(p.number).second);
          mine.insert(p.core);
        }
        CHECK_FALSE(mine.empty());
        for (const int core : mine) CHECK(taken.insert(core).second);
      }
      CHECK(numbers.size() == all.size());
    }
  }
  CHECK(share_of(machine(1, 2, 1), 2, 3).size() == 2);  // fewer cores than campaigns
}

TEST_CASE("the CPUs of this machine are found, also where /sys is silent", "[placement]") {
  const TempDirectory empty;
  const auto real = usable_processors(), bare = usable_processors(empty.path());
  REQUIRE_FALSE(real.empty());
  CHECK(real.size() == bare.size());
  for (const auto& processor : bare) CHECK(processor.core == processor.number);
}
