#include "specs/python/core_metadata.hpp"

#include <catch2/catch.hpp>

namespace core_metadata_tests {

using stackx::specs::parse_core_metadata;
using Texts = std::vector<std::string>;

TEST_CASE("core metadata: headers in any case, over several lines, end where the description begins") {
  const auto metadata = parse_core_metadata(
      "Name: a\r\nVersion: 1.0\nrequires-dist: b (>=1,\n  <2)\nRequires-Python: >=3\nProvides-Extra: x\nprovides-extra:Y_y\n"
      "\nRequires-Dist: c\n");
  CHECK(metadata.name == "a");
  CHECK(metadata.version == "1.0");
  CHECK(metadata.requires_dist == Texts{"b (>=1, <2)"});
  CHECK(metadata.requires_python == ">=3");
  CHECK(metadata.provides_extra == Texts{"x", "Y_y"});
}

TEST_CASE("core metadata: what does not say is empty, what says it twice is taken at its last word") {
  const auto nothing = parse_core_metadata("a page, not a file");
  CHECK(nothing.name.empty());
  CHECK(nothing.version.empty());
  CHECK(nothing.requires_dist.empty());
  CHECK(parse_core_metadata("Name: a\nName: b\n").name == "b");
}

TEST_CASE("core metadata: bytes that are no UTF-8 are no requirement") {
  CHECK(parse_core_metadata("Requires-Dist: b\xff>=1\n").requires_dist == Texts{"b\ufffd>=1"});
}

TEST_CASE("core metadata: a source archive's requirements are final from 2.2 on, unless they are dynamic") {
  CHECK(parse_core_metadata("Metadata-Version: 2.2\n").final_in_source);
  CHECK(parse_core_metadata("Metadata-Version: 2.10\nDynamic: License\n").final_in_source);
  CHECK_FALSE(parse_core_metadata("Metadata-Version: 2.2\nDynamic: requires-dist\nDynamic: License\n").final_in_source);
  CHECK_FALSE(parse_core_metadata("Metadata-Version: 2.1\n").final_in_source);
  CHECK_FALSE(parse_core_metadata("Metadata-Version: two\n").final_in_source);
  CHECK_FALSE(parse_core_metadata("Name: a\n").final_in_source);
}

}  // namespace core_metadata_tests
