// A made-up torch in a few builds, and what is asked of it.
#pragma once

#include "advisor/candidate/wish.hpp"
#include "tests/advisor/known.hpp"

namespace stackx::tests {

// torch 2.3: on the usual index for CUDA 13; other builds are on PyTorch's. Of 2.3+cu126 nobody is known to have seen one.
inline void torch_world(Known& known) {
  const std::string wheels = R"("uploaded": "2026-01-01", "wheels": {"manylinux_2_28_x86_64": "cp311-cp311 cp312-cp312"})";
  known
      .package("torch", "{\"2.3.0\": {" + wheels + R"(, "requires": ["nvidia-cudnn-cu13==9.20.0.1"]},
                          "2.2.1": {)" + wheels + R"(, "requires": []}, "2.2.0": {)" + wheels + R"(, "requires": []},
                          "2.1.0": {"wheels": {"manylinux_2_28_x86_64": "cp39-cp39"}, "requires": []}})")
      .package("nvidia-cudnn-cu13", R"({"9.20.0.1": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []}})")
      .facts(R"({"of": "torch", "versions": ["2.3.0"], "built_for": {"cuda": "13.0", "cubins": ["7.5", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.3.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "8.0"]}, "exists": "inferred", "known": "inferred"},
                {"of": "torch", "versions": ["2.2.1", "2.2.0"], "built_for": {"cuda": "12.8", "cubins": ["7.5", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.2.1+cu126"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "8.0"]}, "exists": "inferred", "known": "inferred"},
                {"of": "torch", "versions": ["2.2.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.2.0+cu118"], "built_for": {"cuda": "11.8", "cubins": ["3.7", "7.0", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.2.0+cpu"], "built_for": {"cuda": "none"}, "known": "read"},
                {"of": "torch", "versions": ["2.1.0"], "built_for": {"cuda": "12.1", "cubins": ["8.0"]}, "known": "read"},
                {"of": "nvidia-cudnn-cu13", "versions": ["9.20.0.1"], "built_for": {"cuda": "13.0", "cubins": ["7.5", "8.0"]}},
                {"of": "cuda", "versions": ["13.0"], "driver": "580.65.06", "minor": "580"},
                {"of": "cuda", "versions": ["12.1", "12.6", "12.8"], "driver": "560.28.03", "minor": "525.60.13"},
                {"of": "cuda", "versions": ["11.8"], "driver": "520.61.05", "minor": "450.80.02"})");
}

inline advisor::Wish wish_for_torch(const std::string& compute_capability, const std::string& driver = "") {
  advisor::Wish result;
  result.question = on_gpu({}, compute_capability, driver);
  result.root = "torch";
  return result;
}

}  // namespace stackx::tests
