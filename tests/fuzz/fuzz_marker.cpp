// Input: a marker or a requirement with one, a line.
#include <string>

#include "specs/python/pep508.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

const MarkerEnvironment& linux_3_8() {
  static const auto environment = [] {
    auto result = MarkerEnvironment::for_python("3.8.1", "linux x86_64");
    result.variables["extra"] = "gpu";
    result.extras = {"a", "gpu"};
    return result;
  }();
  return environment;
}
const MarkerEnvironment& windows_2_7() {
  static const auto environment = MarkerEnvironment::for_python("2.7", "windows amd64");
  return environment;
}

void check_marker(const Marker& marker) {
  const auto again = Marker::parse(marker.text());
  require(again.has_value(), "a marker's text is a marker");
  require(again->text() == marker.text(), "a marker's text is its normal form");
  for (const auto* environment : {&linux_3_8(), &windows_2_7()})
    require(again->holds(*environment) == marker.holds(*environment),
            "a marker is what its text says");
  const auto both = Marker::parse("(" + marker.text() + ") and (os_name == 'nt')");
  // One parenthesis more may be too many.
  require(!both || both->holds(windows_2_7()) == marker.holds(windows_2_7()),
          "and is a conjunction");
  require(!both || !both->holds(linux_3_8()), "and is a conjunction");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto line : lines(data, size)) {
    if (const auto marker = Marker::parse(line))
      check_marker(*marker);
    else
      check_error(marker.error(), line);
    const auto dependency = parse_dependency(line);
    if (!dependency) {
      check_error(dependency.error(), line);
      continue;
    }
    require(normalized_name(dependency->name) == dependency->name, "names are normalised");
    const auto again = parse_dependency(dependency->text());
    require(again && again->text() == dependency->text(), "a requirement is what its text says");
    if (dependency->marker) check_marker(*dependency->marker);
  }
  return 0;
}
