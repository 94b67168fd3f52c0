#include <catch2/catch.hpp>

#include "inspector/gpu_requirements.hpp"
#include "specs/format/json.hpp"

using namespace stackx::inspector;
using namespace stackx::specs;
using Catch::Contains;

namespace {

Catalog catalog() {
  return parse_catalog(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "gpu": {"kind": "hardware", "versioning": "opaque",
            "versions": {"v100-sxm2-16gb": {"attributes": {"compute_capability": "7.0"}},
                         "h200-sxm-141gb": {"attributes": {"aliases": ["NVIDIA H200"]}}}},
    "driver": {"kind": "driver", "versions": {"580.65": {}, "470.10": {}}},
    "cuda": {"kind": "runtime", "versions": {
      "12.4.1": {"requires": {"driver": ">=525.60.13", "gpu.compute_capability": ">=5.0,<=9.0"}},
      "13.0.0": {"requires": {"driver": ">=580", "gpu.compute_capability": ">=7.5,<=12.1"}}}},
    "cublas": {"kind": "package", "versions": {"12.4": {"requires": {"cuda": "==12.4.*"}}}},
    "openblas": {"kind": "package", "versions": {"0.3.29": {}}}}})", "c.json"));
}

Host machine(const std::string& driver = "550.54.15") {
  Host host;
  host.driver = driver;
  host.gpus = {{"Tesla V100-SXM2-16GB", "GPU-1", "", "7.0", 0, {}}};
  return host;
}

const GpuDevice first{"GPU-1", "", 0};

std::string why(const Stack& stack, const Host& host = machine(),
                std::optional<GpuDevice> device = first) {
  return why_not_on(device, host, stack, catalog()).value_or("");
}

}  // namespace

TEST_CASE("which stacks need a GPU") {
  CHECK(needs_gpu({{{"gpu", "v100-sxm2-16gb"}}}, catalog()));
  CHECK(needs_gpu({{{"cublas", "12.4"}}}, catalog()));  // by what it requires
  CHECK_FALSE(needs_gpu({{{"openblas", "0.3.29"}}}, catalog()));
}

TEST_CASE("an inspection is of the GPU where its stack needs one, or its workload is asked of it") {
  const Stack torch{{{"torch", "2.6.0"}}};
  CHECK(uses_gpu(torch, {"matmul", {{"device", "gpu"}}}, catalog()));
  CHECK_FALSE(uses_gpu(torch, {"matmul", {{"device", "cpu"}}}, catalog()));
  CHECK_FALSE(uses_gpu(torch, {"matmul", {}}, catalog()));
  CHECK(uses_gpu({{{"cublas", "12.4"}}}, {"matmul", {}}, catalog()));
}

TEST_CASE("what is spread over GPUs sees all of one model, its own first; anything else one") {
  auto host = machine();
  for (const char* uuid : {"GPU-2", "GPU-3", "GPU-4"}) host.gpus.push_back({"Tesla V100-SXM2-16GB", uuid, "", "7.0", 0, {}});
  host.gpus[2].model = "Tesla T4";
  const std::vector<GpuDevice> visible{{"GPU-1", "", 0}, {"GPU-2", "", 1}, {"GPU-3", "", 2}, {"MIG-1", "1g.10gb", 3}};
  const auto seen = [&](const GpuDevice& device, const Workload& workload) {
    std::string text;
    for (const auto& one : devices_for(device, visible, host, workload)) text += one.uuid + " ";
    return text;
  };
  CHECK(seen(visible[1], {"all_reduce", {}}) == "GPU-2 GPU-1 ");
  CHECK(seen(visible[0], {"train_resnet50", {{"workers", "2"}}}) == "GPU-1 GPU-2 ");
  CHECK(seen(visible[0], {"vllm_bench", {{"tensor_parallel", "2"}}}) == "GPU-1 GPU-2 ");
  CHECK(seen(visible[0], {"train_resnet50", {{"workers", "1"}}}) == "GPU-1 ");
  CHECK(seen(visible[0], {"matmul", {}}) == "GPU-1 ");
  CHECK(seen(visible[2], {"all_reduce", {}}) == "GPU-3 ");
  CHECK(seen(visible[3], {"all_reduce", {}}) == "MIG-1 ");
}

TEST_CASE("what is here decides, whatever the stack was resolved for") {
  CHECK(why({{{"cuda", "12.4.1"}, {"cublas", "12.4"}}}).empty());
  CHECK(why({{{"gpu", "v100-sxm2-16gb"}, {"driver", "580.65"}, {"cuda", "12.4.1"}}}).empty());
  const Stack newer{{{"driver", "580.65"}, {"cuda", "13.0.0"}}};
  CHECK_THAT(why(newer), Contains("cuda 13.0.0 needs driver >=580, this machine has 550.54.15") &&
                             Contains("update the driver"));
  CHECK_THAT(why(newer, machine("580.65.06")),
             Contains("needs a GPU of compute capability >=7.5,<=12.1; Tesla V100-SXM2-16GB has 7.0"));
  CHECK_THAT(why({{{"gpu", "h100-sxm-80gb"}, {"cuda", "12.4.1"}}}),
             Contains("is for h100-sxm-80gb, this machine has tesla-v100-sxm2-16gb"));
}

TEST_CASE("a model that the catalog calls otherwise than the driver is this machine's all the same") {
  auto host = machine();
  host.gpus[0].model = "NVIDIA H200";
  CHECK(why({{{"gpu", "h200-sxm-141gb"}}}, host).empty());
  CHECK(why({{{"gpu", "nvidia-h200"}}}, host).empty());
  CHECK_THAT(why({{{"gpu", "h200-sxm-141gb"}}}), Contains("is for h200-sxm-141gb"));
}

TEST_CASE("without a GPU the reason is the machine's own") {
  Host none;
  none.gpu_note = "libnvidia-ml.so.1 not found";
  CHECK_THAT(why({{{"cuda", "12.4.1"}}}, none, std::nullopt),
             Contains("none is to be seen") && Contains("libnvidia-ml.so.1 not found"));
  CHECK_THAT(why({{{"cuda", "12.4.1"}}}, machine(), std::nullopt), Contains("$CUDA_VISIBLE_DEVICES"));
}
