#include <catch2/catch.hpp>

#include "specs/thoth/debian_names.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace debian_names_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

std::string refusal(const std::string& members) {
  const Files files;
  const auto file =
      files.write("names.json", R"({"$schema": "stackx/debian-names/1", )" + members + "}");
  return message_of([&] { load_debian_names(file); });
}

}  // namespace

TEST_CASE("our list of Debian names is sound") {
  const auto names = load_debian_names(STACKX_SOURCE_DIR "/specs/data/debian-names.json");
  CHECK(names.names.at("which") == "debianutils");
  CHECK(names.names.at("gcc-c++") == "g++");
  CHECK(names.not_needed.contains("python3-pip"));
  for (const auto& [rpm, why] : names.not_needed) CHECK_FALSE(names.names.contains(rpm));
}

TEST_CASE("a name that apt-get could take for something else is refused") {
  for (const char* wrong : {"--purge", "-x", "A", "a b", "a;b", "a=1", "../x", ""}) {
    CAPTURE(wrong);
    CHECK_THAT(refusal(R"("names": {"x": ")" + std::string(wrong) + "\"}"),
               Contains("/names/x: expected"));
  }
  CHECK_THAT(refusal(R"("name": {})"), Contains("unknown key \"name\""));
}

}  // namespace debian_names_tests
