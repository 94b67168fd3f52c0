#include "kernels/cuda/tensor_layout.hpp"

#include <cstring>

namespace stackx::kernels::cuda {
namespace {

// Calls visit(index in dense order, index by strides) for every element.
template <typename Visit>
void for_each_element(const FourSizes& lengths, const FourSizes& strides, Visit&& visit) {
  std::size_t dense = 0;
  for (std::size_t a = 0; a < lengths[0]; ++a)
    for (std::size_t b = 0; b < lengths[1]; ++b)
      for (std::size_t c = 0; c < lengths[2]; ++c)
        for (std::size_t d = 0; d < lengths[3]; ++d)
          visit(dense++, a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]);
}

}  // namespace

FourSizes image_strides(Layout layout, std::size_t height, std::size_t width,
                        std::size_t channels) {
  if (layout == Layout::channels_last)
    return {height * width * channels, width * channels, channels, 1};
  return {channels * height * width, width, 1, height * width};
}

FourSizes filter_strides(Layout layout, std::size_t r, std::size_t s, std::size_t i) {
  if (layout == Layout::channels_last) return {s * i, i, 1, r * s * i};
  return {s, 1, r * s, i * r * s};
}

void scatter(const void* dense, void* to, const FourSizes& lengths, const FourSizes& strides,
             std::size_t size) {
  const auto* source = static_cast<const unsigned char*>(dense);
  auto* target = static_cast<unsigned char*>(to);
  for_each_element(lengths, strides, [&](std::size_t in_order, std::size_t strided) {
    std::memcpy(target + strided * size, source + in_order * size, size);
  });
}

void gather(const void* from, void* dense, const FourSizes& lengths, const FourSizes& strides,
            std::size_t size) {
  const auto* source = static_cast<const unsigned char*>(from);
  auto* target = static_cast<unsigned char*>(dense);
  for_each_element(lengths, strides, [&](std::size_t in_order, std::size_t strided) {
    std::memcpy(target + in_order * size, source + strided * size, size);
  });
}

}  // namespace stackx::kernels::cuda
