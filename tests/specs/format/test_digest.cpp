#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "specs/format/digest.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;

TEST_CASE("SHA-256 test vectors of FIPS 180-4") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a file's digest is that of its bytes") {
  const auto file =
      std::filesystem::temp_directory_path() / ("stackx-digest-" + std::to_string(getpid()));
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 200'000u}) {
    const std::string bytes(size, '\0');
    std::ofstream(file, std::ios::binary) << bytes;
    CHECK(sha256_file(file) == sha256(bytes));
  }
  std::filesystem::remove(file);
  CHECK_THAT(stackx::tests::message_of([&] { sha256_file(file); }),
             Catch::Matchers::Contains(file.string()));
}
