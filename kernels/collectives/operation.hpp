// A collective operation as an Operation: the same steps in every process at the same time.
//
// The check is each rank's own; the worst of them (error, ulps) is everyone's, so that one wrong rank is a wrong
// result and no rank goes on alone. "check" of the document has rank 0's reference and bound, and the
// place in the first rank that fails.
#pragma once

#include <memory>

#include "kernels/collectives/communicator.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels::collectives {

class CollectiveOperation : public Operation {
 public:
  // `communicator` is not connected yet.
  CollectiveOperation(Kind kind, const Parameters& parameters, Communicator& communicator);

  std::optional<Unsupported> load() override;
  Need need() const override;
  std::optional<double> free_device_memory() const override;
  std::optional<Unsupported> agreed(std::optional<Unsupported> refusal) const override;
  std::optional<Unsupported> prepare() override;
  void call() override;
  Check check() override;
  std::vector<std::span<const std::byte>> result() override;  // of this process's ranks
  std::string joined(const std::string& digest) const override;
  OperationWork work() const override;
  std::unique_ptr<Sampler> sampler(const Clock& clock) override;
  // Also "work_formula" and, where there are samples, "metrics": {"algorithm_gbps"} and
  // "collective": {"bus_gbps", "call_us", "message_bytes": what `bytes` was cut to}, all by the median sample.
  void describe(nlohmann::json& document) const override;

 private:
  Kind kind_;
  Element element_;
  Reduction reduction_;
  std::size_t bytes_, nodes_;
  std::uint64_t seed_;
  Communicator& communicator_;
  std::optional<Exchange> exchange_;
  std::vector<std::vector<unsigned char>> received_;  // result()
};

}  // namespace stackx::kernels::collectives
