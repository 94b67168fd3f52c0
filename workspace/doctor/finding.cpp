#include "workspace/doctor/finding.hpp"

#include <algorithm>

namespace stackx::workspace {

const char* to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::poor:
      return "poor";
    case Status::broken:
      return "broken";
    case Status::none:
      return "none";
    case Status::unknown:
      break;
  }
  return "unknown";
}

const Finding* find(const Findings& findings, const std::string& what) {
  const auto found = std::ranges::find(findings, what, &Finding::what);
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace stackx::workspace
