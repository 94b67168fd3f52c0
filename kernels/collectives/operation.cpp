#include "kernels/collectives/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/collectives/exchange_check.hpp"
#include "kernels/reference/digest.hpp"
#include "kernels/timing/median.hpp"

namespace stackx::kernels::collectives {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostNodes = 1 << 16;

Reduction reduction_from(const Parameters& parameters) {
  const std::string name = parameters.one_of("reduction", {"sum", "max", "min"});
  return name == "sum" ? Reduction::sum : name == "max" ? Reduction::max : Reduction::min;
}

// Bits of positive doubles are ordered as the numbers are.
double largest(const Processes& processes, double mine) {
  return std::bit_cast<double>(processes.largest(std::bit_cast<std::int64_t>(mine)));
}

// The worst of all processes' checks, the same everywhere.
Check worst_of(const Processes& processes, Check mine) {
  mine.max_relative_error = largest(processes, mine.max_relative_error);
  if (mine.max_ulps) mine.max_ulps = largest(processes, *mine.max_ulps);  // all have them or none: of one type
  const auto none = static_cast<std::int64_t>(processes.count());
  // The first process that fails has the largest of these.
  const std::int64_t first =
      none - processes.largest(mine.pass ? 0 : none - static_cast<std::int64_t>(processes.index()));
  mine.pass = first == none;
  if (!mine.pass) mine.detail = processes.text_of(static_cast<std::size_t>(first), mine.detail);
  return mine;
}

}  // namespace

CollectiveOperation::CollectiveOperation(Kind kind, const Parameters& parameters,
                                         Communicator& communicator)
    : kind_(kind),
      element_(*element_from(parameters.one_of("dtype", kElementNames))),
      reduction_(reduces(kind) ? reduction_from(parameters) : Reduction::sum),
      bytes_(parameters.whole("bytes", 1, kMostBytes)),
      nodes_(std::max<std::size_t>(parameters.whole("nodes", 0, kMostNodes), 1)),
      seed_(parameters.whole("seed", 0, ~std::uint64_t{0})),
      communicator_(communicator) {}

std::optional<Unsupported> CollectiveOperation::load() { return communicator_.connect(); }

// Of a process: the input and the poison on their way to the buffers of its ranks; afterwards what all of them received.
Need CollectiveOperation::need() const {
  Need need{.keys = {"bytes"}};
  const auto exchange = Exchange::of(kind_, element_, reduction_, communicator_.ranks(), bytes_);
  if (!exchange) return need;
  const auto bytes = [&](std::size_t elements) { return static_cast<double>(elements) * static_cast<double>(size_of(element_)); };
  const double sent = bytes(exchange->sent()), received = bytes(exchange->received()),
               ranks = static_cast<double>(communicator_.own_ranks().size());
  need.check = std::max(sent + received, (ranks + 1) * received);
  (communicator_.buffers() == Buffers::of_host ? need.arrays : need.device) = sent + received;
  need.processes = std::ceil(static_cast<double>(communicator_.processes().count()) / static_cast<double>(nodes_));
  return need;
}

std::optional<double> CollectiveOperation::free_device_memory() const { return communicator_.free_device_memory(); }

// All or none go on: who waits for one that does not waits for ever.
std::optional<Unsupported> CollectiveOperation::agreed(std::optional<Unsupported> refusal) const {
  const Processes& processes = communicator_.processes();
  const auto none = static_cast<std::int64_t>(processes.count());
  // The first that is refused has the largest of these.
  const std::int64_t first = none - processes.largest(refusal ? none - static_cast<std::int64_t>(processes.index()) : 0);
  if (first == none) return std::nullopt;
  return processes.text_of(static_cast<std::size_t>(first), refusal.value_or(""));
}

std::optional<Unsupported> CollectiveOperation::prepare() {
  const std::size_t ranks = communicator_.ranks();
  exchange_ = Exchange::of(kind_, element_, reduction_, ranks, bytes_);
  if (!exchange_)
    return fmt::format("bytes={}: less than an element of {} for each of {} ranks", bytes_,
                       to_string(element_), ranks);
  if (auto refusal = communicator_.prepare(*exchange_)) return refusal;
  const std::size_t width = size_of(element_);
  std::vector<unsigned char> input(exchange_->sent() * width), wrong(exchange_->received() * width);
  poison(*exchange_, wrong.data());
  for (const std::size_t rank : communicator_.own_ranks()) {
    fill_input(*exchange_, seed_, rank, input.data());
    communicator_.write(rank, input.data(), wrong.data());
  }
  communicator_.processes().barrier();  // none may be called before all are filled
  return std::nullopt;
}

void CollectiveOperation::call() { communicator_.call(); }

Check CollectiveOperation::check() {
  Check worst{"", 0, 0, true, ""};
  std::vector<unsigned char> received(exchange_->received() * size_of(element_));
  for (const std::size_t rank : communicator_.own_ranks()) {
    communicator_.read(rank, received.data());
    Check check = check_result(*exchange_, seed_, rank, received.data());
    if (worst.reference.empty() || (worst.pass && !check.pass)) std::swap(worst, check);
    worst.max_relative_error = std::max(worst.max_relative_error, check.max_relative_error);
    worst.max_ulps = std::max(worst.max_ulps, check.max_ulps);
  }
  return worst_of(communicator_.processes(), std::move(worst));
}

std::vector<std::span<const std::byte>> CollectiveOperation::result() {
  received_.clear();
  for (const std::size_t rank : communicator_.own_ranks()) {
    received_.emplace_back(exchange_->received() * size_of(element_));
    communicator_.read(rank, received_.back().data());
  }
  std::vector<std::span<const std::byte>> parts;
  for (const auto& part : received_) parts.push_back(std::as_bytes(std::span(part)));
  return parts;
}

std::string CollectiveOperation::joined(const std::string& digest) const {
  const Processes& processes = communicator_.processes();
  if (processes.count() == 1) return digest;
  Digest all;
  for (std::size_t i = 0; i < processes.count(); ++i) {
    const std::string one = processes.text_of(i, digest);
    all.add(std::as_bytes(std::span(one)));
  }
  return std::move(all).hex();
}

OperationWork CollectiveOperation::work() const { return {0, exchange_->bus_bytes(), 1}; }

std::unique_ptr<Sampler> CollectiveOperation::sampler(const Clock& clock) {
  return communicator_.sampler(clock);
}

void CollectiveOperation::describe(json& document) const {
  communicator_.describe(document);
  document["work_formula"] = bus_formula(kind_);
  if (!exchange_) return;
  document["parameters"]["ranks"] = exchange_->ranks;
  if (exchange_->ranks == 1)
    document["notes"].push_back(
        "one rank moves nothing: no bus bandwidth (0 bytes), the rate is calls a second");
  const auto samples = document.find("samples_ns");
  if (samples == document.end() || samples->empty()) return;
  const double calls = document["work"]["items"].get<double>(),
               call_ns = median(samples->get<std::vector<double>>()) / calls,
               bytes = static_cast<double>(exchange_->message_bytes());
  document["metrics"] = {{"algorithm_gbps", bytes / call_ns}};
  document["collective"] = {
      {"bus_gbps", exchange_->bus_bytes() / call_ns}, {"call_us", call_ns * 1e-3}, {"message_bytes", bytes}};
}

}  // namespace stackx::kernels::collectives
