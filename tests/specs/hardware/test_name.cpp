#include "specs/hardware/name.hpp"

#include <catch2/catch.hpp>

using namespace stackx::specs;

TEST_CASE("a card does not name its MIG instances") {
  CHECK_FALSE(names_hardware("h200", "NVIDIA H200 MIG 1g.18gb"));
  CHECK(names_hardware("h200-mig-1g.18gb", "NVIDIA H200 MIG 1g.18gb"));
  CHECK(names_hardware("mig 1g.18gb", "NVIDIA H200 MIG 1g.18gb"));
  CHECK_FALSE(names_hardware("mig", "NVIDIA H200"));
}

TEST_CASE("hardware is named by whole words, in a row, whatever stands between them") {
  for (const char* name : {"Tesla V100-SXM2-16GB", "NVIDIA V100", "v100-sxm2-16gb", "V100"})
    CHECK(names_hardware("v100", name));
  CHECK(names_hardware("V100-SXM2", "Tesla V100-SXM2-16GB"));
  CHECK(names_hardware("v100 sxm2 16gb", "Tesla V100-SXM2-16GB"));
  CHECK(names_hardware("tesla-v100", "NVIDIA Tesla  (V100)"));
  CHECK(names_hardware("0.5", "x 0.5 y"));
  for (const char* wanted : {"v10", "100", "v100-16gb", "v100s", "sxm2-v100"})
    CHECK_FALSE(names_hardware(wanted, "Tesla V100-SXM2-16GB"));
  CHECK_FALSE(names_hardware("v100", ""));
  CHECK_FALSE(names_hardware("v100", "DGXV100"));
  CHECK(hardware_words("Tesla V100-SXM2-16GB") == "-tesla-v100-sxm2-16gb-");
  CHECK(hardware_words("  (A) b/C ") == "-a-b-c-");
  CHECK(hardware_words("Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz") == "-intel-xeon-gold-6248-cpu-2.50ghz-");
  CHECK(hardware_words("Core(TM) i9(tm") == "-core-i9-tm-");
  CHECK(names_hardware("Xeon Gold 6248", "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"));
}
