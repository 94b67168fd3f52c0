// Source archives that unpack to more than anybody wants, and wheels whose numbers are not true.
#include <catch2/catch.hpp>

#include "pypi/distribution/archive.hpp"
#include "tests/pypi/distribution/fake_wheel.hpp"

using namespace stackx;
using namespace stackx::tests;

namespace {

std::string gzip(const std::string& text) {
  std::string packed(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A member of a tar archive (ustar).
std::string member(const std::string& name, const std::string& text) {
  std::string head(512, '\0');
  head.replace(0, name.size(), name);
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", text.size());
  head.replace(100, 7, "0000644")
      .replace(124, 11, size)
      .replace(156, 1, "0")
      .replace(257, 5, "ustar")
      .replace(263, 2, "00");
  head.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const unsigned char byte : head) sum += byte;
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  head.replace(148, 7, checksum, 7);
  return head + text + std::string((512 - text.size() % 512) % 512, '\0');
}

const std::string kPackage = member("a-1/PKG-INFO", "Metadata-Version: 1.0\n");

}  // namespace

TEST_CASE("a source archive is read to the end, however its members are packed", "[pypi]") {
  const auto tar =
      member("a-1/data", std::string(100'000, 'x')) + kPackage + std::string(1024, '\0');
  for (const auto& bytes : {tar, gzip(tar)}) {
    const auto facts = pypi::read_source_archive(bytes);
    REQUIRE(facts);
    CHECK(facts->pkg_info == "Metadata-Version: 1.0\n");
  }
}

TEST_CASE("a source archive that unpacks to more than is sane is refused before it has", "[pypi]") {
  const auto huge = member("a-1/data", std::string(64 << 20, '\0'));
  const auto bytes = gzip(huge + huge + huge + huge + kPackage + std::string(1024, '\0'));
  REQUIRE(bytes.size() < 1 << 20);
  const auto facts = pypi::read_source_archive(bytes);
  REQUIRE(!facts);
  CHECK(facts.error() == "source archive unpacks to more than 256 MiB");
}

TEST_CASE("a source archive of too many members is refused", "[pypi]") {
  std::string tar;
  const auto empty = member("a-1/x", "");
  for (int i = 0; i < 530'000; ++i) tar += empty;
  const auto facts = pypi::read_source_archive(gzip(tar + kPackage));
  REQUIRE(!facts);
  CHECK(facts.error() == "source archive unpacks to more than 256 MiB");
}

TEST_CASE("a source archive in an archive's packing in a packing is refused", "[pypi]") {
  CHECK(!pypi::read_source_archive(gzip(gzip(kPackage + std::string(1024, '\0')))));
}

TEST_CASE("a wheel whose METADATA lies outside of it, or in its directory, is refused", "[pypi]") {
  const auto bytes = fake_wheel("Metadata-Version: 2.1\n");
  const auto directory = bytes.find("PK\x01\x02");
  for (const auto offset :
       {bytes.size(), bytes.size() + 1000, std::size_t{0xfffffffe}, directory}) {
    auto wrong = bytes;
    wrong.replace(directory + 42, 4, little(offset, 4));
    const auto found = pypi::find_metadata(wrong, wrong.size());
    REQUIRE(!found);
    CHECK(found.error() == "wheel cannot be read: METADATA lies outside of it");
  }
  auto other = bytes;
  other[other.find("2.1")] = '3';
  const auto found = pypi::find_metadata(other, other.size());
  REQUIRE(found);
  CHECK(pypi::read_member(other, std::get<pypi::Member>(*found)).error() ==
        "wheel cannot be read: METADATA is not what its checksum says");
}
