// Input: what a package index says of one package.
#include "specs/package/package.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto package = attempt([&] { return parse_package(*document); });
  if (!package) return 0;
  for (std::size_t i = 0; i < package->releases.size(); ++i) {
    const auto& release = package->releases[i];
    require(i == 0 || package->releases[i - 1].version <= release.version, "oldest first");
    require(package->find(release.version) != nullptr, "a release is found by its version");
    for (const auto& tags : release.wheels)
      require(!tags.pythons.empty() && !tags.abis.empty() && !tags.platforms.empty(), "a wheel is for something");
  }
  const auto text = to_text(*package);
  const auto again = attempt([&] { return parse_package(Node::parse_text(text, "again.json")); });
  require(again.has_value(), "what is written can be read");
  require(again->releases.size() == package->releases.size(), "no release is lost");
  require(to_text(*again) == text, "the same bytes for the same package");
  return 0;
}
