#include <catch2/catch.hpp>

#include "blame/between/wording.hpp"

namespace blame_wording_tests {

using namespace stackx::blame;

TEST_CASE("a group is called by what leads it, and how many go with it") {
  Between between;
  between.changes = {{"torch", "2.3.1", "2.4.0"}, {"triton", "2.3.1", "3.0.0"}, {"a", "", "1"}, {"b", "1", ""}, {"c", "1", "2"}};
  between.groups = {{{0}, {}, {}}, {{0, 1}, {}, {}}, {{0, 1, 2}, {}, {}}, {{0, 1, 2, 3, 4}, {}, {}}};
  CHECK(change_in_words(between.changes[2]) == "a not there -> 1");
  CHECK(change_in_words(between.changes[3]) == "b 1 -> not there");
  CHECK(group_in_words(between, 0) == "torch 2.3.1 -> 2.4.0");
  CHECK(group_in_words(between, 1) == "torch 2.3.1 -> 2.4.0 with triton 2.3.1 -> 3.0.0");
  CHECK(group_in_words(between, 2) == "torch 2.3.1 -> 2.4.0 with triton 2.3.1 -> 3.0.0, a not there -> 1");
  CHECK(group_in_words(between, 3) == "torch 2.3.1 -> 2.4.0 with triton 2.3.1 -> 3.0.0 and 3 more");
  CHECK(group_in_words(between, 3, 0) == "torch 2.3.1 -> 2.4.0 with 4 more");
  CHECK(group_in_words(between, 3, 9) ==
        "torch 2.3.1 -> 2.4.0 with triton 2.3.1 -> 3.0.0, a not there -> 1, b 1 -> not there, c 1 -> 2");
}

}  // namespace blame_wording_tests
