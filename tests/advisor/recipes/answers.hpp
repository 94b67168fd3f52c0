// Answers as advise gives them, for tests of recipes: each written in all formats, and run by
// tests/cli/advise/test_recipe_answers.py.
#pragma once

#include <map>
#include <string>

#include "advisor/recipes/pinned.hpp"

namespace stackx::tests {

struct PinnedAnswer {
  std::string pi;     // "matmul"; "llm_serving": stackx has none
  std::string model;  // of a GPU; "": a CPU
  advisor::Pinned pinned;
};

inline const std::map<std::string, PinnedAnswer>& pinned_answers() {
  const std::string old = ">=525.60.13", all = ">=580.65.06";
  static const std::map<std::string, PinnedAnswer> answers{
      {"torch", {"matmul", "h100-sxm5-80gb", {"3.12", {"3.12", "3.13", "3.11"}, all, "2.28", {{"torch", "2.15.0"}}}}},
      {"torch-cu126",
       {"matmul", "v100-sxm2-16gb",
        {"3.12", {"3.12", "3.11"}, old, "2.28", {{"torch", "2.14.1+cu126"}}}}},
      {"torch-cu118",
       {"train_resnet50", "v100-sxm2-16gb",
        {"3.11", {"3.11"}, ">=450.80.02", "2.28", {{"torch", "2.7.1+cu118"}, {"numpy", "2.2.6"}}}}},
      {"torch-usual",
       {"matmul", "v100-sxm2-16gb", {"3.12", {"3.12"}, all, "", {{"torch", "2.10.0"}, {"numpy", "2.3.5"}}}}},
      {"transformers-cu126",
       {"llm_serving", "v100-sxm2-16gb",
        {"3.12", {"3.12"}, old, "2.28",
         {{"torch", "2.14.1+cu126", {}, false}, {"transformers", "5.0.0"}, {"numpy", "2.3.5"}}}}},
      {"jax-cuda12",
       {"matmul", "v100-sxm2-16gb",
        {"3.12", {"3.12", "3.13"}, old, "2.27",
         {{"jax", "0.6.2", {"cuda12"}}, {"nvidia-cudnn-cu12", "9.10.2.21", {}, false}}}}},
      {"jax-cuda13", {"matmul", "h100-sxm5-80gb", {"3.13", {"3.13"}, all, "2.27", {{"jax", "0.10.2", {"cuda13"}}}}}},
      {"tensorflow",
       {"conv2d", "h100-sxm5-80gb",
        {"3.12", {"3.12"}, old, "2.27", {{"tensorflow", "2.21.0", {"and-cuda"}}}}}},
      {"tensorflow-cpu", {"matmul", "", {"3.12", {"3.12"}, "", "", {{"tensorflow-cpu", "2.21.0"}}}}},
      {"vllm", {"llm_serving", "h100-sxm5-80gb", {"3.12", {"3.12"}, all, "2.31", {{"vllm", "0.30.0"}}}}},
      {"torch-rocm", {"matmul", "mi300x", {"3.12", {"3.12"}, "", "2.28", {{"torch", "2.14.1+rocm7.2"}}}}},
      {"vllm-rocm",
       {"llm_serving", "mi300x",
        {"3.12", {"3.12"}, "", "2.39", {{"vllm", "0.31.0+rocm723"}, {"torch", "2.13.0+git733fca1", {}, false, "", true}}, {{"vllm", {{"rocm", "7.2.3"}}}}}}},
      {"torch-xpu", {"matmul", "arc-b580", {"3.12", {"3.12"}, "", "2.28", {{"torch", "2.14.1+xpu"}}, {{"torch", {{"Level Zero", "1"}}}}}}},
      {"torch-cpu", {"matmul", "", {"3.12", {"3.12"}, "", "", {{"torch", "2.15.0+cpu"}}}}},
      {"onnxruntime", {"matmul", "", {"3.11", {"3.11", "3.12"}, "", "2.27", {{"onnxruntime", "1.24.4"}}}}},
      {"scipy-openblas64", {"matmul", "", {"3.11", {"3.11", "3.12"}, "", "", {{"scipy-openblas64", "0.3.34.106.0"}}}}},
      {"numpy", {"matmul", "", {"3.11", {"3.11", "3.12"}, "", "", {{"numpy", "2.3.5"}}}}}};
  return answers;
}

}  // namespace stackx::tests
