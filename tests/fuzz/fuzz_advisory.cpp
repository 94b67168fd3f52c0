// Input: a file of advisories in the OSV format. What is read can be asked for any version.
#include "specs/catalog/advisory.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto advisories = attempt([&] { return Advisories::parse(text, "osv.json"); });
  if (!advisories) return 0;
  for (const char* name : {"x", "tensorflow"})
    for (const char* written : {"0", "1.0", "2.2.0rc1", "9!1"}) {
      const auto version = Version::parse(written, Versioning::pep440);
      const auto ids = advisories->affecting("pypi", name, *version);
      require(ids.size() <= advisories->size(), "each advisory names a version once");
      require(ids == advisories->affecting("PyPI", name, *version), "ecosystems have no case");
    }
  const auto opaque = Version::parse("bookworm", Versioning::opaque);
  advisories->affecting("debian", "x", *opaque);
  return 0;
}
