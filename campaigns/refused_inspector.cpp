#include "campaigns/refused_inspector.hpp"

#include "specs/format/clock.hpp"

namespace stackx::campaigns {

inspector::Prepared RefusedInspector::prepare(const specs::Stack&,
                                              const std::function<void(const std::string&)>&) {
  inspector::Prepared result;
  result.outcome = refusal_.outcome;
  result.reason = refusal_.reason;
  return result;
}

specs::Inspection RefusedInspector::inspect(const specs::Stack& stack,
                                            const specs::Workload& workload) {
  specs::Inspection result;
  result.stack = stack;
  result.workload = workload;
  if (!workload.program.empty()) result.program = context_.program;
  result.parameters = workload.params;
  result.host = context_.host;
  result.device = context_.host.fingerprint();
  result.runner = "none";
  result.stackx_version = context_.stackx_version;
  result.outcome = refusal_.outcome;
  result.reason = refusal_.reason;
  result.finished = specs::rfc3339_utc(std::chrono::system_clock::now());
  return result;
}

}  // namespace stackx::campaigns
