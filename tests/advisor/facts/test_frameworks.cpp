#include "advisor/facts/frameworks.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "specs/catalog/fact.hpp"

namespace frameworks_tests {

using namespace stackx::advisor;

TEST_CASE("what serves with a framework goes before it, and no build of its own is meant with a GPU") {
  const auto place = [](const char* name) { return std::ranges::find(frameworks(), name, &Framework::name) - frameworks().begin(); };
  CHECK(place("vllm") < place("torch"));
  CHECK(place("sglang") < place("torch"));
  CHECK(is_server("vllm"));
  CHECK_FALSE(is_framework("vllm"));
  CHECK(is_framework("torch"));
  CHECK_FALSE(is_server("torch"));
}

TEST_CASE("no answer is about a part of a framework") {
  CHECK(is_framework("jaxlib"));
  CHECK_FALSE(is_leading("jaxlib"));
  CHECK(is_leading("jax"));
  CHECK(is_leading("sglang"));
  CHECK_FALSE((is_framework("numpy") || is_leading("numpy") || is_server("numpy")));
}

TEST_CASE("an extra says whose accelerators it brings code for") {
  CHECK(vendor_of_extra("cuda12") == "nvidia");
  CHECK(vendor_of_extra("and-cuda") == "nvidia");
  CHECK(vendor_of_extra("rocm7-local") == "amd");
  CHECK(vendor_of_extra("tpu") == "google");
  CHECK(vendor_of_extra("k8s").empty());
}

TEST_CASE("what is taken instead is for the accelerator's vendor") {
  stackx::specs::Fact fact;
  fact.instead = "jax[cuda12]";
  fact.instead_on = {{"google", "jax[tpu]"}};
  CHECK(instead_for(fact, "nvidia") == "jax[cuda12]");
  CHECK(instead_for(fact, "google") == "jax[tpu]");
  CHECK(instead_for(fact, "intel").empty());
  fact.instead = "tensorflow-gpu";  // which does not say whose
  CHECK(instead_for(fact, "amd") == "tensorflow-gpu");
}

}  // namespace frameworks_tests
