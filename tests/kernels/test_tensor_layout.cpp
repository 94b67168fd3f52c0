#include "kernels/cuda/tensor_layout.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

namespace stackx::kernels::cuda {
namespace {

std::vector<std::int32_t> counted(const FourSizes& lengths) {
  std::vector<std::int32_t> values(lengths[0] * lengths[1] * lengths[2] * lengths[3]);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_CASE("Images go to their places, with padding left as it was, and come back") {
  const FourSizes lengths{2, 3, 4, 5};  // n, h, w, c
  const std::size_t height = 4, width = 6;
  const auto dense = counted(lengths);
  for (const Layout layout : {Layout::channels_last, Layout::channels_first}) {
    const FourSizes strides = image_strides(layout, height, width, 5);
    std::vector<std::int32_t> placed(2 * height * width * 5, 0), back(dense.size());
    scatter(dense.data(), placed.data(), lengths, strides, sizeof(std::int32_t));
    std::size_t written = 0;
    for (const std::int32_t value : placed) written += value != 0;
    CHECK(written == dense.size());
    // Image 1, row 2, column 3, channel 4: the last of the dense ones.
    const std::size_t last = layout == Layout::channels_last ? ((1 * 4 + 2) * 6 + 3) * 5 + 4
                                                             : ((1 * 5 + 4) * 4 + 2) * 6 + 3;
    CHECK(placed[last] == dense.back());
    gather(placed.data(), back.data(), lengths, strides, sizeof(std::int32_t));
    CHECK(back == dense);
  }
}

TEST_CASE("Filters go from r, s, i, o to o, r, s, i and o, i, r, s") {
  const FourSizes lengths{3, 2, 4, 5};
  const auto dense = counted(lengths);
  const std::size_t r = 1, s = 1, i = 2, o = 3, in_order = ((r * 2 + s) * 4 + i) * 5 + o;
  for (const Layout layout : {Layout::channels_last, Layout::channels_first}) {
    std::vector<std::int32_t> placed(dense.size(), 0);
    scatter(dense.data(), placed.data(), lengths, filter_strides(layout, 3, 2, 4),
            sizeof(std::int32_t));
    const std::size_t place = layout == Layout::channels_last ? ((o * 3 + r) * 2 + s) * 4 + i
                                                              : ((o * 4 + i) * 3 + r) * 2 + s;
    CHECK(placed[place] == dense[in_order]);
  }
}

}  // namespace
}  // namespace stackx::kernels::cuda
