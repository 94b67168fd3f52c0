#include "analysis/published/product_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

namespace stackx::analysis {

std::string product_sizes(const specs::Workload& workload) {
  if (workload.pi != "matmul") return "";
  std::vector<std::string> words;
  std::set<std::string> sizes;
  for (const char* name : {"m", "n", "k"})
    if (const auto found = workload.params.find(name); found != workload.params.end()) {
      words.push_back(fmt::format("{}={}", name, found->second));
      sizes.insert(found->second);
    }
  if (words.size() == 3 && sizes.size() == 1) return "m=n=k=" + *sizes.begin();
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace stackx::analysis
