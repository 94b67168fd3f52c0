// Which zones of powercap count, how their counters add up, and what is said where they cannot be read.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "inspector/machine/rapl.hpp"
#include "tests/inspector/fake_powercap.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

namespace {

// Two sockets with memory, as a server has them, a client's psys, and a second way to the first socket.
void server(FakePowercap& powercap) {
  powercap.zone("intel-rapl:0", "package-0");
  powercap.zone("intel-rapl:0:0", "core");
  powercap.zone("intel-rapl:0:1", "dram");
  powercap.zone("intel-rapl:0:2", "uncore");
  powercap.zone("intel-rapl:1", "package-1");
  powercap.zone("intel-rapl:1:0", "dram");
  powercap.zone("intel-rapl:2", "psys");
  powercap.zone("intel-rapl-mmio:0", "package-0");
}

// Root reads whatever the mode: nobody does not.
class Nobody {
 public:
  Nobody() : root_(geteuid() == 0) {
    if (root_) REQUIRE(seteuid(65534) == 0);
  }
  ~Nobody() {
    if (root_) (void)!seteuid(0);
  }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  bool root_;
};

}  // namespace

TEST_CASE("rapl: packages and their memory count, parts of packages and what has packages in it do not") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  server(powercap);
  auto rapl = Rapl::find(machine.tree());
  REQUIRE(rapl);
  CHECK((*rapl)->source() == "rapl");
  CHECK((*rapl)->names() == std::vector<std::string>{"package-0", "package-0 dram", "package-1", "package-1 dram"});
  CHECK(*(*rapl)->joules() == 0);
  powercap.set("intel-rapl:0", 1'000'000);
  powercap.set("intel-rapl:0:0", 700'000'000);
  powercap.set("intel-rapl:0:1", 200'000);
  powercap.set("intel-rapl:0:2", 50'000'000);
  powercap.set("intel-rapl:1", 30'000);
  powercap.set("intel-rapl:1:0", 4'000);
  powercap.set("intel-rapl:2", 900'000'000);
  powercap.set("intel-rapl-mmio:0", 1'000'000);
  CHECK(*(*rapl)->joules() == Approx(1.234));
}

TEST_CASE("rapl: counters that begin again, each at its own range, and go on from what they had when it began") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0", 65'000'000);
  powercap.zone("intel-rapl:1", "package-1-die-1", 10'000'000);
  powercap.set("intel-rapl:0", 64'000'000);
  powercap.set("intel-rapl:1", 9'000'000);
  auto rapl = Rapl::find(machine.tree());
  REQUIRE(rapl);
  powercap.set("intel-rapl:0", 2'000'000);  // 3 J
  CHECK(*(*rapl)->joules() == Approx(3));
  powercap.set("intel-rapl:1", 9'500'000);  // 0.5 J
  CHECK(*(*rapl)->joules() == Approx(3.5));
  powercap.set("intel-rapl:1", 0);  // 0.5 J
  CHECK(*(*rapl)->joules() == Approx(4));
}

TEST_CASE("rapl: a reading that fails tells nothing, and loses nothing") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0");
  powercap.zone("intel-rapl:1", "package-1");
  auto rapl = Rapl::find(machine.tree());
  REQUIRE(rapl);
  powercap.set("intel-rapl:0", 5'000'000);
  for (const char* bad : {"", "many\n", "-7\n", "99999999999999999999999\n", "262143328851\n"}) {
    INFO(bad);
    machine.file("/sys/class/powercap/intel-rapl:1/energy_uj", bad);
    CHECK_FALSE((*rapl)->joules());
  }
  powercap.set("intel-rapl:1", 2'000'000);
  CHECK(*(*rapl)->joules() == Approx(7));
}

TEST_CASE("rapl: root's alone, which is said; and machines that have none, or half of one") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  CHECK_FALSE(Rapl::find(machine.tree()));
  CHECK_FALSE(Rapl::find(machine.tree()).error().hidden);
  powercap.zone("intel-rapl:0", "psys");
  CHECK_FALSE(Rapl::find(machine.tree()));  // nothing but what has packages in it

  powercap.zone("intel-rapl:1", "package-0");
  powercap.zone("intel-rapl:1:0", "dram");
  CHECK(Rapl::find(machine.tree()));
  const auto memory = machine.root() / "sys/class/powercap/intel-rapl:1:0/energy_uj";
  chmod(machine.root().c_str(), 0755);
  chmod(memory.c_str(), geteuid() == 0 ? 0400 : 0);
  {
    const Nobody nobody;
    const auto none = Rapl::find(machine.tree());
    REQUIRE_FALSE(none);  // a sum without the memory compares with nothing
    CHECK(none.error().hidden);
    CHECK(none.error().why == "/sys/class/powercap/intel-rapl:1:0/energy_uj is readable by root alone");
  }
  chmod(memory.c_str(), 0444);
  {
    const Nobody nobody;
    CHECK(Rapl::find(machine.tree()));
  }
  fs::remove(memory);
  REQUIRE_FALSE(Rapl::find(machine.tree()));
  CHECK_FALSE(Rapl::find(machine.tree()).error().hidden);
  CHECK(Rapl::find(machine.tree()).error().why == "/sys/class/powercap/intel-rapl:1:0 does not count energy");
}
