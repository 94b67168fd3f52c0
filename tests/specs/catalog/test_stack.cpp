#include <catch2/catch.hpp>

#include "specs/catalog/stack.hpp"
#include "specs/format/digest.hpp"

using namespace stackx::specs;

TEST_CASE("a stack's id is the digest of its canonical JSON") {
  const Stack stack{{{"openblas", "0.3.29"}, {"cpu", "sapphire-rapids"}}};
  CHECK(stack.id() == sha256(R"({"cpu":"sapphire-rapids","openblas":"0.3.29"})"));
  CHECK(stack.short_id() == stack.id().substr(0, 12));
  CHECK(Stack{}.id() == sha256("{}"));
}

TEST_CASE("stacks differ where a version or a component differs") {
  const Stack one{{{"a", "1"}}}, other{{{"a", "2"}}}, more{{{"a", "1"}, {"b", "1"}}};
  CHECK(one != other);
  CHECK(one.id() != other.id());
  CHECK(one.id() != more.id());
  CHECK(one == Stack{{{"a", "1"}}});
}
