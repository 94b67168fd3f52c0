#include "tests/analysis/rate_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "specs/result/evidence.hpp"

namespace stackx::test {
namespace {

const std::string data = STACKX_SOURCE_DIR "/specs/data";

}  // namespace

std::unique_ptr<RateEvidence> rate_evidence(const std::vector<std::string>& files) {
  auto result = std::make_unique<RateEvidence>();
  result->accelerators = std::make_unique<specs::Accelerators>(specs::load_accelerators(data));
  for (const std::string& file : files) {
    auto rows = specs::load_evidence(data + "/evidence/" + file + ".json").rows;
    result->results.insert(result->results.end(), rows.begin(), rows.end());
  }
  result->observations.add(result->results, *result->accelerators);
  return result;
}

const RateEvidence& deepbench() {
  static const auto evidence = rate_evidence({"matmul/deepbench", "conv2d/deepbench-conv", "rnn/deepbench-rnn"});
  return *evidence;
}

const RateEvidence& all_matmul() {
  static const auto evidence = [] {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(data + "/evidence/matmul"))
      files.push_back("matmul/" + entry.path().stem().string());
    std::ranges::sort(files);
    return rate_evidence(files);
  }();
  return *evidence;
}

MadeUp::MadeUp(std::size_t gpus, std::size_t shapes, std::uint64_t seed) : random(seed) {
  const auto between = [&](double low, double high) {
    const double share = static_cast<double>(random.below(1'000'001)) / 1e6;
    return low * std::pow(high / low, share);
  };
  for (std::size_t i = 0; i < gpus; ++i) {
    auto gpu = std::make_unique<specs::Accelerator>();
    gpu->name = fmt::format("made-up-{}", i);
    gpu->vendor = "nobody", gpu->architecture = "none", gpu->compute_capability = "1.0";
    gpu->peaks["float32"] = between(5, 20);
    gpu->bandwidth_gb_s = between(200, 1000);
    accelerators.push_back(std::move(gpu));
  }
  for (std::size_t i = 0; i < shapes; ++i) {
    const auto size = [&] { return fmt::format("{}", 64 * (1 + random.below(64))); };
    workloads.push_back(std::make_unique<specs::Workload>(specs::Workload{
        "matmul", {{"m", size()}, {"n", size()}, {"k", size()}, {"dtype", "float32"}}}));
  }
}

void MadeUp::measure(const Rate& rate) {
  for (const auto& gpu : accelerators)
    for (const auto& workload : workloads)
      observations.push_back({workload.get(), &stack, gpu.get(), rate(*workload, *gpu),
                              fmt::format("{}/{}", gpu->name, workload->text()), "made up"});
}

}  // namespace stackx::test
