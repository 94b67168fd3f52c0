#include "analysis/ranking/population.hpp"

#include <fmt/format.h>

namespace stackx::analysis {
namespace {

std::string grouped(std::uint64_t number) {  // 200,900
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

std::string line(const Population& of) {
  return fmt::format("Of {} inspections {} were read, up to {} of each stack (seed {}).", grouped(of.inspections),
                     grouped(of.read), grouped(of.each), of.seed);
}

std::string explanation(const Population& of) {
  return fmt::format(
      "of {} inspections {} were read, a sample: up to {} of each stack and workload, in rounds drawn with seed {}, "
      "the same for all stacks of a campaign. Rates, intervals, spreads and verdicts are of these{}. --read 0 reads "
      "all; `stackx export` has every document",
      grouped(of.inspections), grouped(of.read), grouped(of.each), of.seed,
      of.stacks.empty() ? ", and so are the counts" : "; failures are counted among all");
}

}  // namespace stackx::analysis
