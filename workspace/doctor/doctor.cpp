#include "workspace/doctor/doctor.hpp"

#include "workspace/doctor/probes.hpp"
#include "workspace/doctor/side_by_side.hpp"

namespace stackx::workspace {

Findings examine(const Context& context, const Examination& how) {
  auto noise = side_by_side({{{"noise"}, look_at_noise}}, for_noise);
  auto findings = side_by_side({{{"programs", "catalogs", "charts"}, [context] { return look_at_parts(context); }},
                                {{"sandbox"}, [context] { return look_at_sandbox(context); }},
                                {{"store"}, [context] { return look_at_store(context); }},
                                {{"disk"}, [context] { return look_at_disk(context); }},
                                {{"Python"}, look_at_python},
                                {{"uv"}, [context] { return look_at_uv(context); }},
                                {{"package index"}, [offline = how.offline] { return look_at_index(offline); }},
                                {{"containers", "base images"}, [context] { return look_at_containers(context); }},
                                {{"GPU", "GPU in containers"}, look_at_gpus},
                                {{"energy"}, [] { return look_at_energy(); }},
                                {{"Slurm"}, look_at_slurm},
                                {{"Kubernetes"}, look_at_kubernetes}},
                               for_others);
  const auto* disk = find(findings, "disk");
  const auto after_disk = disk == nullptr ? findings.size() : static_cast<std::size_t>(disk - findings.data()) + 1;
  findings.insert(findings.begin() + static_cast<std::ptrdiff_t>(after_disk), noise.begin(), noise.end());
  return findings;
}

}  // namespace stackx::workspace
