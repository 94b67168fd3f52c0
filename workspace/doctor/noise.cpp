#include "inspector/machine/noise/noise.hpp"

#include <fmt/format.h>

#include <string>

#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {

Findings look_at_noise() {
  const auto report = inspector::look_for_noise(1);
  std::string noisy;
  std::size_t count = 0;
  for (const auto& one : report.findings)
    if (one.verdict == inspector::NoiseVerdict::noisy) {
      noisy += (noisy.empty() ? "" : ", ") + one.what;
      ++count;
    }
  if (count == 0) return {{"noise", Status::ok, "none of what is looked at now", "", ""}};
  return {{"noise", Status::poor, fmt::format("{} of {} checks: {}", count, report.findings.size(), brief_words(noisy, 200)),
           "rates scatter or drift: small differences take more rounds", "stackx hw noise"}};
}

}  // namespace stackx::workspace
