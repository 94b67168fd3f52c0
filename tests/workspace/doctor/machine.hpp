// Findings of a machine on which all is well, to be made worse.
#pragma once

#include <algorithm>
#include <string>

#include "workspace/doctor/finding.hpp"

namespace stackx::workspace::testing {

inline Findings good_machine() {
  Findings findings;
  for (const char* what : {"programs", "catalogs", "charts", "sandbox", "store", "disk", "noise", "Python", "uv", "package index",
                           "containers", "base images", "GPU", "GPU in containers", "energy", "Slurm", "Kubernetes"})
    findings.push_back({what, Status::ok, "well", "", ""});
  return findings;
}

inline Findings with(Findings findings, const std::string& what, Status status) {
  std::ranges::find(findings, what, &Finding::what)->status = status;
  return findings;
}

}  // namespace stackx::workspace::testing
