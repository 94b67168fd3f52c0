// Compiles all our kernels with a libnvrtc, for all architectures that it knows from 7.0 on or those
// that are named. Needs no GPU. One JSON object a line:
//
//   {"nvrtc": "12.9", "architecture": "sm_90", "kernel": "tensor", "dtype": "float16",
//    "tile": "128x256, warps of 64x64, 3 stages", "aligned": true, "image_bytes": 23368,
//    "registers": 226, "spill_bytes": 0, "error": null}
//
// Exit status: 0 if all compile without spilling registers, 1 if not, 3 if the library cannot be
// loaded.
//
//   compile_kernels LIBNVRTC [ARCHITECTURE...]     e.g. compile_kernels libnvrtc.so.12 80 90
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "kernels/cuda/products/nvrtc.hpp"
#include "kernels/cuda/products/own_kernel.hpp"

using namespace stackx::kernels;
using namespace stackx::kernels::cuda;
using nlohmann::json;

namespace {

// What ptxas says: "Used 226 registers", "16 bytes stack frame, 48 bytes spill stores, ...".
json number_in(const std::string& log, const char* pattern) {
  std::smatch match;
  if (!std::regex_search(log, match, std::regex(pattern))) return nullptr;
  return std::stoi(match[1]);
}

bool compile(const Compiler& compiler, const Target& target, Kernel kernel, Dtype dtype,
             const Tile& tile, bool aligned) {
  const Launch launch = launch_of(kernel, dtype, tile, 1000, aligned ? 1024 : 1001, 1024);
  auto options = launch.options;
  if (target.cubin) options.push_back("--ptxas-options=-v");
  const auto compiled = compiler.compile(source_of(kernel), target, options);
  json line = {{"nvrtc", compiler.version()},
               {"architecture", target.text()},
               {"kernel", kernel == Kernel::tiled ? "tiled" : "tensor"},
               {"dtype", to_string(dtype)},
               {"tile", launch.text()},
               {"aligned", launch.aligned},
               {"image_bytes", compiled ? compiled->image.size() : 0},
               {"registers", nullptr},
               {"spill_bytes", nullptr},
               {"error", nullptr}};
  if (compiled) {
    line["registers"] = number_in(compiled->log, "Used ([0-9]+) registers");
    line["spill_bytes"] = number_in(compiled->log, "([0-9]+) bytes spill stores");
  } else {
    line["error"] = compiled.error();
  }
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
  return compiled && !compiled->image.empty() &&
         (line["spill_bytes"].is_null() || line["spill_bytes"] == 0);
}

bool compile_all(const Compiler& compiler, const Target& target) {
  bool good = true;
  for (const Kernel kernel : {Kernel::tiled, Kernel::tensor})
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16,
                              Dtype::tf32}) {
      const auto choice = tiles(kernel, dtype, target.capability);
      if (!choice) continue;
      for (const Tile& tile : *choice)
        for (const bool aligned : {true, false})
          good = compile(compiler, target, kernel, dtype, tile, aligned) && good;
    }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: compile_kernels LIBNVRTC [ARCHITECTURE...]\n", stderr);
    return 2;
  }
  try {
    const Compiler compiler(load_api<Nvrtc>(SharedObject(argv[1])));
    std::vector<int> architectures;
    for (int i = 2; i < argc; ++i) architectures.push_back(std::atoi(argv[i]));
    if (architectures.empty())
      for (const int known : compiler.architectures())
        if (known >= 70) architectures.push_back(known);
    bool good = true;
    for (const int architecture : architectures) {
      const auto target = compiler.target(architecture);
      good = target && compile_all(compiler, *target) && good;
    }
    return good ? 0 : 1;
  } catch (const LoadError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
