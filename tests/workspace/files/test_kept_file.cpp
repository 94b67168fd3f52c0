#include "workspace/files/kept_file.hpp"

#include <catch2/catch.hpp>

#include "specs/format/text_file.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using Catch::Matchers::Contains;

TEST_CASE("a file is kept with its directory, in place of an older one, and where that cannot be its name is told") {
  const tests::Place place("kept-file");
  const auto file = place / "not/there/yet.json";
  for (const char* text : {"one", "two"}) {
    workspace::keep_file(file, text);
    CHECK(specs::read_text_file(file, "a file") == text);
  }
  CHECK_THAT(tests::message_of([&] { workspace::keep_file(file / "below", "three"); }), Contains("yet.json/below: cannot be written"));
  CHECK(specs::read_text_file(file, "a file") == "two");
}
