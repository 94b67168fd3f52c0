#include "analysis/published/near_workload.hpp"

#include <catch2/catch.hpp>

namespace near_workload_tests {

using namespace stackx;
using namespace stackx::analysis;

TEST_CASE("where no size is asked for, a product like 4096 cubed is meant", "[near_workload]") {
  const auto away = [](const char* text) { return unusual(specs::parse_workload(text)); };
  CHECK(away("matmul:m=4096,n=4096,k=4096,dtype=float16") == Unusual{});
  CHECK(*away("matmul:m=4096,n=7000,k=4096") < *away("matmul:m=5124,n=9124,k=4096"));
  CHECK(*away("matmul:m=8192,n=8192,k=8192") < *away("matmul:m=768,n=2048,k=65536"));
  CHECK(*away("matmul:m=8192,n=2560,k=8192") < *away("matmul:m=2048,n=2048,k=3072"));  // less work
  CHECK(!away("matmul:m=4096"));
  CHECK(!away("conv2d:n=4096"));
}

}  // namespace near_workload_tests
