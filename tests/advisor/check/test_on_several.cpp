#include "advisor/check/on_several.hpp"

#include <catch2/catch.hpp>

#include "specs/hardware/accelerator.hpp"
#include "workspace/context.hpp"

using namespace stackx;
using namespace stackx::advisor;

TEST_CASE("on several: the catalog of GPUs that tells a name of several words apart is read once") {
  workspace::Context context;
  context.executable_directory = std::filesystem::path(STACKX_SOURCE_DIR) / "build";
  CheckRequest request;
  request.hardware = "h100";
  CHECK(several_asked(request, context).empty());
  CHECK_FALSE(request.accelerators);  // one word is read with the answer alone
  request.hardware = "rtx 4090";
  CHECK(several_asked(request, context).empty());
  REQUIRE(request.accelerators);
  const auto* read = request.accelerators.get();
  request.hardware = "v100,h100";
  CHECK(several_asked(request, context).size() == 2);
  CHECK(request.accelerators.get() == read);
}
