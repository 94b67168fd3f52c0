#include <catch2/catch.hpp>

#include "analysis/published/product_sizes.hpp"

using stackx::analysis::product_sizes;

TEST_CASE("the sizes of a product in words", "[published]") {
  CHECK(product_sizes({"matmul", {{"m", "8192"}, {"n", "8192"}, {"k", "8192"}, {"dtype", "float32"}}}) == "m=n=k=8192");
  CHECK(product_sizes({"matmul", {{"m", "768"}, {"n", "2048"}, {"k", "65536"}}}) == "m=768, n=2048, k=65536");
  CHECK(product_sizes({"matmul", {{"n", "64"}, {"m", "64"}}}) == "m=64, n=64");  // a size that is open makes no cube
  CHECK(product_sizes({"matmul", {}}).empty());
  CHECK(product_sizes({"conv2d", {{"k", "64"}, {"n", "8"}}}).empty());  // other things are called so there
}
