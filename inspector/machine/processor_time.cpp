#include "inspector/machine/processor_time.hpp"

#include <algorithm>
#include <vector>

#include "inspector/machine/tree.hpp"

namespace stackx::inspector {
namespace {

// The numbers after "cpu", as far as they are numbers.
std::vector<std::uint64_t> counters(std::string_view text) {
  std::vector<std::uint64_t> result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto fields = words(line);
    if (fields.empty() || fields.front() != "cpu") continue;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const auto value = parse_unsigned(fields[i]);
      if (!value) break;
      result.push_back(*value);
    }
    break;
  }
  return result;
}

}  // namespace

std::optional<ProcessorTime> parse_processor_time(std::string_view proc_stat) {
  const auto ticks = counters(proc_stat);
  if (ticks.size() < 4) return std::nullopt;
  const auto at = [&](std::size_t i) { return i < ticks.size() ? ticks[i] : 0; };
  ProcessorTime time;
  time.busy = at(0) + at(1) + at(2) + at(5) + at(6);
  time.idle = at(3) + at(4);
  if (ticks.size() > 7) time.steal = at(7);
  return time;
}

std::optional<ProcessorTime> read_processor_time(const Tree& tree) {
  return parse_processor_time(tree.text("/proc/stat").value_or(""));
}

std::optional<double> share_of_steal(const std::optional<ProcessorTime>& before,
                                     const std::optional<ProcessorTime>& after) {
  if (!before || !after || !before->steal || !after->steal) return std::nullopt;
  if (*after->steal < *before->steal || after->total() <= before->total()) return std::nullopt;
  const auto share = static_cast<double>(*after->steal - *before->steal) /
                     static_cast<double>(after->total() - before->total());
  return std::min(share, 1.0);  // iowait may run backwards, too (proc(5))
}

}  // namespace stackx::inspector
