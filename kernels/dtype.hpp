// Element types of a matrix product and what follows from each: operand types, result type,
// rounding.
//
//   dtype     A        B      C        accumulates in
//   float32   float    float  float    float
//   float64   double   double double   double
//   bfloat16  bfloat16 same   float    float
//   int8      uint8    int8   int32    int32 (exact)
//
// bfloat16 and int8 are the forms that BLAS libraries and oneDNN share: C in float hides no
// rounding of the result, and unsigned times signed is what the instructions (VNNI, AMX) and MKL's
// row-major cblas_gemm_s8u8s32 take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stackx::kernels {

enum class Dtype { float32, float64, bfloat16, int8 };

enum class Element { float32, float64, bfloat16, int8, uint8, int32 };

constexpr const char* to_string(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return "float32";
    case Dtype::float64:
      return "float64";
    case Dtype::bfloat16:
      return "bfloat16";
    case Dtype::int8:
      return "int8";
  }
  return "";
}

constexpr std::optional<Dtype> dtype_from(std::string_view name) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::bfloat16, Dtype::int8})
    if (name == to_string(dtype)) return dtype;
  return std::nullopt;
}

struct Elements {
  Element a, b, c;
};

constexpr Elements elements(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return {Element::float32, Element::float32, Element::float32};
    case Dtype::float64:
      return {Element::float64, Element::float64, Element::float64};
    case Dtype::bfloat16:
      return {Element::bfloat16, Element::bfloat16, Element::float32};
    case Dtype::int8:
      break;
  }
  return {Element::uint8, Element::int8, Element::int32};
}

constexpr std::size_t size_of(Element element) {
  switch (element) {
    case Element::float64:
      return 8;
    case Element::float32:
    case Element::int32:
      return 4;
    case Element::bfloat16:
      return 2;
    case Element::int8:
    case Element::uint8:
      break;
  }
  return 1;
}

// Unit roundoff of the accumulation; 0 where it is exact.
constexpr double unit_roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::float64:
      return 0x1p-53;
    case Dtype::float32:
    case Dtype::bfloat16:
      return 0x1p-24;
    case Dtype::int8:
      break;
  }
  return 0;
}

// bfloat16 is the upper half of a float; rounding to nearest, ties to even. Finite input only.
std::uint16_t to_bfloat16(float value);
float from_bfloat16(std::uint16_t bits);

}  // namespace stackx::kernels
