// The layer on a GPU: products by cuBLAS, those of the attention as a strided batch with the scale as its factor; mask
// (cudnnAddTensor) and softmax (cudnnSoftmaxForward) by cuDNN, which is found as the other libraries of a stack are.
//
// cuDNN's fused attention is of its graph interface and not what is measured: softmax and products as a framework without it runs
// them. float32, tf32, float16 and bfloat16, whose results are bfloat16 here, as frameworks call it (not dtype.hpp's float32).
#pragma once

#include "kernels/layer/case.hpp"

namespace stackx::kernels::cuda {

// Whether `library` is cuBLAS or cuDNN, by its file name: nothing is opened.
bool computes_layers(const std::string& library);

// `parameters` has "device" and "l2".
std::unique_ptr<Operation> layer_by_cublas(const PiArguments& arguments, const Parameters& parameters, const Layer& layer);

}  // namespace stackx::kernels::cuda
