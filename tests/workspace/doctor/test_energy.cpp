// What doctor says of the processors' energy: there, root's alone with what opens it, or not there.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "workspace/doctor/probes.hpp"

using namespace stackx::workspace;
namespace fs = std::filesystem;

namespace {

class Powercap {
 public:
  Powercap() {
    std::string name = (fs::temp_directory_path() / "stackx-energy-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    chmod(root_.c_str(), 0755);
  }
  ~Powercap() { fs::remove_all(root_); }
  Powercap(const Powercap&) = delete;
  Powercap& operator=(const Powercap&) = delete;

  void package() const {
    const auto zone = root_ / "sys/class/powercap/intel-rapl:0";
    fs::create_directories(zone);
    std::ofstream(zone / "name") << "package-0\n";
    std::ofstream(zone / "max_energy_range_uj") << "262143328850\n";
    std::ofstream(zone / "energy_uj") << "12345\n";
  }
  void close() const { chmod((root_ / "sys/class/powercap/intel-rapl:0/energy_uj").c_str(), geteuid() == 0 ? 0400 : 0); }
  Finding look() const {
    const bool root = geteuid() == 0;
    if (root) REQUIRE(seteuid(65534) == 0);  // root reads whatever the mode
    const auto findings = look_at_energy(root_);
    if (root) REQUIRE(seteuid(0) == 0);
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().what == "energy");
    return findings.front();
  }

 private:
  fs::path root_;
};

}  // namespace

TEST_CASE("doctor: the processors' counters of energy") {
  const Powercap machine;
  CHECK(machine.look().status == Status::none);
  machine.package();
  const auto open = machine.look();
  CHECK(open.status == Status::ok);
  CHECK(open.found == "RAPL: package-0");
  machine.close();
  const auto closed = machine.look();
  CHECK(closed.status == Status::poor);
  CHECK(closed.found == "/sys/class/powercap/intel-rapl:0/energy_uj is readable by root alone");
  CHECK(closed.costs == "--metric energy: processors' is not measured");
  CHECK(closed.remedy == "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj");
}
