// oneDNN's softmax, layer normalisation and sum with a row over the last dimension of plain operands.
//
// softmax: dnnl_softmax_forward_desc_init in 2.x, which all of them have (softmax_v2 came with 2.6
// or so and 3.x has nothing else). layer_norm in 2.x: scale and shift in one tensor of two rows,
// the only form that all of them have; in 3.x two tensors.
#pragma once

#include "kernels/onednn/engine.hpp"

namespace stackx::kernels::onednn {

PrimitiveOr create_softmax(Engine& engine, const std::string& what, Handle descriptor, int axis);
// The sum of a matrix of rows and a row that is added to each of them; the result may lie where the matrix does. The row is
// given as kAddend. Not as a post-operation of the product before: on 2.6 and 3.2 that takes the reference implementation of
// the product, a thousand times slower.
PrimitiveOr create_add_row(Engine& engine, const std::string& what, Handle matrix, Handle row);
PrimitiveOr create_layer_norm(Engine& engine, const std::string& what, Handle descriptor,
                              float epsilon);

}  // namespace stackx::kernels::onednn
