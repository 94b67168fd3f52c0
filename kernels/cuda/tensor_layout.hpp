// Where the elements of a four-dimensional array lie: channels last (NHWC) or first (NCHW).
//
// Our operands are dense, images by (n, h, w, c) and filters by (r, s, i, o); a library may want
// them in another order, and images with room for padding around them. Strides count elements.
#pragma once

#include <array>
#include <cstddef>

namespace stackx::kernels::cuda {

enum class Layout { channels_first, channels_last };

using FourSizes = std::array<std::size_t, 4>;

// Of images of `channels`, in the order n, h, w, c.
FourSizes image_strides(Layout layout, std::size_t height, std::size_t width, std::size_t channels);
// Of filters of r rows, s columns and i input channels, in the order r, s, i, o.
FourSizes filter_strides(Layout layout, std::size_t r, std::size_t s, std::size_t i);

// Elements of `size` bytes: from dense order to their places by `strides`, and back. What of `to`
// no element belongs to is left as it is.
void scatter(const void* dense, void* to, const FourSizes& lengths, const FourSizes& strides,
             std::size_t size);
void gather(const void* from, void* dense, const FourSizes& lengths, const FourSizes& strides,
            std::size_t size);

}  // namespace stackx::kernels::cuda
