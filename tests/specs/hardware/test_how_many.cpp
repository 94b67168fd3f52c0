#include "specs/hardware/how_many.hpp"

#include <catch2/catch.hpp>

#include "specs/hardware/accelerator.hpp"

namespace how_many_tests {

using namespace stackx::specs;

TEST_CASE("a number of accelerators before or after their name", "[how_many]") {
  for (const char* text : {"8xH100", "8x H100", "8 X H100", "H100x8", "H100 x8", "H100 x 8", "H100:8", "H100*8", " 8*H100 "}) {
    INFO(text);
    const auto counted = counted_name(text);
    REQUIRE(counted);
    CHECK(counted->count == 8);
    CHECK(counted->one == "H100");
  }
  for (const char* none : {"", "x", "8x", "x8", "H100", "rtx4090", "RTX 4090", "mi300x", "GTX:", "0xH100", "1234xH100", "Xeon", "quadro rtx8"}) {
    INFO(none);
    CHECK(!counted_name(none));
  }
}

TEST_CASE("instances of clouds carry as many as their makers say", "[how_many][facts]") {
  const auto all = load_accelerators(STACKX_SOURCE_DIR "/specs/data");
  const auto count = [&](std::string_view name) {
    const auto* model = all.identify(name);
    return model == nullptr ? 0 : how_many(*model, name);
  };
  CHECK(count("8xh100") == 8);
  CHECK(count("h100x4") == 4);
  CHECK(count("h100") == 1);
  CHECK(count("p5.48xlarge") == 8);
  CHECK(count("ml.p5.48xlarge") == 8);
  CHECK(count("p5") == 1);
  CHECK(count("g5.xlarge") == 1);
  CHECK(count("g5.12xlarge") == 4);
  CHECK(count("Standard_NC96ads_A100_v4") == 4);
  CHECK(count("a2-megagpu-16g") == 16);
  CHECK(count("a2-highgpu-1g") == 1);
  for (const auto& model : all.all())
    for (const auto& [instance, number] : model.instances) {
      INFO(instance);
      CHECK(all.identify(instance) == &model);
      CHECK(how_many(model, instance) == number);
    }
}

}  // namespace how_many_tests
