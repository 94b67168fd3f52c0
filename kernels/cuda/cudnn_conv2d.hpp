// conv2d through cuDNN 7, 8 and 9: cudnnConvolutionForward, whose form is the same in all three.
//
// The problem, its parameters and its check are those of kernels/reference/convolution.hpp; beside them
//   layout         channels_last (NHWC, filters KRSC; also what default means) or channels_first
//                  (NCHW, KCRS), of input and result
//   search         0: what cuDNN's heuristics put first (cudnnGetConvolutionForwardAlgorithm_v7)
//                  1: what is fastest here, tried out once (cudnnFindConvolutionForwardAlgorithmEx)
//   algorithms     direct: those that sum the products as they are (implicit GEMM with and without
//                  precomputed indices, GEMM, direct); all: FFT and Winograd, too, whose errors are
//                  larger: in half precision beyond the check's bound
//   workspace_mib  the most memory that an algorithm may want beside its operands
// The algorithm that runs, its math and its workspace stand in the document's "library".
//
// dtype   cuDNN's types                     math
// float64 double, sums in double            default
// float32 float                             default in 7; FMA from 8 on, whose default is TF32
// tf32    float                             default, from 8 on and compute capability 8.0 on
// float16 half, sums in float               tensor cores where the algorithm has them
//
// cuDNN pads both sides alike; where padding=same needs one zero more at the end, the input is
// stored with that row and column of zeros, before anything is timed.
//
// Left out: the backend (graph) interface of 8 and 9, through which cuDNN also reaches its newest
// kernels (runtime-compiled, FP8); bias, int8 and bfloat16.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/pi.hpp"

namespace stackx::kernels::cuda {

bool is_cudnn(const std::string& library);  // by its file's name

// What conv2d takes where its library is cuDNN and nowhere else.
std::vector<Parameter> cudnn_parameters();

// `pi.parameters` holds those; of the others, "threads" does not apply.
nlohmann::json run_cudnn_conv2d(const Pi& pi, const PiArguments& arguments, const Clock& clock);

}  // namespace stackx::kernels::cuda
