#include "specs/version/version_text.hpp"

#include <catch2/catch.hpp>

namespace stackx::specs {
namespace version_text_tests {

TEST_CASE("version text: what people name of a version") {
  CHECK(major_release("12.8.1") == "12");
  CHECK(minor_release("12.8.1") == "12.8");
  CHECK(minor_release("12") == "12");
  CHECK(patch_release("9.10.2.21") == "9.10.2");
  CHECK(patch_release("9.10") == "9.10");
  CHECK(public_version("2.8.0+cu126") == "2.8.0");
  CHECK(local_label("2.8.0+cu126") == "cu126");
  CHECK(local_label("2.8.0").empty());
}

TEST_CASE("version text: newer by number, not by letter, and not by build") {
  CHECK(is_newer("2.10.0", "2.9.1"));
  CHECK_FALSE(is_newer("2.9.1", "2.10.0"));
  CHECK(is_newer("2.10.0", "2.10.0rc1"));
  CHECK_FALSE(is_newer("2.8.0+cu128", "2.8.0+cu126"));
  CHECK_FALSE(is_newer("R580", "570.1"));  // nothing is known of what is no version
  CHECK_FALSE(is_newer("570.1", ""));
}

}  // namespace version_text_tests
}  // namespace stackx::specs
