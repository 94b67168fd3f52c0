// oneDNN's softmax and layer normalisation over the last dimension of plain operands.
//
// softmax: dnnl_softmax_forward_desc_init in 2.x, which all of them have (softmax_v2 came with 2.6
// or so and 3.x has nothing else). layer_norm in 2.x: scale and shift in one tensor of two rows,
// the only form that all of them have; in 3.x two tensors.
#pragma once

#include "kernels/onednn/engine.hpp"

namespace stackx::kernels::onednn {

PrimitiveOr create_softmax(Engine& engine, const std::string& what, Handle descriptor, int axis);
PrimitiveOr create_layer_norm(Engine& engine, const std::string& what, Handle descriptor,
                              float epsilon);

}  // namespace stackx::kernels::onednn
