// The text of our kernels (source/*.cu) inside the program, which needs no file beside it.
#pragma once

#include <string_view>

namespace stackx::kernels::cuda {

std::string_view warp_source();    // what the kernels ask of a warp; goes before a kernel's text
std::string_view tensor_source();  // on tensor cores
std::string_view tiled_source();   // without

}  // namespace stackx::kernels::cuda
