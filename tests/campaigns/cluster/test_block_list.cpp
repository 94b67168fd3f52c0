#include <catch2/catch.hpp>
#include <set>

#include "campaigns/cluster/block_list.hpp"
#include "specs/project/cluster.hpp"
#include "specs/random.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Matchers::Contains;

TEST_CASE("blocks are written as Slurm writes array indices") {
  CHECK(text_of({}).empty());
  CHECK(text_of({7}) == "7");
  CHECK(text_of({0, 1, 2, 3, 7}) == "0-3,7");
  CHECK(text_of({0, 2, 3, 5}) == "0,2-3,5");
  CHECK(blocks_from("0-3,7") == Blocks{0, 1, 2, 3, 7});
  CHECK(blocks_from("4-4") == Blocks{4});
}

TEST_CASE("any list of blocks is the same after writing and reading") {
  specs::Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::set<std::uint64_t> drawn;
    const auto within = trial % 2 == 0 ? 1 + random.below(30) : specs::most_blocks;
    for (auto count = 1 + random.below(40); count > 0; --count) drawn.insert(random.below(within));
    const Blocks blocks(drawn.begin(), drawn.end());
    CHECK(blocks_from(text_of(blocks)) == blocks);
  }
  CHECK(blocks_from("0-999999").size() == specs::most_blocks);
}

TEST_CASE("what is no list of blocks is refused with what was expected") {
  for (const char* text : {"", ",", "1,", ",1", "1,,2", "-", "1-", "-1", "1--2", "3-1", "1,1", "2,1", "0-3,3", "1-2-3", " 1", "1 ", "+1", "0x1",
                           "1e3", "a", "1000000", "0-1000000", "18446744073709551616", "0-3%2", "0-8:2", "1\n", "\xff"}) {
    INFO(text);
    CHECK_THAT(tests::message_of([&] { blocks_from(text); }), Contains("expected numbers of blocks like 0-3,7"));
  }
  CHECK_THAT(tests::message_of([&] { blocks_from(std::string(1'000'000, '9')); }), Contains("..."));  // cut
}
