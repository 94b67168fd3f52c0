#include <catch2/catch.hpp>

#include "inspector/discover/cuda/copies.hpp"
#include "tests/inspector/fake_machine.hpp"
#include "tests/inspector/remarks.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

TEST_CASE("a library with another's content is a copy; wheels of copies are dropped, a toolkit stays") {
  FakeMachine machine;
  const auto toolkit = [&](const std::string& root, const std::string& holder, const std::string& content,
                           const std::string& version) {
    machine.file(root + "/libcublas.so", content);
    machine.file(root + "/libcudart.so", "runtime");
    return CudaToolkit{"12.4", root, "x", holder,
                       {{"cublas", version, "12.4.5", root + "/libcublas.so", "x"},
                        {"cudart", "12.4.127", "12.4", root + "/libcudart.so", "x"}}};
  };
  CudaFound found;
  found.toolkits = {toolkit("/t", "", "one", "12.4.5"), toolkit("/u", "", "one", "12.4.5.8"),
                    toolkit("/a", "torch", "one", "12.4.5.8"), toolkit("/b", "jax", "two", "12.4.5.8")};
  KeptRemarks remarks;
  mark_copies(found, machine.tree(), remarks.keep());
  REQUIRE(found.toolkits.size() == 3);
  CHECK_FALSE(found.toolkits[0].libraries[0].copy);
  CHECK(found.toolkits[1].libraries[0].copy);
  CHECK(found.toolkits[2].holder == "jax");
  CHECK_FALSE(found.toolkits[2].libraries[0].copy);
  CHECK(remarks.has(Remark::left_out, "cublas 12.4.5.8+torch: the same content as /t/libcublas.so"));
  CHECK_FALSE(remarks.has(Remark::left_out, "libcudart"));
}
