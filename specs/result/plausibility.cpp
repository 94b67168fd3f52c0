#include "specs/result/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stackx::specs {
namespace {

// Of two in the middle the later one: half an interval does not matter here.
double median(std::span<const std::int64_t> samples) {
  std::vector<std::int64_t> copy(samples.begin(), samples.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::ranges::nth_element(copy, middle);
  return static_cast<double>(*middle);
}

std::optional<std::string> above(double work, double limit, std::span<const std::int64_t> samples, const char* unit) {
  const double at_least = work / limit * 1e9;  // nanoseconds
  const auto shortest = *std::ranges::min_element(samples);
  if (!(work > 0) || shortest <= 0 || static_cast<double>(shortest) >= at_least) return std::nullopt;
  const double ns = median(samples);
  if (ns >= at_least) return std::nullopt;
  return fmt::format("{:.0f} {} is more than such a device can do: {:.0f} at most, with a wide margin; the work that "
                     "the PI counts, or its clock, is wrong",
                     work / ns, unit, limit / 1e9);
}

}  // namespace

std::optional<std::string> why_implausible(const RateLimit& limit, const Work& work,
                                           std::span<const std::int64_t> samples_ns) {
  if (samples_ns.empty()) return std::nullopt;
  if (auto why = above(work.flop, limit.flop_s, samples_ns, "GFLOP/s")) return why;
  return above(work.bytes, limit.bytes_s, samples_ns, "GB/s");
}

}  // namespace stackx::specs
