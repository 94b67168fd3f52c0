// libFuzzer's own mutator works on bytes; of documents most of what it makes ends at the parser. So of three mutations
// two are of documents, with pieces of another one in libFuzzer's cross-over.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/mutate.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

namespace {

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::size_t put(const std::string& text, std::uint8_t* out, std::size_t largest) {
  const auto size = std::min(text.size(), largest);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t largest, unsigned seed) {
  stackx::specs::Random random(seed);
  if (random.below(3) == 0) return LLVMFuzzerMutate(data, size, largest);
  return put(stackx::fuzz::mutated_document(random, text_of(data, size), {}), data, largest);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t largest,
                                                 unsigned seed) {
  stackx::specs::Random random(seed);
  return put(
      stackx::fuzz::mutated_document(random, text_of(one, size), {text_of(other, other_size)}), out,
      largest);
}
