#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernels/parameters.hpp"

using namespace stackx::kernels;
using Catch::Matchers::Contains;

namespace {

Parameters parse(const std::vector<std::string>& words) {
  return {
      {{"m", "512", ""}, {"dtype", "float32", ""}, {"threads", "1", ""}, {"warmup_ms", "100", ""}},
      words};
}

}  // namespace

TEST_CASE("parameters have defaults and take values", "[parameters]") {
  const auto parameters = parse({"m=7", "dtype=int8"});
  CHECK(parameters.whole("m", 1, 100) == 7);
  CHECK(parameters.whole("threads", 1, 100) == 1);
  CHECK(parameters.one_of("dtype", {"float32", "int8"}) == "int8");
  CHECK(parameters.number("warmup_ms", 0) == 100);
}

TEST_CASE("the output names every parameter, numbers as numbers", "[parameters]") {
  auto parameters = parse({"warmup_ms=2.5"});
  parameters.set("threads", "4");
  CHECK(parameters.json() ==
        nlohmann::json{{"m", 512}, {"dtype", "float32"}, {"threads", 4}, {"warmup_ms", 2.5}});
}

TEST_CASE("an unknown key names the nearest", "[parameters]") {
  CHECK_THROWS_WITH(parse({"thread=2"}),
                    Contains("\"thread\"") && Contains("did you mean \"threads\"?"));
  CHECK_THROWS_WITH(parse({"dtpye=int8"}), Contains("did you mean \"dtype\"?"));
  CHECK_THROWS_WITH(parse({"warmup=1"}), Contains("did you mean \"warmup_ms\"?"));
  CHECK_THROWS_WITH(parse({"frobnicate=1"}), Contains("known are m, dtype"));
  CHECK_THROWS_AS(parse({"thread=2"}), UsageError);
}

TEST_CASE("malformed words are refused", "[parameters]") {
  CHECK_THROWS_WITH(parse({"512"}), Contains("expected key=value"));
  CHECK_THROWS_WITH(parse({"m=1", "m=2"}), Contains("twice"));
  for (const char* word : {"m=", "m=0", "m=-1", "m=+1", "m=1.5", "m=1e3", "m=0x10", "m= 1", "m=1 ",
                           "m=101", "m=18446744073709551616", "m=nan"}) {
    INFO(word);
    CHECK_THROWS_AS(parse({word}).whole("m", 1, 100), UsageError);
  }
  for (const char* word :
       {"warmup_ms=", "warmup_ms=-1", "warmup_ms=nan", "warmup_ms=inf", "warmup_ms=1ms"}) {
    INFO(word);
    CHECK_THROWS_AS(parse({word}).number("warmup_ms", 0), UsageError);
  }
  CHECK_THROWS_WITH(parse({"dtype=half"}).one_of("dtype", {"float32", "int8"}),
                    Contains("expected one of float32, int8"));
}

TEST_CASE("nearest finds by edit distance and stays silent for the far", "[parameters]") {
  CHECK(nearest("matmull", {"hello_world", "matmul"}) == "matmul");
  CHECK(nearest("hello", {"matmul", "threads"}).empty());
  CHECK(nearest("", {"matmul"}).empty());
}
