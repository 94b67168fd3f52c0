#include "inspector/discover/cuda/question.hpp"

#include <catch2/catch.hpp>

#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

// What the interpreter runs is tested on look-alikes of the libraries: tests/cli/gpu/test_gpu_discover.py.
TEST_CASE("a library's answer is the last word; a failure and what is no answer are none; some are not asked") {
  TempDirectory place;
  const auto answer = [&](const std::string& script, std::size_t kind) {
    write(place / "python", "#!/bin/sh\n" + script);
    fs::permissions(place / "python", fs::perms::owner_all);
    return asked_by({place / "python", "3.11.2", "", "", "", ""})(cuda_kinds[kind], "/lib/libx.so");
  };
  CHECK(answer("[ \"$1 $2 $3 $4\" = '-E -s -S -c' ] && printf 'noise\\nstackx 1\\n\\nstackx %s' \"$6 $7\"", 0) == "cublas /lib/libx.so");
  CHECK(answer("printf '\\nstackx 11.5.1'; exit 1", 0).empty());
  CHECK(answer("echo 11.5.1", 0).empty());
  for (std::size_t i = 0; i < cuda_kinds.size(); ++i) {
    const std::string component = cuda_kinds[i].component;
    CHECK(answer("printf '\\nstackx 1.2'", i) == (component == "cudart" || component == "nccl" ? "" : "1.2"));
  }
}
