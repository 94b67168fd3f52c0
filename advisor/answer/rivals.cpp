#include "advisor/answer/rivals.hpp"

#include <algorithm>
#include <map>

#include "analysis/published/near_workload.hpp"
#include "specs/hardware/spelled_models.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using analysis::PublishedGroup;
using analysis::PublishedRow;

bool same_version(const std::string& published, const std::string& version) {
  return specs::public_version(published) == specs::public_version(version);
}

bool same_cuda(const PublishedRow& row, const std::string& cuda) {
  const auto found = row.stack.components.find("cuda");
  return cuda.empty() || found == row.stack.components.end() ||
         specs::minor_release(found->second) == specs::minor_release(cuda);
}

bool have_a_source_in_common(const PublishedRow& a, const PublishedRow& b) {
  return std::ranges::any_of(a.sources, [&](const auto& one) {
    return std::ranges::find(b.sources, one.tool, &specs::Source::tool) != b.sources.end();
  });
}

// One version with one CUDA, and where it was measured beside the candidate.
struct Pairing {
  const PublishedGroup* group;
  const PublishedRow* row;
  std::map<std::pair<const PublishedGroup*, std::string>, double> logs;  // by shape: of several stacks the best
};

void pair_up(const PublishedGroup& group, const PublishedRow& row, const PublishedRow& own, Pairing& pairing) {
  for (const auto& [shape, log] : row.logs) {
    const auto of_own = own.logs.find(shape);
    if (of_own == own.logs.end()) continue;
    const auto [at, fresh] = pairing.logs.try_emplace({&group, shape}, log - of_own->second);
    if (!fresh) at->second = std::max(at->second, log - of_own->second);
  }
}

analysis::ShapeComparison summed_up(const Pairing& pairing, double confidence) {
  std::vector<double> logs;
  for (const auto& [shape, log] : pairing.logs) logs.push_back(log);
  return analysis::over_shapes(logs, confidence);
}

bool is_faster(const analysis::ShapeComparison& over) {
  constexpr double by_collection = 1.02, by_numbers = 1.1;
  if (over.interval) return over.interval->low > by_collection;
  return over.ratio >= by_numbers && over.better == over.shapes;
}

}  // namespace

Rivals rivals_of(const analysis::PublishedRanking& published, const std::string& package, const std::string& version,
                 const std::string& cuda) {
  Rivals rivals;
  std::map<std::pair<std::string, std::string>, Pairing> pairings;  // by version and CUDA
  for (const auto& group : published.groups) {
    const auto own = std::ranges::find_if(group.rows, [&](const auto& row) {
      const auto found = row.stack.components.find(package);
      return found != row.stack.components.end() && same_version(found->second, version) && same_cuda(row, cuda);
    });
    if (own == group.rows.end()) continue;
    if (!rivals.own) rivals.group = &group, rivals.own = &*own;
    for (const auto& row : group.rows) {
      const auto found = row.stack.components.find(package);
      if (&row == &*own || found == row.stack.components.end() || !have_a_source_in_common(row, *own)) continue;
      const auto with = row.stack.components.find("cuda");
      const auto of_cuda = with == row.stack.components.end() ? "" : specs::minor_release(with->second);
      pair_up(group, row, *own,
              pairings.try_emplace({found->second, of_cuda}, Pairing{&group, &row, {}}).first->second);
    }
  }
  for (const auto& [key, pairing] : pairings) {
    if (pairing.logs.empty()) continue;
    const auto over = summed_up(pairing, published.confidence);
    if (is_faster(over)) rivals.faster.push_back({pairing.group, pairing.row, over});
  }
  std::ranges::stable_sort(rivals.faster, std::ranges::greater(), [](const Rival& one) { return one.over.ratio; });
  return rivals;
}

std::vector<specs::Published> on_like_hardware(const std::vector<specs::Published>& family,
                                               const specs::Accelerator& gpu, const specs::Accelerators& accelerators) {
  specs::SpelledModels models(accelerators);
  std::vector<specs::Published> found;
  for (const auto& result : family)
    if (const auto* model = models.of(result.hardware);
        model && model->architecture == gpu.architecture && model->name != gpu.name)
      found.push_back(result);
  return found;
}

specs::Workload kind_of_work(specs::Workload workload) {
  std::erase_if(workload.params, [](const auto& param) { return analysis::shape_value(param.second).has_value(); });
  return workload;
}

}  // namespace stackx::advisor
