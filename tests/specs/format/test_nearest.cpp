#include <algorithm>
#include <catch2/catch.hpp>

#include "specs/format/nearest.hpp"
#include "specs/random.hpp"

using namespace stackx::specs;

namespace {

// The definition of optimal string alignment, without a table.
std::size_t slow_distance(const std::string& a, const std::string& b, std::size_t i,
                          std::size_t j) {
  if (i == 0 || j == 0) return std::max(i, j);
  std::size_t best = std::min({slow_distance(a, b, i - 1, j) + 1, slow_distance(a, b, i, j - 1) + 1,
                               slow_distance(a, b, i - 1, j - 1) + (a[i - 1] != b[j - 1])});
  if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
    best = std::min(best, slow_distance(a, b, i - 2, j - 2) + 1);
  return best;
}

}  // namespace

TEST_CASE("edit distance follows its definition") {
  Random random(2);
  const auto word = [&] {
    std::string text;
    for (std::uint64_t i = random.below(7); i > 0; --i) text += "abc"[random.below(3)];
    return text;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string a = word(), b = word();
    CAPTURE(a, b);
    REQUIRE(edit_distance(a, b) == slow_distance(a, b, a.size(), b.size()));
  }
  CHECK(edit_distance(std::string(1'000'000, 'a'), std::string(1'000'000, 'b')) == 64);
}

TEST_CASE("suggestions") {
  CHECK(suggestion("openbals", {"mkl", "openblas", "blis"}) == "; did you mean \"openblas\"?");
  CHECK(suggestion_or("cuda", {"mkl", "openblas"}, "; see there") == "; see there");
  CHECK(suggestion_or("mlk", {"mkl", "openblas"}, "; see there") == "; did you mean \"mkl\"?");
  CHECK(suggestion("cuda", {"mkl", "openblas"}) == "");  // not near: no help
  CHECK(suggestion("cuda", {}) == "");
  CHECK(suggestion("family", {"name", "families"}) == "; did you mean \"families\"?");  // another ending
  CHECK(suggestion("gpu_use", {"gpu_use_percent"}) == "; did you mean \"gpu_use_percent\"?");
  CHECK(suggestion("transformers", {"blinker", "torch"}) == "");
  CHECK(nearest("b", {"a", "c"}) == "a");  // the first of equals
}
