#include "analysis/report/workers.hpp"

#include <algorithm>

namespace stackx::analysis {

std::optional<Trainings> workers_as_size(const std::vector<store::Measurement>& measurements, specs::Workload ranked) {
  const auto has = [](const store::Measurement& m) { return m.stack.components.contains(workers_axis); };
  const auto first = std::ranges::find_if(measurements, has);
  if (first == measurements.end()) return std::nullopt;
  Trainings result{{}, std::move(ranked)};
  result.ranked.params[workers_axis] = first->stack.components.at(workers_axis);
  for (const store::Measurement& one : measurements) {
    if (!has(one)) continue;
    auto& moved = result.measurements.emplace_back(one);
    moved.workload.params[workers_axis] = moved.stack.components.extract(workers_axis).mapped();
  }
  return result;
}

void put_efficiency(Sizes& sizes) {
  if (sizes.axis != workers_axis) return;
  for (SizeCurve& curve : sizes.curves) {
    const auto fewest = std::ranges::find_if(curve.points, [](const SizePoint& point) { return point.rate.has_value(); });
    if (fewest == curve.points.end() || fewest->rate->median <= 0) continue;
    const double alone = fewest->rate->median / fewest->size;
    for (SizePoint& point : curve.points)
      if (point.rate) point.efficiency = point.rate->median / point.size / alone;
  }
}

}  // namespace stackx::analysis
