// What an answer about energy or a device's memory says of its amounts, because they are not all of one kind.
//
// Energy (specs/result/energy.hpp): that idle draw is taken off, and how much that is of all that was drawn, or that it is
// still in. Device memory (specs/result/device_memory.hpp): that it is NVML's count where the PI stated none, or that of a
// whole device. Where some inspections have one and others the other, they do not compare well.
#pragma once

#include <string>
#include <vector>

#include "specs/result/inspection.hpp"
#include "store/store.hpp"

namespace stackx::analysis {

class AmountRemark {
 public:
  explicit AmountRemark(const specs::Yardstick& yardstick) : yardstick_(yardstick) {}
  void add(const store::Measurement& measurement);  // read with the yardstick
  void add(const specs::Inspection& inspection);
  // Without a full stop; "" of other yardsticks, and where nothing tells the amount.
  std::string text() const;
  // no_amount(), where no inspection that was heard of tells it; else "".
  std::string missing() const;

 private:
  std::string of_energy() const;
  std::string of_device_memory() const;
  void add_energy(const std::optional<double>& idle_share);
  void add_memory(const std::optional<specs::DeviceMemorySource>& source);

  specs::Yardstick yardstick_;
  std::size_t telling_ = 0, silent_ = 0;  // inspections
  std::vector<double> idle_shares_;
  std::size_t gross_ = 0;                                    // inspections
  std::size_t stated_ = 0, of_processes_ = 0, of_device_ = 0;  // inspections
};

// Why so many inspections that ran do not tell it, and what to do: "None of 48 inspections tells its energy: ..."
std::string no_amount(const specs::Yardstick& yardstick, std::size_t inspections);

std::string amount_remark(const std::vector<const store::Measurement*>& measurements, const specs::Yardstick& yardstick);

}  // namespace stackx::analysis
