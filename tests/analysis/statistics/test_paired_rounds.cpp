#include <catch2/catch.hpp>

#include "analysis/statistics/paired_rounds.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

// Against paired_logs(), whose definition it repeats in numbers: stacks that miss rounds, several
// campaigns and devices, single inspections, slots measured twice, races with and without finals.
TEST_CASE("paired_rounds: the logs of paired_logs, in its order") {
  specs::Random random(1);
  std::size_t shared = 0, dropped = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<store::Measurement>> measured(5);
    for (std::size_t s = 0; s < measured.size(); ++s)
      for (std::uint64_t n = random.below(60); n > 0; --n) {
        auto m = measurement(stack("0.3." + std::to_string(s)), random.below(12),
                             50 + 50 * random.unit());
        m.campaign = random.below(6) == 0 ? "" : std::string(1, static_cast<char>('a' + random.below(3)));
        m.device = random.below(2) == 0 ? "GPU-1" : "GPU-2";
        measured[s].push_back(std::move(m));
      }
    std::vector<Rates> rates;
    std::vector<const StackRates*> stacks;
    for (const auto& list : measured) {
      if (list.empty()) continue;
      std::vector<const store::Measurement*> pointers;
      for (const auto& m : list) pointers.push_back(&m);
      rates.push_back(collect(pointers, here));
    }
    for (const Rates& one : rates) stacks.push_back(&one.stacks.front());
    Finals finals;
    if (trial % 2 == 1) finals = {{"a", 6}, {"c", random.below(14)}};
    const PairedRounds rounds(stacks, finals);
    for (std::size_t a = 0; a < stacks.size(); ++a)
      for (std::size_t b = 0; b < stacks.size(); ++b) {
        const auto expected = paired_logs(*stacks[a], *stacks[b], finals);
        REQUIRE(rounds.logs(a, b) == expected);
        shared += expected.size();
        dropped += paired_logs(*stacks[a], *stacks[b]).size() - expected.size();
      }
  }
  CHECK(shared > 1000);
  CHECK(dropped > 100);
}
