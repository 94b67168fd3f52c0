// Input: a wheel's METADATA, or a source archive's PKG-INFO with its requires.txt behind a line "====".
#include "pypi/distribution/metadata.hpp"
#include "specs/format/json.hpp"
#include "specs/python/pep508.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx;
using stackx::fuzz::require;

namespace {

void check(const pypi::Metadata& metadata) {
  require(specs::to_utf8(metadata.requires_python) == metadata.requires_python,
          "what is kept is UTF-8");
  for (const auto& extra : metadata.provides_extra) {
    require(specs::to_utf8(extra) == extra, "what is kept is UTF-8");
    require(extra.find('\n') == extra.npos, "an extra is a line");
  }
  for (const auto& text : metadata.requires_dist) {
    require(specs::to_utf8(text) == text, "what is kept is UTF-8");
    require(text.find('\n') == text.npos, "a requirement is a line");
    const auto dependency = specs::parse_dependency(text);
    if (!dependency) fuzz::check_error(dependency.error(), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(pypi::parse_metadata(text));
  const auto mark = text.find("\n====\n");
  if (mark == text.npos) return 0;
  check(pypi::parse_metadata(pypi::source_metadata(
      {std::string(text.substr(0, mark + 1)), std::string(text.substr(mark + 6))})));
  return 0;
}
