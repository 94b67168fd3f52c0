#include "pypi/distribution/metadata.hpp"

#include <catch2/catch.hpp>

using namespace stackx::pypi;

TEST_CASE("a source archive's requirements are final only if it says so", "[pypi]") {
  const std::string final = "Metadata-Version: 2.2\nRequires-Dist: b\n";
  CHECK(parse_metadata(source_metadata({final, "c\n"})).requires_dist ==
        std::vector<std::string>{"b"});
  const auto noted =
      parse_metadata(source_metadata({final + "Dynamic: Requires-Dist\n",
                                      "c>=1\n[x:os_name=='nt']\nd;python_version<'3'\n[y]\ne\n"}));
  CHECK(!noted.authoritative);
  CHECK(noted.requires_dist ==
        std::vector<std::string>{"c>=1",
                                 "d ; (python_version<'3') and (os_name=='nt') and extra == \"x\"",
                                 "e ; extra == \"y\""});
}
