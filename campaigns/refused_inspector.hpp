// Stands in for the inspector where what is asked for cannot be had: every inspection ends in that outcome, and is kept
// like any other, because that it cannot be had is a result too.
#pragma once

#include "campaigns/job.hpp"
#include "inspector/inspector.hpp"

namespace stackx::campaigns {

class RefusedInspector : public inspector::StackInspector {
 public:
  RefusedInspector(Refusal refusal, inspector::Context context)
      : refusal_(std::move(refusal)), context_(std::move(context)) {}

  void check(const specs::Stack&, const specs::Workload&) override {}
  inspector::Prepared prepare(const specs::Stack& stack,
                              const std::function<void(const std::string&)>& say) override;
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) override;

 private:
  Refusal refusal_;
  inspector::Context context_;
};

}  // namespace stackx::campaigns
