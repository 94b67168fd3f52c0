#include "kernels/onednn/rows.hpp"

namespace stackx::kernels::onednn {
namespace {

constexpr int kAccurate = 0x30000;                            // dnnl_softmax_accurate
constexpr unsigned kScaleShiftV2 = 0x2, kScaleShiftV3 = 0x6;  // dnnl_normalization_flags_t
constexpr int kBinaryAdd = 0x1fff0;                           // dnnl_binary_add
constexpr Handle kNoStatistics = nullptr;  // mean and variance are computed and not kept

}  // namespace

PrimitiveOr create_softmax(Engine& engine, const std::string& what, Handle descriptor, int axis) {
  if (engine.is_v2())
    return engine.create_v2(what, "dnnl_softmax_forward_desc_init", nullptr, kForwardInference,
                            descriptor, axis);
  return engine.create_v3(what, "dnnl_softmax_forward_primitive_desc_create", nullptr,
                          kForwardInference, kAccurate, descriptor, descriptor, axis);
}

PrimitiveOr create_add_row(Engine& engine, const std::string& what, Handle matrix, Handle row) {
  if (engine.is_v2())
    return engine.create_v2(what, "dnnl_binary_desc_init", nullptr, kBinaryAdd, matrix, row, matrix);
  return engine.create_v3(what, "dnnl_binary_primitive_desc_create", nullptr, kBinaryAdd, matrix, row, matrix);
}

PrimitiveOr create_layer_norm(Engine& engine, const std::string& what, Handle descriptor,
                              float epsilon) {
  if (engine.is_v2())
    return engine.create_v2(what, "dnnl_layer_normalization_forward_desc_init", nullptr,
                            kForwardInference, descriptor, kNoStatistics, epsilon, kScaleShiftV2);
  return engine.create_v3(what, "dnnl_layer_normalization_forward_primitive_desc_create", nullptr,
                          kForwardInference, descriptor, descriptor, kNoStatistics, epsilon,
                          kScaleShiftV3);
}

}  // namespace stackx::kernels::onednn
