// Input: nvbench's JSON.
#include "tests/fuzz/importing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return stackx::fuzz::import_file(data, size, "nvbench");
}
