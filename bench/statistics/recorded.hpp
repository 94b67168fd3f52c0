// What a recorded campaign says: of its sentinels, how many are called different; of its arms, what
// a race would have needed. `bench/statistics/run real` records one.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::bench {

struct Recorded {
  std::filesystem::path db;
  std::string campaign;      // id or how it begins; "": all that is in the store
  std::uint64_t block = 10;  // rounds of one A/A test
  int trials = 1000;
  std::uint64_t seed = 1;
};

void recorded_sentinels(const Recorded& recorded);
void recorded_race(const Recorded& recorded);

}  // namespace stackx::bench
