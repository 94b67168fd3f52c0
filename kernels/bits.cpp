#include "kernels/bits.hpp"

#include <nlohmann/json.hpp>

#include "kernels/reference/digest.hpp"

namespace stackx::kernels {
namespace {

constexpr int kRepeats = 2;
constexpr std::int64_t kMostNs = 1'000'000'000;

// "" where no bits are to be compared.
std::string digest_of(Operation& operation) {
  const auto parts = operation.result();
  Digest digest;
  for (const auto part : parts) digest.add(part);
  return parts.empty() ? "" : operation.joined(std::move(digest).hex());
}

bool repeats(Operation& operation, const std::string& digest) {
  for (int i = 0; i < kRepeats; ++i) {
    operation.call();
    if (digest_of(operation) != digest) return false;
  }
  return true;
}

}  // namespace

void put_bits(nlohmann::json& check, Operation& operation, const std::string& seed, std::int64_t call_ns, const Clock& clock) {
  const std::int64_t begin = clock.steady_ns();
  const std::string digest = digest_of(operation);
  if (digest.empty()) return;
  const bool quick = call_ns + clock.steady_ns() - begin <= kMostNs;
  check["result_digest"] = digest;
  check["inputs"] = "splitmix64, seed " + seed;
  if (quick) check["deterministic"] = repeats(operation, digest);
}

}  // namespace stackx::kernels
