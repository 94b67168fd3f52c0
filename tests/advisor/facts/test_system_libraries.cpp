// What no installer brings, of the package as it was chosen.
#include "advisor/facts/system_libraries.hpp"

#include <catch2/catch.hpp>

namespace system_libraries_tests {

using namespace stackx::advisor;

TEST_CASE("system libraries: those that no extra brings, in words") {
  stackx::specs::Fact fact;
  fact.system = {{"cuda", "13.0"}, {"cudnn", "9"}};
  const auto words = [&](const stackx::specs::Stack& chosen) { return in_words(loaded_from_system(fact, "ort", chosen)); };
  CHECK(words({{{"ort", "1.31.1"}}}) == "CUDA 13.0 and cuDNN 9");
  CHECK(words({{{"ort", "1.31.1"}, {"ort+cuda", "1.31.1"}}}) == "cuDNN 9");
  CHECK(words({{{"ort", "1.31.1"}, {"ort+and-cuda", "1.31.1"}}}).empty());
  fact.system = {{"Open MPI", "4"}, {"rocm", "7.2.3"}};
  CHECK(words({{{"ort", "1.31.1"}}}) == "Open MPI 4 and ROCm 7.2.3");
}

}  // namespace system_libraries_tests
