#include "advisor/answer/grade.hpp"

#include <catch2/catch.hpp>

namespace stackx::advisor {
namespace grade_tests {

TEST_CASE("grade: what is required is reached by itself and by more") {
  CHECK(satisfies(Grade::measured, "measured"));
  CHECK(satisfies(Grade::measured_elsewhere, "measured"));
  CHECK_FALSE(satisfies(Grade::published, "measured"));
  CHECK(satisfies(Grade::published, "published"));
  CHECK_FALSE(satisfies(Grade::newest, "predicted"));
  CHECK(satisfies(Grade::newest, ""));
}

}  // namespace grade_tests
}  // namespace stackx::advisor
