// Names of hardware as vendors, drivers and papers write them, compared by whole words: "v100" names
// "Tesla V100-SXM2-16GB" and "NVIDIA V100", but "v10" does not; "a100-40gb" needs both words, in a
// row. Case and what stands between the words do not matter, nor whether something does: "v100sxm2" is two words
// of the first; marks of trademarks ("Xeon(R)") are no words. A MIG instance is another device than its card: only
// what says "mig" names it.
#pragma once

#include <string>
#include <string_view>

namespace stackx::specs {

// "Tesla V100-SXM2-16GB" -> "-tesla-v100-sxm2-16gb-"
std::string hardware_words(std::string_view name);

bool names_hardware(std::string_view wanted, std::string_view name);

// The same for many names.
class WantedHardware {
 public:
  explicit WantedHardware(std::string_view wanted);
  bool is_named_by(std::string_view name) const;

 private:
  std::string words_, run_together_;
};

}  // namespace stackx::specs
