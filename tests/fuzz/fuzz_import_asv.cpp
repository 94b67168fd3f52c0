// Input: a result file of asv, or a tree: files behind lines "==== PATH".
#include "tests/fuzz/importing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return stackx::fuzz::import_files(data, size, "asv");
}
