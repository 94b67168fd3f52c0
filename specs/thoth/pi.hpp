// Project Thoth's performance indicators, by the name of their script, as workloads of ours.
//
//   .../performance/.../tensorflow/matmul.py   matmul       MATMUL_DTYPE, MATMUL_MATRIX_SIZE, MATMUL_REPS, MATMUL_DEVICE
//   .../tensorflow/conv1d.py, conv2d.py        conv1d, ...  TENSOR_*, FILTER_*, CONV_*, BATCH, CONV2D_DEVICE
//   .../tensorflow/import.py, hello_world.py   import, hello_world
//   .../pytorch/...                            the same for PyTorch
// Their parameters are environment variables with defaults in the scripts (thoth-station/performance, read 2026-11-21);
// sizes, dtype, device and layout are kept. The number of repetitions only where the variable is set: theirs (20,000)
// made up for a rate over the sum of all times, ours is a median of calibrated samples. Scripts are never fetched:
// what runs is our PI, whose result is checked and whose work is counted right.
#pragma once

#include <expected>
#include <map>
#include <string>

#include "specs/project/workload.hpp"

namespace stackx::specs {

struct ThothPi {
  Workload workload;
  std::string framework;  // as the Python PIs call it: "tensorflow", "torch"
};

// Else the reason: no such script is known, or its parameters ask for what ours cannot do.
std::expected<ThothPi, std::string> thoth_pi(const std::string& url,
                                             const std::map<std::string, std::string>& environment);

}  // namespace stackx::specs
