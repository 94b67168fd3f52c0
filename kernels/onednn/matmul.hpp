// Matrix products through oneDNN's matmul primitive.
//
// Operands have explicit row-major strides, as in BLAS: with format "any" oneDNN could pack B once,
// before the timed calls; that would be another workload. A batch is one primitive on operands of
// three dimensions.
#pragma once

#include "kernels/onednn/engine.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> make_onednn(const SharedObject& object);  // nullptr: something else

namespace onednn {

// C = A * B on the descriptors' last two dimensions.
PrimitiveOr create_matmul(Engine& engine, const std::string& what, Handle a, Handle b, Handle c,
                          Handle attributes = nullptr);

}  // namespace onednn
}  // namespace stackx::kernels
