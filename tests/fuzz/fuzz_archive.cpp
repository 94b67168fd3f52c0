// Input: the bytes of a wheel or of a source archive. A tar archive's checksums are made right first, or hardly any change
// would get past them.
#include <cstdio>

#include "pypi/distribution/archive.hpp"
#include "specs/format/json.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx;
using stackx::fuzz::require;

namespace {

void mend_checksums(std::string& bytes) {
  for (std::size_t at = 0; at + 512 <= bytes.size(); at += 512) {
    if (bytes.compare(at + 257, 5, "ustar") != 0) continue;
    bytes.replace(at + 148, 8, "        ");
    unsigned sum = 0;
    for (std::size_t i = at; i < at + 512; ++i) sum += static_cast<unsigned char>(bytes[i]);
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum);
    bytes.replace(at + 148, 7, text, 7);
  }
}

void check_reason(const std::string& reason) {
  require(!reason.empty() && specs::to_utf8(reason) == reason, "a reason can be read");
}

// As the index does it, from the last bytes that it asked for.
void check_wheel(const std::string& bytes, std::size_t tail) {
  const auto found =
      pypi::find_metadata(std::string_view(bytes).substr(bytes.size() - tail), bytes.size());
  if (!found) return check_reason(found.error());
  if (const auto* range = std::get_if<pypi::ByteRange>(&*found))
    return require(range->first <= range->last && range->last < bytes.size(),
                   "a range lies within the file");
  const auto& member = std::get<pypi::Member>(*found);
  require(member.offset < bytes.size(), "a member lies within the file");
  const auto text = pypi::read_member(std::string_view(bytes).substr(member.offset), member);
  if (!text) check_reason(text.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  check_wheel(bytes, size);
  check_wheel(bytes, std::min<std::size_t>(size, 100));
  mend_checksums(bytes);
  const auto facts = pypi::read_source_archive(bytes);
  if (!facts) check_reason(facts.error());
  if (facts) pypi::parse_metadata(pypi::source_metadata(*facts));
  return 0;
}
