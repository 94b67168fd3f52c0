// The processors' energy: RAPL as Linux's powercap shows it, of Intel and, under the same names, of AMD.
//
//   /sys/class/powercap/intel-rapl:0/    name (package-0, package-0-die-1, psys), energy_uj, max_energy_range_uj
//   /sys/class/powercap/intel-rapl:0:1/  the same of a part of it: core, uncore, dram
//
// Packages count, and their dram, which is beside them; core and uncore are in their package, psys has the packages in it, and
// intel-rapl-mmio:N is another way to the same counters: none of these. Counters move about once a millisecond and begin again
// above max_energy_range_uj, after minutes of full load, so they are read more often than that. All are read or none: a sum
// without a package compares with nothing. Since CVE-2020-8694 (November 2020) energy_uj is root's alone.
// Rejected: perf's power events and MSRs, which take more rights than a file.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>

#include "inspector/machine/energy_counter.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct NoRapl {
  bool hidden = false;  // there, and not for us to read
  std::string why;
};

class Rapl : public EnergyCounter {
 public:
  static std::expected<std::unique_ptr<Rapl>, NoRapl> find(const Tree& tree);

  std::string source() const override;
  std::vector<std::string> names() const override;
  std::optional<double> joules() override;

 private:
  struct Domain {
    std::string name, directory;
    std::uint64_t range = 0, last = 0;  // microjoules
  };
  Rapl(const Tree& tree, std::vector<Domain> domains) : tree_(tree), domains_(std::move(domains)) {}

  Tree tree_;
  std::vector<Domain> domains_;
  std::uint64_t microjoules_ = 0;  // since find()
};

}  // namespace stackx::inspector
