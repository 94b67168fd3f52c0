#include "analysis/ranking/amount_remark.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using Source = specs::DeviceMemorySource;

// "40%", "31 to 41%"
std::string shares_text(const std::vector<double>& shares) {
  const auto [least, most] = std::ranges::minmax(shares);
  const auto low = fmt::format("{:.0f}", 100 * least), high = fmt::format("{:.0f}", 100 * most);
  return low == high ? high + "%" : low + " to " + high + "%";
}

bool is_memory_of_device(const specs::Yardstick& yardstick) {
  return yardstick.word() == "device_memory" || yardstick.word() == "nvml_memory";
}

}  // namespace

void AmountRemark::add(const store::Measurement& m) {
  if (m.outcome != specs::Outcome::ok) return;
  const bool tells = m.amounts.contains(yardstick_.word());
  ++(tells ? telling_ : silent_);
  if (!tells) return;
  if (yardstick_.word() == "energy") return add_energy(m.idle_share);
  if (is_memory_of_device(yardstick_))
    add_memory(yardstick_.word() == "device_memory" ? m.device_memory_source : m.nvml_memory_source);
}

void AmountRemark::add(const specs::Inspection& inspection) {
  if (!yardstick_.amount(inspection)) return;
  if (yardstick_.word() == "energy") {
    const auto run = inspection.metrics.contains("energy_j") ? std::nullopt : specs::energy_of_run(inspection);
    add_energy(run ? run->idle_share : std::nullopt);
  } else if (is_memory_of_device(yardstick_)) {
    add_memory(specs::device_memory_source(inspection, yardstick_.name()));
  }
}

std::string AmountRemark::missing() const {
  return yardstick_.is_rate() || telling_ > 0 || silent_ == 0 ? "" : no_amount(yardstick_, silent_);
}

void AmountRemark::add_energy(const std::optional<double>& idle_share) {
  if (idle_share)
    idle_shares_.push_back(*idle_share);
  else
    ++gross_;
}

void AmountRemark::add_memory(const std::optional<Source>& source) {
  if (source) ++(*source == Source::stated ? stated_ : *source == Source::processes ? of_processes_ : of_device_);
}

std::string AmountRemark::text() const {
  if (yardstick_.word() == "energy") return of_energy();
  return is_memory_of_device(yardstick_) ? of_device_memory() : "";
}

std::string AmountRemark::of_energy() const {
  if (idle_shares_.empty()) return gross_ == 0 ? "" : "idle draw is in the energy: nothing tells how much it is";
  const auto taken = fmt::format("idle draw, {} of all that was drawn, is taken off the energy", shares_text(idle_shares_));
  if (gross_ == 0) return taken;
  return fmt::format("{} of {} inspections; in that of {} it still is, and they look worse for it", taken, idle_shares_.size(), gross_);
}

std::string AmountRemark::of_device_memory() const {
  const auto by_nvml = of_processes_ + of_device_;
  std::string text;
  if (yardstick_.word() == "device_memory" && by_nvml > 0)
    text = stated_ == 0 ? "device memory is NVML's count, all that the PI's processes held: no PI stated its framework's own"
                        : fmt::format("device memory of {} is the framework's own counter, of {} NVML's count, which is more: "
                                      "--metric nvml_memory compares all by the same",
                                      counted(stated_, "inspection"), by_nvml);
  if (of_device_ == 0) return text;
  const auto whole = of_processes_ + stated_ == 0 ? std::string("the driver hid processes' memory")
                                                   : fmt::format("of {} the driver hid processes' memory", counted(of_device_, "inspection"));
  return fmt::format("{}{}{}: it is what the device had more in use than before", text, text.empty() ? "" : "; ", whole);
}

std::string amount_remark(const std::vector<const store::Measurement*>& measurements, const specs::Yardstick& yardstick) {
  AmountRemark remark(yardstick);
  for (const auto* measurement : measurements) remark.add(*measurement);
  return remark.text();
}

std::string no_amount(const specs::Yardstick& yardstick, std::size_t inspections) {
  const auto none = inspections == 1 ? "The one inspection does not tell" : fmt::format("None of {} inspections tells", inspections);
  if (yardstick.word() == "energy")
    return fmt::format("{} its energy: no counter of it (RAPL, NVML) could be read, or samples took under a second; `stackx doctor` says "
                       "whether this machine has one, docs/metrics.md how to measure with it.",
                       none);
  return fmt::format("{} its {}: docs/metrics.md says which PIs and machines do; measure with such a one.", none, yardstick.noun());
}

}  // namespace stackx::analysis
