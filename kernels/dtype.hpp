// Element types of a matrix product and what follows from each: operand types, result type,
// rounding.
//
//   dtype     A         B      C         accumulates in
//   float32   float     float  float     float
//   float64   double    double double    double
//   bfloat16  bfloat16  same   float     float
//   int8      uint8     int8   int32     int32 (exact)
//   float16   float16   same   float16   float
//   tf32      float     float  float     float; the multiplier sees 11 significant bits
//   fp8       e4m3      same   bfloat16  float (of which hardware may keep 14 bits)
//
// bfloat16 and int8 are the forms that BLAS libraries and oneDNN share: C in float hides no
// rounding of the result, and unsigned times signed is what the instructions (VNNI, AMX) and MKL's
// row-major cblas_gemm_s8u8s32 take. float16 and fp8 are what frameworks call on GPUs: PyTorch's
// float16 product and the default of its _scaled_mm. The rounding of C is small beside the sum's
// error in half precision (by 1/sqrt(k)), so the check still tells which of the two was used.
// tf32 is a way to multiply floats and no element type. C can be asked for in another type: result_type.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stackx::kernels {

enum class Dtype { float32, float64, bfloat16, int8, float16, tf32, fp8 };

enum class Element { float32, float64, bfloat16, int8, uint8, int32, float16, e4m3 };

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
    case Dtype::float16:
      return "float16";
    case Dtype::tf32:
      return "tf32";
    case Dtype::fp8:
      return "fp8";
  }
  return "";
}

constexpr std::optional<Dtype> dtype_from(std::string_view name) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::bfloat16, Dtype::int8,
                            Dtype::float16, Dtype::tf32, Dtype::fp8})
    if (name == to_string(dtype)) return dtype;
  return std::nullopt;
}

constexpr const char* to_string(Element element) {
  switch (element) {
    case Element::float32:
      return "float32";
    case Element::float64:
      return "float64";
    case Element::bfloat16:
      return "bfloat16";
    case Element::int8:
      return "int8";
    case Element::uint8:
      return "uint8";
    case Element::int32:
      return "int32";
    case Element::float16:
      return "float16";
    case Element::e4m3:
      break;
  }
  return "float8_e4m3";
}

struct Elements {
  Element a, b, c;
};

constexpr Elements elements(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
    case Dtype::tf32:
      return {Element::float32, Element::float32, Element::float32};
    case Dtype::float64:
      return {Element::float64, Element::float64, Element::float64};
    case Dtype::bfloat16:
      return {Element::bfloat16, Element::bfloat16, Element::float32};
    case Dtype::float16:
      return {Element::float16, Element::float16, Element::float16};
    case Dtype::fp8:
      return {Element::e4m3, Element::e4m3, Element::bfloat16};
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
    case Element::float16:
      return 2;
    case Element::int8:
    case Element::uint8:
    case Element::e4m3:
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
    case Dtype::float16:
    case Dtype::tf32:
      return 0x1p-24;
    case Dtype::fp8:
      return 0x1p-13;
    case Dtype::int8:
      break;
  }
  return 0;
}

// bfloat16 is the upper half of a float; rounding to nearest, ties to even. Finite input only.
std::uint16_t to_bfloat16(float value);
float from_bfloat16(std::uint16_t bits);

// IEEE binary16, and the e4m3 of the OCP 8-bit specification (no infinity, largest 448): to
// nearest, ties to even, with subnormals. Finite input; e4m3 saturates.
std::uint16_t to_float16(float value);
float from_float16(std::uint16_t bits);
std::uint8_t to_e4m3(float value);
float from_e4m3(std::uint8_t bits);

}  // namespace stackx::kernels
