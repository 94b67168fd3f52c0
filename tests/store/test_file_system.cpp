// File systems where a store cannot live, and disks that are full: what the user is told.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "store/file_system.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Store;

namespace {

// SQLite's own layer above the system, with one thing that does not work: a stand-in for file systems
// that cannot be mounted in a test. One at a time.
struct Fake {
  enum class Without { shared_memory, mapping } without;
  sqlite3_vfs vfs;
  sqlite3_vfs* real;
  sqlite3_io_methods methods{};
};
Fake fake{};

int no_mapping(sqlite3_file*, int, int, int, void volatile**) { return SQLITE_IOERR_SHMMAP; }

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  const int code = fake.real->xOpen(fake.real, name, file, flags, out);
  if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB)) return code;
  fake.methods = *file->pMethods;
  if (fake.without == Fake::Without::shared_memory) fake.methods.iVersion = 1;
  fake.methods.xShmMap = no_mapping;
  file->pMethods = &fake.methods;
  return code;
}

class FakeFileSystem {
 public:
  explicit FakeFileSystem(Fake::Without without) {
    fake.without = without;
    fake.real = sqlite3_vfs_find(nullptr);
    fake.vfs = *fake.real;
    fake.vfs.zName = "fake";
    fake.vfs.xOpen = open_file;
    sqlite3_vfs_register(&fake.vfs, 1);
  }
  ~FakeFileSystem() {
    sqlite3_vfs_unregister(&fake.vfs);
    sqlite3_vfs_register(fake.real, 1);
  }
};

}  // namespace

TEST_CASE("file system: known by name, the network ones among them") {
  CHECK(store::file_system_by(0xef53).name == "ext4");
  CHECK_FALSE(store::file_system_by(0xef53).between_machines);
  for (const std::uint64_t magic :
       {0x6969ULL, 0xff534d42ULL, 0xfe534d42ULL, 0x01021997ULL, 0x65735546ULL, 0x0bd00bd0ULL})
    CHECK(store::file_system_by(magic).between_machines);
  CHECK(store::file_system_by(0x12345).name.empty());
  CHECK(store::file_system_of("/dev/shm/not/there/yet.db").name == "tmpfs");
}

TEST_CASE("file system: where processes cannot share memory, the message says what to do") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  {
    const FakeFileSystem fake(Fake::Without::shared_memory);
    CHECK_THAT(error_of([&] { Store::open(file); }),
               Catch::Contains("several processes share") &&
                   Catch::Contains("put the store on a local disk"));
  }
  {
    const FakeFileSystem fake(Fake::Without::mapping);
    const std::string message = error_of([&] { Store::open(file); });
    CHECK_THAT(message, Catch::Contains(file.string()));
    CHECK_THAT(message, Catch::Contains("file system") || Catch::Contains("local disk"));
  }
  Store::open(file).ingest(inspection(1));  // and nothing was spoilt
  CHECK(Store::open(file, store::Mode::read_only).check().empty());
}
